"""The commands that connect a client for good, and let it go again: connect, disconnect."""

import os
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import click

from sophia.cli.client import Client
from sophia.cli.clients import CLIENTS, ClientName, Target, project_of, target_of
from sophia.cli.config_file import ConfigFile
from sophia.cli.connections import scope_of
from sophia.cli.environment import home, settings_of
from sophia.cli.failed import Failed
from sophia.cli.hints import Hint, hints_of
from sophia.cli.kept import Given, Kept, records
from sophia.cli.running import Run, run_of, with_json
from sophia.cli.snippets import command
from sophia.core.errors import BadArguments, Conflict

TRIES = 3
"""How often a file is read anew because another program wrote to it in between."""


@dataclass(frozen=True)
class Wished:
    """What a new connection is minted with. One that is there keeps what it has."""

    profile: str
    scope: str


_NOTHING = Given("", "", "sophia_" + 43 * "A", "http://127.0.0.1/mcp", rotated=False)


@click.command()
@click.argument("client", type=click.Choice(CLIENTS))
@click.option("--project", type=click.Path(exists=True, file_okay=False), help="Only in this project, by itself.")
@click.option("--hints", is_flag=True, help="Have the project tell its agents to start with orient.")
@click.option("--print", "only_print", is_flag=True, help="Write nothing; print what there is to write.")
@click.option("--profile", default="assistant", show_default=True, help="observer, assistant or full, where it is new.")
@click.option("--scope", default="all", show_default=True, help="all, or entities between commas, where it is new.")
@with_json
def connect(client: str, project: str | None, hints: bool, only_print: bool, profile: str, scope: str) -> None:
    """Give CLIENT a connection of its own, and write it down where CLIENT looks for it.

    There is one for each client and project. Once more, and the same connection gets a new bearer.
    """
    run, settings = run_of(), settings_of()
    if hints and project is None:
        raise click.UsageError("--hints are written to a project: name it with --project.")
    target = _target(client, project)
    edits = _edits(target, hints_of(target.client, target.project) if hints and target.project else [])
    if only_print:
        edits = []
    kept = Kept.of(settings.key_dir, target)
    kept.make_room()
    for edit in edits:  # what can be refused is refused before there is a new bearer
        edit.file.require_room()
        edit.changed(edit.file.text(), _NOTHING)
    with run.client() as asking:
        given = _given(asking, kept, target, Wished(profile, scope))
        try:
            for edit in edits:
                edit.write(given)
            env = kept.keep(given, target, written=bool(edits))
        except BaseException:
            if not given.rotated:
                asking.ask("revoke", connection_id=given.connection_id, reason="it could not be written down")
            raise
        asking.ask("delivered", connection_id=given.connection_id)
    _show(run, target, given, [edit.file.path for edit in edits], env)


@click.command()
@click.argument("client", type=click.Choice(CLIENTS))
@click.option("--project", type=click.Path(file_okay=False), help="That of this project.")
@with_json
def disconnect(client: str, project: str | None) -> None:
    """End the connection that CLIENT was given. Its files are yours: what to take out of them is printed."""
    run, settings = run_of(), settings_of()
    target = _target(client, project)
    kept = Kept.of(settings.key_dir, target)
    with run.client() as asking:
        one = _live(asking, kept, target)
        if one is None:
            raise Failed({"code": "not_found", "message": f"{target.name!r} is not connected."})
        told = asking.ask("revoke", connection_id=one["connection_id"], reason="disconnected")
    kept.forget()
    then = f"Take the server `sophia` out of {target.file.path}." if target.file else "Take it out of where you put it."
    if run.screen.json:
        run.screen.value({**told, "name": one["name"], "then": then})
    else:
        run.screen.line(f"Revoked: {one['name']} ({one['connection_short']}).")
        run.screen.line(then)


def _target(client: str, project: str | None) -> Target:
    root = None if project is None else project_of(Path(project))
    return target_of(cast(ClientName, client), root, home(), os.environ)


@dataclass(frozen=True)
class Edit:
    """A file, and what it becomes with what was given."""

    file: ConfigFile
    changed: Callable[[str, Given], str]
    private: bool

    def write(self, given: Given) -> None:
        """Write it, from what it holds now: clients write to their files at any time."""
        for left in reversed(range(TRIES)):
            text = self.changed(self.file.text(), given)
            try:
                self.file.write(text, private=self.private)
            except Conflict:
                if not left:
                    raise
            else:
                return


def _edits(target: Target, hints: list[Hint]) -> list[Edit]:
    def with_server(text: str, given: Given) -> str:
        return target.merged(text, given.url, given.bearer)

    own = [] if target.file is None else [Edit(target.file, with_server, target.holds_bearer)]
    return own + [Edit(hint.file, hint.with_given, private=False) for hint in hints]


def _given(asking: Client, kept: Kept, target: Target, wished: Wished) -> Given:
    one = _live(asking, kept, target)
    if one is not None:
        told = asking.ask("rotate", connection_id=one["connection_id"])
        return Given(told["connection_id"], one["name"], told["bearer_token"], told["mcp_url"], rotated=True)
    told = asking.ask(
        "mint", name=target.name, profile=wished.profile, write_approval_mode="per_call",
        entity_scope=scope_of(wished.scope), can_delegate=False, can_post=False, ttl_minutes=None, surface="core",
        name_style="underscore", siblings_may_review=False,
    )  # fmt: skip
    return Given(told["connection_id"], told["name"], told["bearer_token"], told["mcp_url"], rotated=False)


def _live(asking: Client, kept: Kept, target: Target) -> dict[str, Any] | None:
    """The connection that this client has; `None` where it has none. A name that another project has is another's."""
    live = [one for one in asking.ask("connections") if one["parent_id"] is None]
    known = kept.connection_id()
    if known is not None:
        return next((one for one in live if one["connection_id"] == known), None)
    others = {Kept(file, file).connection_id() for file in records(kept.record.base)}
    same = [one for one in live if one["name"] == target.name and one["connection_id"] not in others]
    if len(same) > 1:
        told = [{key: one[key] for key in ("connection_id", "created_at", "last_seen")} for one in same]
        raise BadArguments(
            f"{len(same)} connections are called {target.name!r}; revoke all but one of them.", candidates=told
        )
    return same[0] if same else None


def _show(run: Run, target: Target, given: Given, written: list[Path], env: Path | None) -> None:
    told: dict[str, Any] = {
        "client": target.client,
        "project": None if target.project is None else str(target.project),
        "connection_id": given.connection_id,
        "name": given.name,
        "rotated": given.rotated,
        "mcp_url": given.url,
        "written": [str(path) for path in written],
        "variable": None if target.holds_bearer else target.variable,
        "env_file": None if env is None else str(env),
    }
    printed = not written
    if printed:
        told["where"] = None if target.file is None else str(target.file.path)
        told |= {"config": target.merged("", given.url, given.bearer), "bearer_token": given.bearer}
    if run.screen.json:
        run.screen.value(told)
        return
    screen = run.screen
    screen.line(f"{'A new bearer for' if given.rotated else 'Connected:'} {given.name} ({given.connection_id[:8]}).")
    for path in written:
        screen.line(f"Written: {path}")
    if printed:
        if target.file is not None:
            screen.line(f"For {target.file.path}:")
        click.echo(told["config"], nl=False)
        if not target.holds_bearer:
            click.echo(f"export {target.variable}={shlex.quote(given.bearer)}")
        screen.note("The bearer is shown this once. Keep it where only this agent reads it.")
    if env is not None:
        screen.line(f"The bearer is in {env}. Start {target.client} from a shell that has read it:")
        screen.line(f"  . {shlex.quote(str(env))}")
        if target.client == "codex":
            screen.line(f"or, with a connection for each window: {command()} run codex")
    screen.line(f"What it writes waits for you: {command()} approvals --watch")
