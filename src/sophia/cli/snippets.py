"""How each client is connected: what to run, and what to write where."""

import json
import shlex
import shutil
import sys
from pathlib import Path


def command() -> str:
    """How this installation's `sophia` is called from any folder."""
    own = Path(sys.executable).parent / "sophia"
    found = shutil.which("sophia")
    return "sophia" if found is not None and Path(found).resolve() == own.resolve() else shlex.quote(str(own))


def snippets(url: str) -> dict[str, str]:
    """By client, the lines that connect it. The bearer goes into the environment, never into a file others read."""
    cursor = {"mcpServers": {"sophia": {"url": url, "headers": {"Authorization": "Bearer ${env:SOPHIA_CURSOR}"}}}}
    return {
        "Claude Code": "\n".join(
            [
                _token("claude-code"),
                f'claude mcp add --transport http sophia {url} --header "Authorization: Bearer $SOPHIA_CLAUDE_CODE"',
            ]
        ),
        "Codex": "\n".join(
            [
                _token("codex"),
                "# in ~/.codex/config.toml:",
                "[mcp_servers.sophia]",
                f'url = "{url}"',
                'bearer_token_env_var = "SOPHIA_CODEX"',
            ]
        ),
        "Cursor": "\n".join([_token("cursor"), "# in ~/.cursor/mcp.json:", json.dumps(cursor)]),
    }


def _token(name: str) -> str:
    """The command that mints a connection, and keeps its bearer in a variable of this shell that is its own."""
    told = 'sys.exit(told["error"]["message"]) if "error" in told else print(told["bearer_token"])'
    read = f"python3 -c 'import json, sys; told = json.load(sys.stdin); {told}'"
    variable = f"SOPHIA_{name.upper().replace('-', '_')}"
    return f"export {variable}=$({command()} mint --name {name} --surface core --names underscore --json | {read})"
