"""Finding tools: by group, by name, by need."""

import difflib
import re
from collections.abc import Sequence

from sophia.catalog.catalog import Catalog
from sophia.catalog.tool import Tool
from sophia.core.errors import BadArguments

_WORD = re.compile(r"[a-z0-9]+")
_BEST = 20


def chosen(tools: Sequence[Tool], group: str | None, query: str | None) -> list[Tool]:
    """The tools of the group, ranked for the query where there is one; `BadArguments` lists the groups."""
    groups = list(dict.fromkeys(tool.group for tool in tools))
    if group is not None and group not in groups:
        raise BadArguments(f"There is no group {group[:80]!r} within reach.", argument="group", valid=groups)
    found = [tool for tool in tools if group is None or tool.group == group]
    return _ranked(found, query) if query else found


def named(catalog: Catalog, reach: Sequence[Tool], names: Sequence[str]) -> list[Tool]:
    """The tools of these names, in any accepted spelling; `BadArguments` suggests the nearest."""
    within = set(reach)
    found: list[Tool] = []
    for name in names:
        tool = catalog.find(name)
        if tool is None or tool not in within:
            near = difflib.get_close_matches(name, [one.name for one in reach], 3)
            raise BadArguments(f"There is no tool {name[:80]!r} within reach.", argument="tools", candidates=near)
        found.append(tool)
    return found


def _ranked(tools: Sequence[Tool], query: str) -> list[Tool]:
    wanted = {_stem(word) for word in _WORD.findall(query.lower())}
    scored = [(_score(tool, wanted), -n, tool) for n, tool in enumerate(tools)]
    return [tool for score, _order, tool in sorted(scored, key=lambda s: s[:2], reverse=True)[:_BEST] if score > 0]


def _score(tool: Tool, wanted: set[str]) -> float:
    """Words of the name count three times a word of the description."""
    name = {_stem(word) for word in tool.short.split("_")}
    told = {_stem(word) for word in _WORD.findall(tool.description.lower())}
    return 3 * len(wanted & name) + len(wanted & told) + 0.5 * len(wanted & {tool.group.split("_")[-1]})


def _stem(word: str) -> str:
    for ending in ("ies", "es", "s", "ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word
