"""Commands over connections: mint, connections, revoke, rename, scope, rotate, grant."""

import json
from dataclasses import replace
from typing import Any

import click

from sophia.cli.running import run_of, with_json
from sophia.core.errors import BadArguments

COLUMNS = {
    "connection_id": "connection",
    "name": "name",
    "status": "status",
    "profile": "profile",
    "write_approval_mode": "writes",
    "entity_scope": "scope",
    "last_seen": "last seen",
    "expires_at": "expires",
    "delivered": "delivered",
}


def scope_of(text: str) -> str | list[str]:
    """The scope as the daemon takes it: the literal `all`, or ids between commas, exactly as they are written."""
    return text if text == "all" else text.split(",") if text else []


@click.command()
@click.option("--name", required=True, help="What it is called.")
@click.option("--profile", default="assistant", show_default=True, help="observer, assistant or full.")
@click.option("--mode", default="per_call", show_default=True, help="per_call or pre_approved (full only).")
@click.option("--scope", default="all", show_default=True, help="all, or ids or names of entities, between commas.")
@click.option("--delegate", is_flag=True, help="It may mint workers of its own.")
@click.option("--can-post", is_flag=True, help="It may post, as an observer.")
@click.option("--ttl", type=int, metavar="MINUTES", help="It ends by itself after so many minutes.")
@click.option("--surface", default="full", show_default=True, help="full or core: how many tools it is listed.")
@click.option("--names", default="dotted", show_default=True, help="dotted or underscore: how tools are spelled.")
@click.option("--siblings-may-review", is_flag=True, help="Workers of one parent may review each other.")
@click.option("--grant", "code", help="A code of `sophia grant mint`, in place of your presence.")
@with_json
def mint(
    name: str,
    profile: str,
    mode: str,
    scope: str,
    delegate: bool,
    can_post: bool,
    ttl: int | None,
    surface: str,
    names: str,
    siblings_may_review: bool,
    code: str | None,
) -> None:
    """Make a connection for an agent. Its bearer is shown once."""
    run = run_of()
    with run.client() as client:
        minted = replace(client, code=code).ask(
            "mint",
            name=name,
            profile=profile,
            write_approval_mode=mode,
            entity_scope=scope_of(scope),
            can_delegate=delegate,
            can_post=can_post,
            ttl_minutes=ttl,
            surface=surface,
            name_style=names,
            siblings_may_review=siblings_may_review,
        )
        _bearer(minted)
        client.ask("delivered", connection_id=minted["connection_id"])


def _bearer(told: dict[str, Any]) -> None:
    run = run_of()
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.pairs(told)
        run.screen.note("The bearer is shown this once. Keep it where only this agent reads it.")


@click.command()
@click.option("--all", "ended", is_flag=True, help="Those that ended too.")
@with_json
def connections(ended: bool) -> None:
    """List the connections."""
    run = run_of()
    found = run.ask("connections", include_ended=ended)
    if run.screen.json:
        run.screen.value(found)
    else:
        run.screen.table(found, COLUMNS, "There are no connections.")


@click.command()
@click.argument("connection")
@click.option("--reason", help="Why, for the log.")
@with_json
def revoke(connection: str, reason: str | None) -> None:
    """End CONNECTION and every worker of its line, at once."""
    run = run_of()
    told = run.ask("revoke", connection_id=connection, reason=reason)
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.line(f"Revoked: {', '.join(told['revoked'])}")


@click.command()
@click.argument("connection")
@click.argument("name")
@with_json
def rename(connection: str, name: str) -> None:
    """Give CONNECTION another NAME. What it wrote keeps the name that it had then."""
    run = run_of()
    told = run.ask("rename", connection_id=connection, name=name)
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.line(f"{told['was']} is {told['name']} now.")


@click.command()
@click.argument("connection")
@click.argument("entities")
@with_json
def scope(connection: str, entities: str) -> None:
    """Give CONNECTION another scope: all, or ids or names of entities, between commas."""
    run = run_of()
    told = run.ask("scope", connection_id=connection, entity_scope=scope_of(entities))
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.pairs(told)


@click.command()
@click.argument("connection")
@with_json
def rotate(connection: str) -> None:
    """Make a new bearer for CONNECTION; the old one answers for 60 more seconds."""
    with run_of().client() as client:
        told = client.ask("rotate", connection_id=connection)
        _bearer(told)
        client.ask("delivered", connection_id=told["connection_id"])


@click.command()
@click.argument("command")
@click.argument("arguments")
@with_json
def grant(command: str, arguments: str) -> None:
    """Make a code that stands for your presence once, for COMMAND with exactly these ARGUMENTS (a JSON object)."""
    run = run_of()
    told = run.ask("grant", command=command, arguments=json_object(arguments))
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.pairs(told)


def json_object(text: str) -> dict[str, Any]:
    """The object that the text spells; `BadArguments` for anything else."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise BadArguments(f"That is no JSON: {error}.", argument="arguments") from None
    if not isinstance(found, dict):
        raise BadArguments('The arguments are a JSON object, like \'{"query": "…"}\'.', argument="arguments")
    return found
