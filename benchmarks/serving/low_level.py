"""A peer: the low-level server of the `mcp` package, with the same tools and the same read."""

import json
import sys
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server

from benchmarks.ground import Plain
from benchmarks.serving.loop import serve


def server(plain: Plain, definitions: list[dict[str, Any]]) -> Server[Any]:
    """A server that lists these definitions and answers the one read."""
    tools = [types.Tool.model_validate(definition) for definition in definitions]

    async def listing(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def call(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        arguments = params.arguments or {}
        found = {**plain.facts_of(arguments["entity"], arguments.get("limit", 20)), "_inbox_unread": 0}
        text = types.TextContent(type="text", text=json.dumps(found))
        return types.CallToolResult(content=[text], structured_content=found, is_error=False)

    schemas = {definition["name"]: definition["inputSchema"] for definition in definitions}
    return Server("low-level", version="1", on_list_tools=listing, on_call_tool=call, get_tool_input_schema=schemas.get)


if __name__ == "__main__":
    data, listed = sys.argv[1:]
    made = server(Plain(data), json.loads(Path(listed).read_text()))
    serve(made.streamable_http_app(json_response=True, stateless_http=True))
