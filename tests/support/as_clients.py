"""Each client's own way to its servers: the files that it reads, in its order, and how it makes headers of them.

Written from what the clients document, and not from what Sophia writes.
"""

import asyncio
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


@dataclass(frozen=True)
class Server:
    """A server as a client would reach it."""

    url: str
    headers: dict[str, str]

    def met(self) -> tuple[list[str], dict[str, Any]]:
        """The names of its tools, and what orient tells, by the protocol's own client."""
        return asyncio.run(self._met())

    async def _met(self) -> tuple[list[str], dict[str, Any]]:
        async with (
            httpx2.AsyncClient(headers=self.headers, timeout=20) as http,
            Client(streamable_http_client(self.url, http_client=http)) as client,
        ):
            names = [tool.name for tool in (await client.list_tools()).tools]
            orient = next(name for name in names if name.endswith("orient"))
            told = (await client.call_tool(orient, {})).structured_content
            assert told is not None
            return names, told


def claude_code(home: Path, project: Path, environ: Mapping[str, str]) -> dict[str, Server]:
    """Local before project before user; `${NAME}` and `${NAME:-default}` stand for variables."""
    config = Path(environ.get("CLAUDE_CONFIG_DIR", home)) / ".claude.json"
    own = json.loads(config.read_text()) if config.exists() else {}
    shared = project / ".mcp.json"
    found: dict[str, Any] = dict(own.get("mcpServers", {}))
    found |= json.loads(shared.read_text())["mcpServers"] if shared.exists() else {}
    found |= own.get("projects", {}).get(str(project), {}).get("mcpServers", {})
    return {name: claude_server(one, environ) for name, one in found.items() if one.get("type") == "http"}


def claude_server(one: dict[str, Any], environ: Mapping[str, str]) -> Server:
    def value(match: re.Match[str]) -> str:
        return environ.get(match[1], match[2] if match[2] is not None else match[0])

    def expanded(text: str) -> str:
        return re.sub(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}", value, text)

    return Server(expanded(one["url"]), {name: expanded(text) for name, text in one.get("headers", {}).items()})


def codex(home: Path, project: Path, environ: Mapping[str, str], *overrides: str) -> dict[str, Server]:
    """The user's table, then the (trusted) project's, then `-c key=value`; a bearer comes from a named variable."""
    servers: dict[str, Any] = {}
    for path in (Path(environ.get("CODEX_HOME", home / ".codex")) / "config.toml", project / ".codex" / "config.toml"):
        if path.exists():
            for name, one in tomllib.loads(path.read_text()).get("mcp_servers", {}).items():
                servers[name] = servers.get(name, {}) | one
    for override in overrides:
        _, name, key = override.partition("=")[0].split(".")
        servers.setdefault(name, {})[key] = tomllib.loads("v = " + override.partition("=")[2])["v"]
    return {name: _codex_server(one, environ) for name, one in servers.items() if "url" in one}


def _codex_server(one: dict[str, Any], environ: Mapping[str, str]) -> Server:
    assert "bearer_token" not in one, "codex refuses a bearer in its file"
    headers = dict(one.get("http_headers", {}))
    headers |= {name: environ[env] for name, env in one.get("env_http_headers", {}).items() if env in environ}
    if "bearer_token_env_var" in one:
        headers["Authorization"] = f"Bearer {environ[one['bearer_token_env_var']]}"
    return Server(one["url"], headers)


def cursor(home: Path, project: Path, environ: Mapping[str, str]) -> dict[str, Server]:
    """The user's file, then the project's; `${env:NAME}` stands for a variable."""
    found: dict[str, Any] = {}
    for path in (home / ".cursor" / "mcp.json", project / ".cursor" / "mcp.json"):
        found |= json.loads(path.read_text())["mcpServers"] if path.exists() else {}

    def expanded(text: str) -> str:
        return re.sub(r"\$\{env:(\w+)\}", lambda match: environ.get(match[1], ""), text)

    return {
        name: Server(expanded(one["url"]), {key: expanded(text) for key, text in one.get("headers", {}).items()})
        for name, one in found.items()
        if "url" in one
    }


READERS = {"claude-code": claude_code, "cursor": cursor, "codex": codex}
