"""Commands over the supervisor's file: service show, service install."""

import click

from sophia.cli import units
from sophia.cli.environment import settings_of
from sophia.cli.running import run_of, with_json


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
@with_json
def service_install() -> None:
    """Write the unit file to where your supervisor looks for it."""
    run = run_of()
    path, then = units.install(settings_of())
    told = {"written": str(path), "then": then}
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.pairs(told)
