"""Commands over what Sophia holds: import, folders, search, show, call."""

import os
from typing import Any

import click

from sophia.cli.connections import json_object
from sophia.cli.running import run_of, with_json


@click.command(name="import")
@click.argument("paths", nargs=-1, required=True)
@click.option("--as", "kind", metavar="KIND", help="What they are, where it cannot be told by what they hold.")
@click.option("--dry-run", is_flag=True, help="Read them, show what would come of it, and keep nothing.")
@with_json
def import_(paths: tuple[str, ...], kind: str | None, dry_run: bool) -> None:
    """Take in what is at PATHS: files and folders, which are watched from then on, or what other programs keep."""
    run = run_of()
    told = run.ask("import", paths=[absolute(path) for path in paths], kind=kind, dry_run=dry_run)
    if run.screen.json:
        run.screen.value(told)
        return
    skipped, folders = told.pop("skipped", []), told.pop("folders", [])
    samples, kinds = told.pop("samples", []), told.pop("kinds", {})
    run.screen.pairs(told | {path: f"read as {what}, and not watched" for path, what in kinds.items()})
    if samples:
        run.screen.table(samples, {"title": "would be", "text": "begins"}, "")
    columns = {"path": "watched folder", "entity_id": "entity", "archived": "archived", "passed_over": "passed over"}
    if folders or not kinds:
        run.screen.table(folders, columns, "A file by itself is not watched.")
    run.screen.table(skipped, {"path": "skipped", "reason": "why"}, "Nothing was skipped.")


def absolute(path: str) -> str:
    """The path as the daemon can find it, from wherever this command was run."""
    return os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111 (links are followed by the daemon, once)


@click.group()
def folders() -> None:
    """The folders that agents may have files read from."""


@folders.command(name="grant")
@click.argument("path")
@with_json
def folders_grant(path: str) -> None:
    """Grant PATH and all below it."""
    run = run_of()
    told = run.ask("folders grant", path=absolute(path))
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.line(f"Granted: {told['path']}")


@folders.command(name="list")
@with_json
def folders_list() -> None:
    """List the folders that are granted, and how far those that are registered are taken in."""
    run = run_of()
    found = run.ask("folders list")
    if run.screen.json:
        run.screen.value(found)
    else:
        columns = {
            "root_id": "id", "path": "folder", "granted_at": "since", "entity_id": "entity", "state": "state",
            "documents": "documents", "waiting": "waiting", "failed": "failed",
        }  # fmt: skip
        run.screen.table(found, columns, "No folder is granted.")


@folders.command(name="revoke")
@click.argument("path")
@with_json
def folders_revoke(path: str) -> None:
    """Grant PATH (or a grant's id) no more. What was imported from it stays."""
    run = run_of()
    told = run.ask("folders revoke", path=path if path.startswith("root-") else absolute(path))
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.line(f"Not granted any more: {told['path']}")


@click.command()
@click.argument("words", nargs=-1, required=True)
@click.option("--limit", type=int, default=20, show_default=True, help="Most hits.")
@with_json
def search(words: tuple[str, ...], limit: int) -> None:
    """Search for WORDS in everything."""
    run = run_of()
    found = run.ask("search", query=" ".join(words), limit=limit)
    if run.screen.json:
        run.screen.value(found)
        return
    if not found["items"]:
        run.screen.line("Nothing was found.")
    for hit in found["items"]:
        run.screen.passage(f"{hit['title']}  ({hit['id']})", hit.get("passage") or "")


@click.command()
@click.argument("id")
@with_json
def show(id: str) -> None:
    """Show what ID names."""
    run = run_of()
    told = run.ask("show", id=id)
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.pairs({name: value for name, value in told.items() if name != "fact"})  # its fields stand beside it


@click.command()
@click.argument("query", required=False)
@click.option("--kind", help="Only this kind, such as person or folder.")
@click.option("--limit", type=int, default=50, show_default=True, help="Most entities.")
@with_json
def entities(query: str | None, kind: str | None, limit: int) -> None:
    """List the entities; with QUERY, those that it may mean. Their ids and names are what a scope is made of."""
    run = run_of()
    if query is None:
        tool, asked = "list_entities", {"kind": kind, "limit": limit}
    else:
        tool, asked = "resolve_entity", {"name": query, "kind": kind}
    told = run.ask("call", tool=tool, arguments={name: value for name, value in asked.items() if value is not None})
    found = told["items"] if query is None else told["candidates"]
    if run.screen.json:
        run.screen.value(found)
        return
    columns = {"entity_id": "id", "kind": "kind", "name": "name"} | ({} if query is None else {"why": "why"})
    run.screen.table(found, columns, "There are no entities." if query is None else "No entity is called that.")
    if query is None and told["total"] > len(found):
        run.screen.note(f"{len(found)} of {told['total']}: --limit shows more.")


@click.command()
@click.argument("of", required=False, metavar="[ENTITY|CONNECTION]")
@click.option("--limit", type=int, default=50, show_default=True, help="Most entries.")
@with_json
def trail(of: str | None, limit: int) -> None:
    """Show what agents touched in the last 30 days: all of them, one CONNECTION, or all of them one ENTITY."""
    run = run_of()
    told = run.ask("trail", of=of, limit=limit)
    if run.screen.json:
        run.screen.value(told)
        return
    columns = {"at": "when", "connection_name": "who", "tool": "through", "entity_name": "entity", "entity_id": "id"}
    run.screen.table(told["items"], columns, "Nothing was touched.")
    if told["total"] > len(told["items"]):
        run.screen.note(f"{len(told['items'])} of {told['total']}: --limit shows more.")
    if "accesses" in told:
        run.screen.line(f"Touched {told['accesses']} times in all.")


@click.command()
@click.argument("tool")
@click.argument("arguments", default="{}")
@click.option("--as", "as_connection", metavar="CONNECTION", help="Read with the scope of this connection.")
@with_json
def call(tool: str, arguments: str, as_connection: str | None) -> None:
    """Call TOOL as the owner, with ARGUMENTS as a JSON object."""
    run = run_of()
    asked: dict[str, Any] = {"tool": tool, "arguments": json_object(arguments), "as_connection": as_connection}
    told = run.ask("call", **asked)
    if run.screen.json:
        run.screen.value(told)
    elif isinstance(told.get("items"), list) and told["items"]:
        columns = {name: name for name in told["items"][0]}
        run.screen.table(told["items"], columns, "")
        run.screen.line(f"{len(told['items'])} of {told.get('total', '?')}")
    else:
        run.screen.pairs(told)
