"""How each client is connected: what to run, and what to write where."""

import json


def snippets(url: str) -> dict[str, str]:
    """By client, the lines that connect it. The bearer goes into the environment, never into a file others read."""
    cursor = {"mcpServers": {"sophia": {"url": url, "headers": {"Authorization": "Bearer ${env:SOPHIA_TOKEN}"}}}}
    return {
        "Claude Code": "\n".join(
            [
                _token("claude-code"),
                f'claude mcp add --transport http sophia {url} --header "Authorization: Bearer $SOPHIA_TOKEN"',
            ]
        ),
        "Codex": "\n".join(
            [
                _token("codex"),
                "# in ~/.codex/config.toml:",
                "[mcp_servers.sophia]",
                f'url = "{url}"',
                'bearer_token_env_var = "SOPHIA_TOKEN"',
            ]
        ),
        "Cursor": "\n".join([_token("cursor"), "# in ~/.cursor/mcp.json:", json.dumps(cursor)]),
    }


def _token(name: str) -> str:
    """The command that mints a connection and keeps its bearer in this shell alone."""
    read = "python3 -c 'import json, sys; print(json.load(sys.stdin)[\"bearer_token\"])'"
    return f"export SOPHIA_TOKEN=$(sophia mint --name {name} --surface core --names underscore --json | {read})"
