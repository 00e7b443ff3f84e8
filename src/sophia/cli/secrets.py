"""Commands over what was kept out as a secret."""

import click

from sophia.cli.running import run_of, with_json

_COLUMNS = {"hit_id": "id", "kind": "kind", "last_four": "ends in", "found_in": "brought by", "found_at": "since",
            "allowed": "allowed"}  # fmt: skip


@click.group()
def secrets() -> None:
    """What was kept out as a secret, with a placeholder in its place."""


@secrets.command(name="list")
@with_json
def secrets_list() -> None:
    """List what was kept out: kind and last four characters, never the value."""
    run = run_of()
    found = run.ask("secrets list")
    if run.screen.json:
        run.screen.value(found)
    else:
        run.screen.table(found, _COLUMNS, "Nothing was kept out.")


@secrets.command(name="allow")
@click.argument("hit")
@with_json
def secrets_allow(hit: str) -> None:
    """Let the value of HIT be kept: by the next import, and by the next write that brings it."""
    _changed("secrets allow", hit, "Allowed")


@secrets.command(name="disallow")
@click.argument("hit")
@with_json
def secrets_disallow(hit: str) -> None:
    """Keep the value of HIT out again. What was stored meanwhile stays."""
    _changed("secrets disallow", hit, "Not allowed any more")


def _changed(command: str, hit: str, done: str) -> None:
    run = run_of()
    told = run.ask(command, hit_id=hit)
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.line(f"{done}: {told['kind']} …{told['last_four']} ({told['hit_id']})")
