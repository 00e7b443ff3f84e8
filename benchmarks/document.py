"""docs/performance.md: the written page, with the table of what was measured last."""

import json
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.figures import Figure

RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
BEGIN, END = "<!-- figures -->", "<!-- /figures -->"


class Results(msgspec.Struct, frozen=True):
    """What one group of lines came to, and on what."""

    machine: dict[str, str]
    rounds: int
    figures: list[Figure]


def kept(name: str, results: Results) -> None:
    """Write results down."""
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(msgspec.to_builtins(results), indent=1, ensure_ascii=False)
    (RESULTS / f"{name}.json").write_text(text + "\n")


def page(text: str | None = None) -> str:
    """The page with the table of the results that are written down."""
    before, _, rest = (PAGE.read_text() if text is None else text).partition(BEGIN)
    after = rest.partition(END)[2]
    found = {path.stem: msgspec.json.decode(path.read_bytes(), type=Results) for path in sorted(RESULTS.glob("*.json"))}
    return f"{before}{BEGIN}\n\n{_told(found)}\n{END}{after}"


def _told(found: dict[str, Results]) -> str:
    parts = [
        "| what | measured | against | ratio | to reach | |",
        "|---|---|---|---|---|---|",
        *(row(figure) for results in found.values() for figure in results.figures),
        "",
    ]
    machines: list[Any] = []
    for results in found.values():
        told = {name: value for name, value in results.machine.items() if name != "load"}
        if told not in machines:
            machines.append(told)
    parts += [f"Measured on: {'; '.join(f'{name} {value}' for name, value in told.items())}." for told in machines]
    return "\n".join(parts) + "\n"


def row(figure: Figure) -> str:
    """A figure as a line of the table: medians, and the spread of the rounds."""
    mark = {True: "reached", False: "not reached", None: ""}[figure.reached]
    bound = "" if figure.at_most is None else f"≤ {_short(figure.at_most)}"
    ratio = ""
    if figure.ratio is not None:
        bound += " ×" if bound else ""
        ratio = f"{_short(figure.ratio)} × ({_short(min(figure.ratios))}–{_short(max(figure.ratios))})"
    elif bound:
        bound += f" {figure.unit}"
    value = f"{_short(figure.value)} {figure.unit}"
    return f"| {figure.what} | {value} | {figure.against} | {ratio} | {bound} | {mark} |"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
