"""Commands that make a backup and put one back."""

import sys
from pathlib import Path

import click

from sophia.cli import owner_asked
from sophia.cli.content import absolute
from sophia.cli.environment import settings_of
from sophia.cli.running import run_of, with_json
from sophia.core.errors import BadArguments

_ASKED = click.option("--passphrase", is_flag=True, help="Ask for a passphrase that opens the backup.")
_READ = click.option(
    "--passphrase-file", metavar="PATH", help="Read that passphrase from the first line of PATH, or of - (the input)."
)


@click.command()
@click.argument("file")
@_ASKED
@_READ
@with_json
def backup(file: str, passphrase: bool, passphrase_file: str | None) -> None:
    """Put all of it, encrypted, into FILE. Sophia may go on running meanwhile."""
    run = run_of()
    given = _first_line(passphrase_file) if passphrase_file else _chosen() if passphrase else None
    told = run.ask("backup", path=absolute(file), passphrase=given)
    if warning := told.get("warning"):
        run.screen.note(f"Warning: {warning}")
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.pairs({name: value for name, value in told.items() if name not in ("warning", "sha256")})


def _chosen() -> str:
    new = owner_asked.passphrase("Passphrase of the backup: ")
    if owner_asked.passphrase("Once more: ") != new:
        raise BadArguments("The two are not the same; no backup was made.")
    return new


def _first_line(path: str) -> str:
    try:
        text = sys.stdin.readline() if path == "-" else Path(path).expanduser().read_text("utf-8")
    except (OSError, ValueError):
        raise BadArguments("The file with the passphrase cannot be read.", argument="passphrase-file") from None
    return text.split("\n", 1)[0].rstrip("\r")


@click.command()
@click.argument("file")
@_ASKED
@_READ
@with_json
def restore(file: str, passphrase: bool, passphrase_file: str | None) -> None:
    """Put the backup FILE into the data directory, which has to be empty. Every connection in it is ended."""
    from sophia.owner.restoring import Restore, restore as restored  # noqa: PLC0415 - the whole house, for this alone
    from sophia.system_clock import SystemClock  # noqa: PLC0415 - the same

    run = run_of()
    given = _first_line(passphrase_file) if passphrase_file else None
    if passphrase and given is None:
        given = owner_asked.passphrase("Passphrase of the backup: ")
    ask = (lambda: owner_asked.passphrase("Passphrase of the backup: ")) if owner_asked.is_there() else None
    with run.screen.progress() as steps:

        def step(told: str, done: int, total: int | None) -> None:
            steps.step({"step": told, "done": done, "total": total})

        order = Restore(settings_of(), Path(absolute(file)), ask, given, SystemClock(), step)
        told = restored(order)
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.pairs(told)
        run.screen.line("Every connection was ended: connect your agents anew (sophia connect, or sophia mint).")
    if not told["ok"]:
        click.get_current_context().exit(1)
