"""Sophia herself, on a directory of her own that holds the ground, with a surface of 180 tools."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from benchmarks.ground import COLUMNS, ENTITIES, entity_id, facts
from benchmarks.surface import padded
from sophia.access.connections import Terms
from sophia.catalog import listing
from sophia.core.access import Mode, NameStyle, Profile, SurfaceSize
from sophia.core.scope import EVERYTHING, Scope
from sophia.daemon import serve
from sophia.dispatch.parts import Parts
from sophia.opening import Opened, opened
from sophia.settings import Settings
from sophia.store.engine import connect
from sophia.store.journal import Entry

SCOPED_TO = 20
"""How many entities the listed scope has; the reads go to these."""


def settings(place: Path) -> Settings:
    """The settings of a house in this folder, on any free port."""
    given = {"SOPHIA_DATA_DIR": str(place / "data"), "SOPHIA_KEY_DIR": str(place / "keys"), "SOPHIA_KEYRING": "off"}
    return Settings.from_environ({**given, "SOPHIA_PORT": "0"}, None)


def filled(house: Opened) -> None:
    """Put the ground into the state, in one mutation."""
    parts = house.parts
    owner, now = parts.owner, parts.clock.now()
    entry = Entry(owner.user_id, owner.connection_id, owner.name, "sophia.bench", "call-bench", now)
    with parts.databases.state.writing(owner, entry) as unit:
        for n in range(ENTITIES):
            name = f"Entity {n}"
            unit.tx.insert(
                "entity", id=entity_id(n), kind="thing", name=name, name_key=name.casefold(), created_at=now,
                updated_at=now,
            )  # fmt: skip
        for row in facts():
            told: dict[str, Any] = dict(zip(COLUMNS, row, strict=True))
            unit.tx.insert(
                "fact", **told, object_key=told["object"], value_type="text", observer_connection_id="owner",
                observer_name="owner", trust_rank=3, source_kind="word",
            )  # fmt: skip


@contextmanager
def without_journal(house: Opened) -> Iterator[apsw.Connection]:
    """A connection below the gate, and this house without its journal, for the block."""
    db = connect(house.ownership, house.ownership.directory / "state.db", house.keys.state)
    found: list[Any] = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    triggers = {name: sql for name, sql in found if name.startswith("journal_")}
    try:
        for name in triggers:
            db.execute(f"DROP TRIGGER {name}")
        yield db
    finally:
        for sql in triggers.values():
            db.execute(sql)
        db.close()


def minted(parts: Parts, scope: Scope) -> str:
    """The bearer of a new connection."""
    terms = Terms("bench", Profile.FULL, scope, Mode.PRE_APPROVED, False, True, SurfaceSize.FULL, NameStyle.DOTTED)
    return parts.mint.mint(terms, "owner").bearer_token


def prepare(place: Path) -> None:
    """Make the house, and write down what it lists and its bearers."""
    house = opened(settings(place), groups=padded())
    try:
        filled(house)
        catalog = house.parts.catalog
        (place / "tools.json").write_bytes(listing.encoded(catalog, catalog.tools, NameStyle.DOTTED))
        listed = Scope(frozenset(entity_id(n) for n in range(SCOPED_TO)))
        bearers = {"all": minted(house.parts, EVERYTHING), "listed": minted(house.parts, listed)}
        (place / "bearers.json").write_text(json.dumps(bearers))
    finally:
        house.close()


def told(ready: dict[str, Any]) -> None:
    """One line when the daemon is ready."""
    port = int(ready["url"].rpartition(":")[2])
    print(json.dumps({"port": port, "pid": ready["pid"]}), flush=True)


if __name__ == "__main__":
    act, folder = sys.argv[1:]
    match act:
        case "prepare":
            prepare(Path(folder))
        case "serve":
            sys.exit(serve(settings(Path(folder)), ready=told, groups=padded()))
        case _:
            sys.exit(serve(settings(Path(folder)), ready=told))
