"""`tools/list` as bytes: made once for each set of tools, listing size and name style."""

from collections.abc import Iterable
from typing import Any

import msgspec

from sophia.catalog.catalog import CORE, Catalog
from sophia.catalog.tool import Tool
from sophia.core.access import Access, NameStyle, SurfaceSize

LARGE_READERS = frozenset({"orient", "get_sdk_types", "fetch_document"})
_LARGEST = 40_000


def spelled(short: str, style: NameStyle) -> str:
    """The name of a tool as a connection of this style is listed it."""
    return f"sophia.{short}" if style is NameStyle.DOTTED else f"sophia_{short}"


def listed(tools: Iterable[Tool], size: SurfaceSize) -> list[Tool]:
    """Those of the tools that a list of this size shows."""
    return [tool for tool in tools if size is SurfaceSize.FULL or tool.short in CORE]


def encoded(catalog: Catalog, tools: Iterable[Tool], style: NameStyle) -> bytes:
    """The JSON array of tool definitions, in the catalog's order."""
    return msgspec.json.encode([_definition(catalog, tool, style) for tool in tools])


def _definition(catalog: Catalog, tool: Tool, style: NameStyle) -> dict[str, Any]:
    defined: dict[str, Any] = {
        "name": spelled(tool.short, style),
        "description": tool.description,
        "inputSchema": _short(catalog.schemas[tool.name], tool),
        "annotations": _hints(tool),
    }
    if tool.short in LARGE_READERS:
        defined["_meta"] = {"anthropic/maxResultSizeChars": _LARGEST}
    return defined


def _short(schema: dict[str, Any], tool: Tool) -> dict[str, Any]:
    """The schema without what every tool has alike: a call that passes the bound of a derived argument is told it."""
    properties = {
        name: told if name in tool.own else {key: told[key] for key in ("type", "enum", "items") if key in told}
        for name, told in schema["properties"].items()
    }
    kept = {key: value for key, value in schema.items() if key != "required" or value}
    return {**kept, "properties": properties}


def _hints(tool: Tool) -> dict[str, bool]:
    """What clients are told of the act; of a read nothing that the protocol gives a meaning for writes only."""
    if tool.access is Access.READ:
        return {"readOnlyHint": True, "openWorldHint": False}
    return {
        "readOnlyHint": False,
        "destructiveHint": tool.traits.destructive,
        "idempotentHint": tool.traits.idempotent,
        "openWorldHint": False,
    }
