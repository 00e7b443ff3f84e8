"""Commands over the past: timeline, revert, undo."""

from typing import Any

import click

from sophia.cli import previews
from sophia.cli.failed import Failed
from sophia.cli.running import run_of, with_json


@click.command()
@click.argument("what", required=False)
@click.option("--table", help="Only this table, such as entity or fact.")
@click.option("--since", help="Only what was done at or after this time; or so long ago: 90m, 2h, 3d.")
@click.option("--limit", type=int, default=100, show_default=True, help="Most changes, the last.")
@with_json
def timeline(what: str | None, table: str | None, since: str | None, limit: int) -> None:
    """Show what happened to WHAT (an entity by id or name, or any row by its id), change by change."""
    run = run_of()
    found = run.ask("timeline", what=what, table=table, since=since, limit=limit)
    if run.screen.json:
        run.screen.value(found)
        return
    if not found:
        run.screen.line("Nothing happened.")
    for one in found:
        by = f", reverted by {one['reverted_by']}" if one["reverted_by"] else ""
        run.screen.line(f"{one['at']}  mutation {one['mutation_seq']}  {one['actor_name']}: {one['tool']}{by}")
        if one["reason"]:
            run.screen.line(f"    because: {one['reason']}")
        _changes(one["changes"], len(one["changes"]))


@click.command()
@click.argument("mutation", type=int)
@click.option("--cascade", is_flag=True, help="Take back later changes that stand in the way, too, the newest first.")
@click.option("--dry-run", is_flag=True, help="Only say what would change.")
@click.option("--reason", help="Why, for the journal.")
@with_json
def revert(mutation: int, cascade: bool, dry_run: bool, reason: str | None) -> None:
    """Take MUTATION back: its rows become what they were before it. A revert can be reverted."""
    run = run_of()
    try:
        told = run.ask("revert", mutation_seq=mutation, cascade=cascade, dry_run=dry_run, reason=reason)
    except Failed as failed:
        if not run.screen.json:
            _in_the_way(failed.error.get("details", {}).get("conflicts", []))
        raise
    if run.screen.json:
        run.screen.value(told)
    elif not dry_run:
        run.screen.line(f"Taken back by mutation {told.get('mutation_seq')}: {told['rows']} rows.")
    elif told["possible"]:
        run.screen.line(f"{told.get('rows', 0)} rows of {len(told['would_revert'])} mutations would change:")
        _changes(told["would_change"], told.get("rows", 0))
    else:
        if told.get("reason"):
            run.screen.line(told["reason"])
        _in_the_way(told["conflicts"])


def _in_the_way(conflicts: list[dict[str, Any]]) -> None:
    screen = run_of().screen
    if conflicts:
        screen.line("Later changes stand in the way; --cascade takes them back too:")
    for one in conflicts:
        screen.line(f"    mutation {one.get('mutation_seq', '?')}: {one['table']} {one['row_id']}")


@click.command()
@click.argument("connection")
@click.option("--since", required=True, help="RFC 3339 with an offset, or how long ago: 90m, 2h, 3d.")
@click.option("--dry-run", is_flag=True, help="Only say what would change.")
@click.option("--reason", help="Why, for the journal.")
@with_json
def undo(connection: str, since: str, dry_run: bool, reason: str | None) -> None:
    """Undo what CONNECTION and its workers did since then, in one mutation. What others changed later stays."""
    run = run_of()
    told = run.ask("undo", connection_id=connection, since=since, dry_run=dry_run, reason=reason)
    if run.screen.json:
        run.screen.value(told)
        return
    count = len(told["undone"]) + len(told["undone_in_part"])
    if dry_run and told["rows"]:
        run.screen.line(f"{told['rows']} rows of {count} mutations of {told['name']} would change:")
        _changes(told["would_change"], told["rows"])
    elif told["rows"]:
        run.screen.line(f"Undone by mutation {told['mutation_seq']}: {told['rows']} rows of {count} mutations.")
    else:
        run.screen.line("There was nothing to undo.")
    for one in told["kept"]:
        because = f" (mutation {one['mutation_seq']})" if "mutation_seq" in one else ""
        run.screen.line(f"  stays: {one['table']} {one['row_id']}: {one['why']}{because}")
    if told["kept_total"] > len(told["kept"]):
        run.screen.note(f"and {told['kept_total'] - len(told['kept'])} more stay.")


def _changes(changes: list[dict[str, Any]], total: int) -> None:
    told = [
        {
            "table": one["table"], "row_id": one["row_id"], "op": one["op"],
            "before": None if one["op"] == "insert" else _side(one, "before"),
            "after": None if one["op"] == "delete" else _side(one, "after"),
        }
        for one in changes
    ]  # fmt: skip
    for line in previews.lines({"changes": told, "total": total}):
        run_of().screen.line(f"    {line}")


def _side(change: dict[str, Any], side: str) -> dict[str, Any]:
    return {key: each.get(side) for key, each in change["fields"].items()}
