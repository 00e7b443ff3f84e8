"""Commands over what agents ask of the owner: approvals, approve, deny, allow."""

import json
from typing import Any

import click

from sophia.cli import previews, watching
from sophia.cli.running import run_of, with_json
from sophia.cli.snippets import command

_LONGEST = 2000


@click.command()
@click.argument("approval", required=False)
@click.option(
    "--status", default="pending", show_default=True, help="pending, approved, denied, expired, void or failed."
)
@click.option("--watch", is_flag=True, help="Go on: show each request as it comes in, until Ctrl-C.")
@with_json
def approvals(approval: str | None, status: str, watch: bool) -> None:
    """List what waits for you, with what would change; or show one APPROVAL, with its exact arguments."""
    run = run_of()
    if watch:
        if not run.screen.json:
            run.screen.note("Waiting for what your agents ask; Ctrl-C ends it.")
        watching.watch(run, run.screen.value if run.screen.json else _shown)
        return
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
        "changes": "\n".join(previews.lines(one["preview"])) or "nothing",
        "sources": one["sources"],
        "denied before": (one["preview"].get("denied_before") or {}).get("approval_id"),
        "expires": one["expires_at"],
    }


def _shown(one: dict[str, Any]) -> None:
    """One request as it comes in, and what decides it."""
    screen = run_of().screen
    screen.pairs(_told(one))
    screen.line(f"  {command()} approve {one['approval_id']}")
    screen.line(f"  {command()} deny {one['approval_id']} --reason WHY")
    screen.line("")


def _spelled(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… (cut: `sophia approvals ID --json` shows all)"


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
