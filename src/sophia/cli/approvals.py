"""Commands over what agents ask of the owner: approvals, approve, deny, allow."""

import json
from typing import Any

import click

from sophia.cli.running import run_of, with_json

_SHOWN = 2000


@click.command()
@click.argument("approval", required=False)
@click.option(
    "--status", default="pending", show_default=True, help="pending, approved, denied, expired, void or failed."
)
@with_json
def approvals(approval: str | None, status: str) -> None:
    """List what waits for you, with what would change; or show one APPROVAL, with its exact arguments."""
    run = run_of()
    if approval is not None:
        told = run.ask("approval", approval_id=approval)
        if run.screen.json:
            run.screen.value(told)
        else:
            run.screen.pairs({"status": told["status"], **_told(told)})
        return
    found = run.ask("approvals", status=status)
    if run.screen.json:
        run.screen.value(found)
        return
    if not found:
        run.screen.line("Nothing waits for you.")
    for one in found:
        run.screen.pairs(_told(one))
        run.screen.line("")
    if found:
        run.screen.note("Long values are cut: `sophia approvals ID --json` shows one request whole.")


def _told(one: dict[str, Any]) -> dict[str, Any]:
    """A request as a person reads it: long arguments are cut, with their length and hash beside them."""
    who = f"{one['connection_name']} ({one['connection_id'][:8]})"
    return {
        "approval": one["approval_id"],
        "who": " ← ".join([who, *one["lineage"]]),
        "tool": one["tool"],
        "arguments": _spelled(one["arguments"]),
        "length": f"{one['arguments_bytes']} bytes, SHA-256 {one['arguments_sha256'][:16]}",
        "changes": [_change(change) for change in one["preview"]["changes"]],
        "denied before": one["preview"].get("denied_before"),
        "expires": one["expires_at"],
    }


def _change(change: dict[str, Any]) -> str:
    image = change["after"] if change["after"] is not None else change["before"]
    return f"{change['op']} {change['table']} {change['row_id']} {_spelled(image)}"


def _spelled(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… (cut: `sophia approvals ID --json` shows all)"


@click.command()
@click.argument("approval")
@with_json
def approve(approval: str) -> None:
    """Run what was asked in APPROVAL, once, exactly as it was asked."""
    run = run_of()
    told = run.ask("approve", approval_id=approval)
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.pairs(told)


@click.command()
@click.argument("approval")
@click.option("--reason", help="Why: the agent is told.")
@with_json
def deny(approval: str, reason: str | None) -> None:
    """End APPROVAL without running it."""
    run = run_of()
    told = run.ask("deny", approval_id=approval, reason=reason)
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.line(f"Denied: {told['approval_id']}")


@click.command()
@click.argument("tool")
@click.argument("connection")
@click.option("--minutes", type=int, required=True, help="For how long.")
@with_json
def allow(tool: str, connection: str, minutes: int) -> None:
    """Let CONNECTION call TOOL unasked for a while. Elevated tools always ask."""
    run = run_of()
    told = run.ask("allow", tool=tool, connection_id=connection, minutes=minutes)
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.line(f"{told['tool']} is allowed until {told['until']}.")
