"""HTTP requests of the 2026-07-28 revision, as bytes."""

import json
from typing import Any

VERSION = "2026-07-28"
_META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def called(port: int, token: str, tool: str, arguments: dict[str, Any]) -> bytes:
    """A tools/call."""
    params = {"name": tool, "arguments": arguments, "_meta": _META}
    return _post(port, token, "tools/call", params, f"Mcp-Name: {tool}\r\n")


def listed(port: int, token: str) -> bytes:
    """A tools/list."""
    return _post(port, token, "tools/list", {"_meta": _META}, "")


def _post(port: int, token: str, method: str, params: dict[str, Any], more: str) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        f"MCP-Protocol-Version: {VERSION}\r\nMcp-Method: {method}\r\n{more}Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
