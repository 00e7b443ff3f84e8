"""A data directory as an earlier release left it: made by its migrations alone, with a row in each of its tables."""

import itertools
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from sophia.store import journal, migrate
from sophia.store.databases import prepare
from sophia.store.journal import Entry, Journal
from sophia.store.rules import RULES
from tests.support.beneath import bare, owned

NUMBERS = {name: [number for number, _ in migrate.migrations(name)] for name in ("state", "ops")}
RELEASES = sorted({*itertools.chain.from_iterable(NUMBERS.values())})
"""Each number at which a release could have been made."""
DIGESTED = 13
"""Since this number the chain runs over the digests of reasons; before, over the reasons themselves."""
CHOICE = re.compile(r"^\s*(\w+) [A-Z]+[^,\n]*?CHECK \(\1 IN \(('?)(\w+)", re.MULTILINE)


OPS_OWN = ("owner_epoch", "security_event", "access_log_state", "entity_access_count")
"""Tables of the ops database that fill themselves, or hold one row."""


@contextmanager
def known(number: int) -> Iterator[None]:
    """Only the migrations up to this number are there."""
    real = migrate.migrations
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(migrate, "migrations", lambda name: [one for one in real(name) if one[0] <= number])
        yield


def left_by(place: Path, number: int) -> dict[str, int]:
    """A data directory of the schema of this number; how many rows each journaled table of it holds."""
    with known(number), owned(place) as (ownership, keys):
        for name, key in (("state", keys.state), ("ops", keys.ops)):
            prepare(ownership, ownership.directory / f"{name}.db", key, name)
        with bare(ownership, keys, "ops") as ops:
            ops.execute("UPDATE owner_epoch SET epoch = 1")
            filled(ops, [name for name in tables(ops) if name not in OPS_OWN])
        with bare(ownership, keys) as db:
            journaled = [name for name in tables(db) if name in RULES and RULES[name].journaled]
            kept = Journal(db, keys.seal)
            db.execute("UPDATE owner_epoch SET epoch = 1")
            db.execute("INSERT INTO party VALUES ('id-1', 1, 0)")
            for _ in range(2):
                db.execute("BEGIN IMMEDIATE")
                kept.open()
                filled(db, journaled)
                written = kept.keep if number >= DIGESTED else lambda entry: kept_plainly(db, kept, entry)
                written(Entry("u-owner", "c", "owner", "tool", "call", 1, "a reason"))
                kept.close()
                db.execute("COMMIT")
            return counted(db, journaled)


def kept_plainly(db: apsw.Connection, kept: Journal, entry: Entry) -> None:
    """The open mutation's entry as it was written before reasons had digests."""
    before = kept.head()
    seq = before.seq + 1
    digests = [str(row[0]) for row in db.execute("SELECT digest FROM mutation_change WHERE mutation_seq = ?", (seq,))]
    link = journal.chained(before.hash, seq, entry, entry.reason, digests)
    db.execute(
        "INSERT INTO mutation (seq, user_id, at, connection_id, actor_name, tool, call_id, reason, rows, hash)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (seq, entry.user_id, entry.at, entry.connection_id, entry.actor_name, entry.tool, entry.call_id, entry.reason,
         len(digests), link),
    )  # fmt: skip
    db.execute("UPDATE journal_head SET seq = ?, hash = ? WHERE id = 1", (seq, link))


def counted(db: apsw.Connection, names: list[str]) -> dict[str, int]:
    return {name: int(db.execute(f"SELECT count(*) FROM main.{name}").get or 0) for name in names}


def tables(db: apsw.Connection) -> list[str]:
    """The ordinary tables, those that others refer to first."""
    found = db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%STRICT%'").fetchall()
    names = {str(name) for (name,) in found}
    refers = {
        name: {str(row[2]) for row in db.execute(f"PRAGMA foreign_key_list({name})")} & names - {name} for name in names
    }
    ordered: list[str] = []
    while refers:
        ready = sorted(name for name, needs in refers.items() if needs <= set(ordered))
        assert ready, f"tables in a circle: {refers}"
        ordered += ready
        for name in ready:
            del refers[name]
    return ordered


def filled(db: apsw.Connection, names: list[str]) -> None:
    """One more row in each of these, of what fits in its columns."""
    for name in names:
        n = int(db.execute(f"SELECT count(*) FROM main.{name}").get or 0) + 1
        values = fitting(db, name, n)
        if None in values.values():
            continue  # it names two rows of a table that has one so far
        marks = ", ".join("?" * len(values))
        db.execute(f"INSERT INTO main.{name} ({', '.join(values)}) VALUES ({marks})", tuple(values.values()))


def fitting(db: apsw.Connection, name: str, n: int) -> Mapping[str, Any]:
    """Values for the columns that a row must have: of the right type, from the choices there are, naming row `n`."""
    sql = str(db.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (name,)).get)
    choices = {column: word if quote else int(word) for column, quote, word in CHOICE.findall(sql)}
    refers = {str(row[3]): str(row[2]) for row in db.execute(f"PRAGMA foreign_key_list({name})")}
    values: dict[str, Any] = {}
    for _, column, kind, required, default, key in db.execute(f"PRAGMA table_info({name})").fetchall():
        if not (required or key) or default is not None:
            continue
        if column in refers:
            # A second column that refers to the same table names the next row of it.
            further = sum(refers.get(other) == refers[column] for other in values)
            values[str(column)] = db.execute(
                f"SELECT id FROM main.{refers[str(column)]} LIMIT 1 OFFSET ?", (n - 1 + further,)
            ).get
        elif column in choices:
            values[str(column)] = choices[str(column)]
        elif column == "user_id":
            values["user_id"] = "u-owner"
        elif column in ("entity_scope", "attributes", "arguments", "preview"):
            values[str(column)] = "{}"
        else:
            values[str(column)] = f"{column}-{n}" if kind == "TEXT" else n
    if "write_approval_mode" in values:
        values["write_approval_mode"] = "per_call"
    return values
