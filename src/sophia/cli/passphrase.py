"""Commands that put the data under another key."""

import click

from sophia.cli import owner_asked
from sophia.cli.running import run_of, with_json
from sophia.core.errors import BadArguments


@click.command()
@with_json
def passphrase() -> None:
    """Put the data under a passphrase: it is asked when Sophia starts, and before anything gives power."""
    run = run_of()
    with run.client() as client:
        status = client.ask("status")
        current = owner_asked.passphrase("Passphrase until now: ") if status["key_home"] == "passphrase" else None
        new = owner_asked.passphrase("New passphrase: ")
        if owner_asked.passphrase("Once more: ") != new:
            raise BadArguments("The two are not the same; nothing was changed.")
        told = client.ask("passphrase", new=new, current=current)
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.line("The data is under the passphrase now. Restart Sophia, and it asks for it.")
        run.screen.line("Backups made before open with the key of before, if at all: make a new one.")


@click.command()
@with_json
def rekey() -> None:
    """Put the data under a fresh key of the same kind. Sophia may go on running meanwhile."""
    run = run_of()
    with run.client() as client:
        status = client.ask("status")
        current = owner_asked.passphrase("Passphrase: ") if status["key_home"] == "passphrase" else None
        told = client.ask("rekey", current=current)
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.line(f"The data is under a fresh key now, in the {told['key_home']}.")
        run.screen.line(told["warning"])
