"""The owner's command that puts an export back: into a state that holds nothing, with equal rows."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from sophia.capabilities.reverting.renewal import RENEWED, Index
from sophia.catalog.call import Writer
from sophia.core.errors import BadArguments, Conflict, SophiaError, Unsupported
from sophia.owner.exporting import MANIFEST, Export
from sophia.owner.office import OWNER, Office
from sophia.owner.presence import Confirmation
from sophia.store.snapshotted import snapshotted

AT_ONCE = 1_000
"""So many rows are written as one mutation."""
RENEWED_AT_ONCE = 200
"""So many things are made findable in one write."""
TOOL = "sophia import-export"


class ExportDamaged(SophiaError):
    """This is not a whole export of Sophia's; nothing was taken in."""

    code = "export_damaged"


class _Table(msgspec.Struct, frozen=True):
    rows: int
    sha256: str


class _Manifest(msgspec.Struct, frozen=True):
    format: int
    schema: int
    tables: dict[str, _Table]


def run(office: Office, asked: Export) -> dict[str, Any]:
    """What was taken in: `{path, rows, mutations, tables: {name: rows}}`."""
    folder, databases = Path(asked.path), office.parts.databases
    with snapshotted(office.ownership, office.keys) as found:
        known, version = set(found.tables), found.version
        if databases.state.head.seq or any(found.count(name) for name in known):
            raise Conflict("An export is put into a state that holds nothing; name another one with SOPHIA_DATA_DIR.")
    manifest = _checked(folder, known, version)
    order = list(_in_order(databases.state.tables(), manifest.tables))
    for done, name in enumerate(order):
        office.progress({"step": f"taking in {name}", "done": done, "total": len(order)})
        _take_in(office, name, _rows(folder, name))
    _make_findable(office)
    with databases.ops.writing() as tx:
        tx.log("export_taken_in", OWNER, asked.path, mutations=databases.state.head.seq)
    counts = {name: table.rows for name, table in manifest.tables.items()}
    return {
        "path": asked.path, "rows": sum(counts.values()), "mutations": databases.state.head.seq, "tables": counts,
    }  # fmt: skip


def confirmed(office: Office, asked: Export) -> Confirmation:
    """What putting an export back confirms."""
    return Confirmation(f"Take the export {asked.path} into {office.ownership.directory}.", "import-export")


def _checked(folder: Path, known: set[str], version: int) -> _Manifest:
    """The manifest, every file of which is what it says."""
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=_Manifest)
        if manifest.format != 1 or manifest.schema > version or not set(manifest.tables) <= known:
            raise Unsupported("This export was written by a newer Sophia; upgrade first.", argument="path")
        for name, table in manifest.tables.items():
            with _table(folder, name).open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != table.sha256:
                    raise ExportDamaged(f"The table {name} of this export is not what was exported.")
    except FileNotFoundError:
        raise BadArguments("There is no whole export at that path.", argument="path") from None
    except (OSError, ValueError):
        raise ExportDamaged from None
    return manifest


def _table(folder: Path, name: str) -> Path:
    return folder / "tables" / f"{name}.jsonl"


def _rows(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    with _table(folder, name).open("rb") as file:
        yield from map(msgspec.json.decode, file)


def _in_order(
    shapes: Mapping[str, Sequence[tuple[str, str, str | None]]], wanted: Mapping[str, object]
) -> Iterator[str]:
    """The tables, each behind those that its rows name."""
    left = {name: {referred for _, _, referred in shapes[name] if referred is not None} - {name} for name in wanted}
    while left:
        ready = sorted(name for name, needs in left.items() if needs.isdisjoint(left))
        for name in ready:
            del left[name]
        yield from ready


def _take_in(office: Office, name: str, rows: Iterator[dict[str, Any]]) -> None:
    house = office.parts.intake
    while some := list(islice(rows, AT_ONCE)):
        with house.databases.state.writing(house.owner, house.entry(TOOL)) as unit:
            unit.tx.restore(name, {row["id"]: row for row in some})


def _make_findable(office: Office) -> None:
    """Everything that is made from the rows, made of them."""
    house = office.parts.intake
    for index in dict.fromkeys(index for index, _ in RENEWED.values()):
        table = next(name for name, one in RENEWED.items() if one == (index, "id"))
        with house.databases.state.reading(house.owner) as db:
            ids = iter([row["id"] for row in db.rows(f"SELECT t.id FROM {table} t ORDER BY t.id")])  # noqa: S608
        while some := list(islice(ids, RENEWED_AT_ONCE)):
            with house.databases.state.writing(house.owner, house.entry(TOOL)) as unit:
                _make(unit.tx, index, some)
    office.parts.chores.wake()


def _make(db: Writer, index: Index, ids: Sequence[str]) -> None:
    for one in ids:
        index.clear(db, one)
    index.make(db, ids)
