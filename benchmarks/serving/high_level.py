"""A peer: FastMCP, with the same tools and the same read."""

import json
import sys
from pathlib import Path
from typing import Any

from fastmcp import FastMCP
from fastmcp.tools import Tool, ToolResult

from benchmarks.ground import Plain
from benchmarks.serving.loop import serve


class Padding(Tool):  # type: ignore[misc,unused-ignore]
    """A tool that is listed and never called."""

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        return ToolResult(structured_content={"items": [], "total": 0})


def server(plain: Plain, definitions: list[dict[str, Any]]) -> FastMCP[Any]:
    """A server that lists these definitions and answers the one read."""
    made: FastMCP[Any] = FastMCP("fastmcp")

    def facts_of(entity: str, limit: int = 20) -> dict[str, Any]:
        return {**plain.facts_of(entity, limit), "_inbox_unread": 0}

    for definition in definitions:
        name, told = definition["name"], definition["description"]
        if name.endswith("facts_of"):
            made.tool(facts_of, name=name, description=told)
        else:
            made.add_tool(Padding(name=name, description=told, parameters=definition["inputSchema"]))
    return made


if __name__ == "__main__":
    data, listed = sys.argv[1:]
    serve(server(Plain(data), json.loads(Path(listed).read_text())).http_app(json_response=True, stateless_http=True))
