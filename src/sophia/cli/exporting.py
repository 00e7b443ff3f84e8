"""Commands that write all of it out in open formats, and take such an export in."""

import click

from sophia.cli.content import absolute
from sophia.cli.running import run_of, with_json


@click.command()
@click.argument("directory")
@with_json
def export(directory: str) -> None:
    """Write all of it, unencrypted, into DIRECTORY: JSON Lines by table, Markdown by document."""
    run = run_of()
    told = run.ask("export", path=absolute(directory))
    run.screen.note(f"Warning: {told['warning']}")
    if run.screen.json:
        run.screen.value(told)
    else:
        rows = sum(table["rows"] for table in told["tables"].values())
        run.screen.pairs({"path": told["path"], "documents": told["documents"], "rows": rows})


@click.command(name="import-export")
@click.argument("directory")
@with_json
def import_export(directory: str) -> None:
    """Take the export in DIRECTORY into a data directory that holds nothing yet."""
    run = run_of()
    told = run.ask("import-export", path=absolute(directory))
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.pairs({name: told[name] for name in ("path", "rows", "mutations")})
