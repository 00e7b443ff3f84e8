"""How every command runs: with settings, a screen and a client, and with an exit code that scripts can use."""

import json
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import click

from sophia.cli import client
from sophia.cli.client import Client, Silent
from sophia.cli.environment import settings_of
from sophia.cli.failed import Failed
from sophia.cli.plain import plain
from sophia.cli.screen import Screen
from sophia.core import refusals
from sophia.core.errors import SophiaError
from sophia.core.refusals import Refusal

_ENDED = {"code": "unavailable", "message": "The daemon ended before it answered; try again."}
F = TypeVar("F", bound=Callable[..., Any])


@dataclass
class Run:
    """One run of the command line."""

    screen: Screen = field(default_factory=Screen)

    @contextmanager
    def client(self) -> Generator[Client]:
        """Whoever answers the owner's commands."""
        settings = settings_of()
        with self.screen.progress() as steps:
            try:
                with client.line_of(settings) as line:
                    yield Client(line, steps.step, steps.pause)
            except Silent:
                client.owner_refusal(settings)
                raise Failed(_ENDED) from None

    def ask(self, command: str, /, **arguments: Any) -> Any:
        """The answer to the one command of this run."""
        with self.client() as client:
            return client.ask(command, **arguments)


def run_of() -> Run:
    """The run that is going on."""
    return cast(Run, click.get_current_context().find_object(Run))


def with_json(command: F) -> F:
    """The command with its `--json`."""

    def chosen(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
        if value:
            context.ensure_object(Run)
            cast(Run, context.find_object(Run)).screen.json = True

    option = click.option(
        "--json", is_flag=True, expose_value=False, is_eager=True, callback=chosen, help="Answer in JSON."
    )
    return option(command)


class Sophia(click.Group):
    """The group whose commands end with 0, 1 for a structured error, 2 for wrong usage, 80 to 89 for a refusal."""

    def invoke(self, context: click.Context) -> Any:
        """The command's answer, or the exit that its error means."""
        run = context.ensure_object(Run)
        try:
            return super().invoke(context)
        except Refusal as refusal:
            _refused(run.screen, refusal)
            context.exit(refusal.exit_code)
        except Failed as failed:
            _told(run.screen, failed.error)
            context.exit(1)
        except SophiaError as error:
            _told(run.screen, {name: told for name, told in error.wire("").items() if name != "error_id"})
            context.exit(1)


def _refused(screen: Screen, refusal: Refusal) -> None:
    """The refusal in words for whoever sits at a terminal; else, as ever, in one line of JSON."""
    if screen.json or not sys.stderr.isatty():
        sys.stderr.write(refusals.line(refusal) + "\n")
    else:
        screen.note(f"{refusal.name}: {refusal.message}")
        screen.note(f"  {refusal.mend}")


def _told(screen: Screen, error: dict[str, Any]) -> None:
    if screen.json:
        click.echo(json.dumps({"error": error}))
        return
    click.echo(plain(f"{error.get('code', 'internal')}: {error.get('message', '')}"), err=True)
    if hint := error.get("hint"):
        click.echo(plain(f"  {hint}"), err=True)
    for one in error.get("candidates") or []:
        click.echo(plain(f"  {', '.join(str(value) for value in one.values())}"), err=True)
    if valid := error.get("valid"):
        click.echo(plain(f"  valid: {', '.join(str(one) for one in valid)}"), err=True)
