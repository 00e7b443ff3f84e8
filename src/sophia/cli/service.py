"""Commands over the supervisor's file: service show, service install, service uninstall."""

import shlex
from typing import Any

import click

from sophia.cli import units
from sophia.cli.environment import settings_of
from sophia.cli.running import Run, run_of, with_json


@click.group()
def service() -> None:
    """Have your system's supervisor run Sophia."""


@service.command(name="show")
@click.option(
    "--kind",
    type=click.Choice(["systemd", "launchd"]),
    default=units.kind,
    help="Which supervisor's; this system's by default.",
)
def service_show(kind: str) -> None:
    """Print the unit file."""
    click.echo(units.text(kind, settings_of()), nl=False)


@service.command(name="install")
@click.option("--print", "only_print", is_flag=True, help="Write nothing; print the file.")
@click.option("--no-start", is_flag=True, help="Write the file, and start nothing.")
@with_json
def service_install(only_print: bool, no_start: bool) -> None:
    """Write the unit file to where your supervisor looks for it, and have it start Sophia."""
    run, settings = run_of(), settings_of()
    if only_print:
        click.echo(units.text(units.kind(), settings), nl=False)
        return
    path = units.install(settings)
    acts = units.starting(path)
    started, said = (False, "") if no_start else units.supervised(*acts)
    then = None if started else " && ".join(map(shlex.join, acts))
    _told(run, {"written": str(path), "started": started, "said": said, "then": then})


@service.command(name="uninstall")
@with_json
def service_uninstall() -> None:
    """Have your supervisor stop Sophia, and take the unit file away. Your data stays where it is."""
    run = run_of()
    file = units.unit()
    stopped, said = units.supervised(*units.ending(file.path)) if units.own(file) else (False, "")
    path = units.uninstall()
    _told(run, {"removed": None if path is None else str(path), "stopped": stopped, "said": said})


def _told(run: Run, told: dict[str, Any]) -> None:
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.pairs({**told, "said": told["said"] or None})
