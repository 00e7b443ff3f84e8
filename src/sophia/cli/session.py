"""The smallest MCP client: one bearer, one address, one stateless request at a time."""

import http.client
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from sophia.cli.failed import Failed
from sophia.version import VERSION

PROTOCOL = "2026-07-28"
ANSWERS_WITHIN_S = 30.0
_META = {
    "io.modelcontextprotocol/protocolVersion": PROTOCOL,
    "io.modelcontextprotocol/clientInfo": {"name": "sophia-up", "version": VERSION},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass(frozen=True)
class Session:
    """An agent's way to Sophia, as any agent has it."""

    url: str
    bearer: str

    def tools(self) -> list[str]:
        """The names of the tools that this connection is listed."""
        return [tool["name"] for tool in self._result("tools/list", {})["tools"]]

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What the tool answers; `Failed` where that is an error."""
        result = self._result("tools/call", {"name": f"sophia.{tool}", "arguments": arguments})
        told: dict[str, Any] = result["structuredContent"]
        if result.get("isError"):
            raise Failed(told["error"])
        return told

    def _result(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": _META}}
        headers = {
            "Authorization": f"Bearer {self.bearer}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": PROTOCOL,
            "Mcp-Method": method,
        }
        if "name" in params:
            headers["Mcp-Name"] = params["name"]
        answer = self._posted(json.dumps(message).encode(), headers)
        if "result" not in answer:
            error = answer.get("error")
            told = error.get("message") if isinstance(error, dict) else answer.get("message") or error
            raise Failed({"code": "unavailable", "message": f"The daemon refused the session: {told}"})
        result: dict[str, Any] = answer["result"]
        return result

    def _posted(self, body: bytes, headers: dict[str, str]) -> dict[str, Any]:
        at = urlsplit(self.url)
        line = http.client.HTTPConnection(at.hostname or "", at.port, timeout=ANSWERS_WITHIN_S)
        try:
            line.request("POST", at.path, body, headers)
            told = json.loads(line.getresponse().read())
        except (OSError, ValueError, http.client.HTTPException):
            raise Failed({"code": "unavailable", "message": "The daemon does not answer over HTTP."}) from None
        finally:
            line.close()
        return told if isinstance(told, dict) else {}
