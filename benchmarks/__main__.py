"""Measures everything, or the lines that are named, and writes the results and the table down."""

import argparse
import sys
from collections.abc import Callable

from benchmarks import document, machine
from benchmarks.bench import PEERS, Bench
from benchmarks.document import Results, kept, row
from benchmarks.figures import Figure
from benchmarks.lines import (
    calls,
    importing,
    journal,
    knowledge,
    lists,
    orient,
    reverting,
    search,
    starting,
    transcripts,
)
from sophia.catalog.catalog import Catalog
from sophia.surface import GROUPS

LINES: dict[str, Callable[[Bench], list[Figure]]] = {
    "calls": calls.measured,
    "lists": lists.measured,
    "journal": journal.measured,
    "knowledge": knowledge.measured,
    "orient": orient.measured,
    "search": search.measured,
    "import": importing.measured,
    "reverting": reverting.measured,
    "transcripts": transcripts.measured,
    "starting": starting.measured,
}
NEEDED = {"knowledge": "query_knowledge", "orient": "save_briefing", "search": "search_documents"}
"""The tools that lines measure, which are skipped where their tool is not there."""


def main(arguments: list[str]) -> int:
    """0, whatever the figures are: they are measured here, and judged by whoever reads them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("lines", nargs="*", metavar="LINE", help=f"of {', '.join(LINES)}; all where none is named")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep", action=argparse.BooleanOptionalAction, default=True, help="write the results down")
    asked = parser.parse_args(arguments)
    bench = Bench.made(asked.rounds, lambda text: print(f"… {text}", file=sys.stderr, flush=True))
    told = machine.described(PEERS)
    print("; ".join(f"{name} {value}" for name, value in told.items()))
    known = {tool.short for tool in Catalog.over(GROUPS).tools}
    for name in asked.lines or LINES:
        tool = NEEDED.get(name)
        if tool is not None and tool not in known:
            print(f"| {name} | skipped: {tool} is not there yet | | | | |")
            continue
        figures = LINES[name](bench)
        for figure in figures:
            print(row(figure), flush=True)
        if asked.keep:
            kept(name, Results(told, asked.rounds, figures))
    if asked.keep:
        document.PAGE.write_text(document.page())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
