"""Commands that have something forgotten, show what was, and allow it again."""

import json
from pathlib import Path
from typing import Any

import click

from sophia.cli.content import absolute
from sophia.cli.running import run_of, with_json
from sophia.core.errors import BadArguments
from sophia.store import durable


@click.command()
@click.argument("id")
@click.option("--yes", is_flag=True, help="Do it; without this, only show what would go.")
@click.option("--certificate", metavar="FILE", help="Write the certificate to FILE, too.")
@with_json
def forget(id: str, yes: bool, certificate: str | None) -> None:
    """Erase an entity or a document for good: facts, texts, indexes, and every image in the journal."""
    run = run_of()
    if not yes:
        told = run.ask("forget plan", id=id)
        if run.screen.json:
            run.screen.value(told)
        else:
            run.screen.pairs(_flat(told))
            run.screen.note("Nothing was forgotten: add --yes to do it. It cannot be taken back.")
        return
    target = _target(certificate) if certificate else None
    told = run.ask("forget", id=id)
    if target is not None:
        durable.write(target, json.dumps(told, indent=1, ensure_ascii=False).encode() + b"\n")
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.pairs(_flat(told))


def _target(certificate: str) -> Path:
    """Where the certificate goes: looked at before anything is forgotten."""
    path = Path(absolute(certificate))
    if path.exists() or not path.parent.is_dir():
        raise BadArguments("The certificate needs a new file in a folder that is there.", argument="certificate")
    return path


def _flat(told: dict[str, Any]) -> dict[str, Any]:
    rows = ", ".join(f"{many} {name}" for name, many in told["rows"].items())
    named = ", ".join(f"{one['table']} {one['id']}" for one in told["still_named_in"])
    return {**told, "rows": rows or "none", "still_named_in": named or "nothing"}


@click.group()
def forgotten() -> None:
    """What was forgotten, and what may be taken in again."""


@forgotten.command(name="list")
@with_json
def forgotten_list() -> None:
    """List the tombstones: that something was forgotten, and when."""
    run = run_of()
    found = run.ask("forgotten list")
    if run.screen.json:
        run.screen.value(found)
    else:
        columns = {
            "tombstone_id": "id", "at": "since", "noun": "what", "forgotten_id": "was", "rows": "rows",
            "refused": "refused values",
        }  # fmt: skip
        run.screen.table(found, columns, "Nothing was forgotten.")


@forgotten.command(name="allow")
@click.argument("id")
@with_json
def forgotten_allow(id: str) -> None:
    """Let what the tombstone ID stands for be taken in again. What is gone stays gone."""
    run = run_of()
    told = run.ask("forgotten allow", tombstone_id=id)
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.line(f"It may be taken in again: {told['tombstone_id']}")
