"""`sophia import`: the owner's folders and files, taken in as one mutation."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from sophia.capabilities.documents import files, folders, intake, links
from sophia.capabilities.documents.files import FileRead, Unread
from sophia.capabilities.documents.intake import Act, Indexing, Place, Text
from sophia.capabilities.documents.roots import GrantedRoots, real_path
from sophia.capabilities.entities import records as entities
from sophia.core.caller import Owner
from sophia.core.clock import Clock
from sophia.core.errors import SophiaError
from sophia.core.ids import Ids
from sophia.core.source_text import Origin
from sophia.extraction import kinds
from sophia.extraction.extracted import Unextracted
from sophia.store.databases import Databases
from sophia.store.journal import Entry
from sophia.store.tx import Tx

MAX_TEXT = 100_000_000
"""The most bytes that one import takes in; the next run goes on where it ended."""
LEFT_OUT = ("node_modules", "__pycache__")
"""Folders that hold copies of what others wrote. What is hidden is left out anyway."""
Progress = Callable[[str, int, int], None]
"""Told the stage, `reading` or `writing`, how many files are done, and of how many."""


class House(Protocol):
    """What an import needs of the house."""

    @property
    def databases(self) -> Databases: ...
    @property
    def roots(self) -> GrantedRoots: ...
    @property
    def owner(self) -> Owner: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def ids(self) -> Ids: ...


@dataclass(frozen=True, slots=True)
class Source:
    """One path that the owner named: a folder with the files that it holds, or a file by itself."""

    root: Path
    is_folder: bool
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A file whose document is to be made or changed: its text, `None` where only the link to the folder is new."""

    location: str
    folder: Path | None
    text: Text | None


@dataclass(frozen=True, slots=True)
class Held:
    """What is held of a file that was imported before."""

    content_sha256: str
    linked: bool


@dataclass
class Outcome:
    """What an import came to."""

    import_session_id: str
    mutation_seq: int | None = None
    documents: int = 0
    entities: int = 0
    facts: int = 0
    skipped: list[dict[str, str]] = field(default_factory=list)

    def skip(self, path: str, reason: str) -> None:
        """Say of a file why it was left out."""
        self.skipped.append({"path": path, "reason": reason})

    def told(self) -> dict[str, Any]:
        """The outcome as scripts read it."""
        return dict(vars(self))


def import_paths(house: House, paths: Sequence[str], progress: Progress) -> dict[str, Any]:
    """Take the files of these folders, and these files, in as documents; what was made of them.

    Each folder becomes an entity that its documents are linked to, and is granted to agents. A file that was imported
    before changes its document where its bytes changed, and nothing where they did not. One that cannot be read is
    named in `skipped`. `BadArguments` for a path at which there is nothing.
    """
    outcome = Outcome(house.ids.new("imp"))
    sources = [_source(house, path, outcome) for path in dict.fromkeys(paths)]
    found = list(_changed(house, sources, outcome, progress))
    folders_named = [source.root for source in sources if source.is_folder]
    if found or folders_named:
        _write(house, found, folders_named, outcome, progress)
    for folder in folders_named:
        house.roots.grants.grant(str(folder), house.owner.connection_id)
    return outcome.told()


def _source(house: House, path: str, outcome: Outcome) -> Source:
    real = real_path(path)
    if real.is_file():
        return Source(real.parent, False, (real.name,))
    root = house.roots.folder(path)
    with files.opened_folder(str(root), [root], house.roots.protected) as folder:
        names: list[str] = []
        try:
            names.extend(folders.walk(folder, house.roots.protected, exclude=LEFT_OUT))
        except SophiaError as error:
            outcome.skip(str(root), error.code)
    return Source(root, True, tuple(names))


def _changed(house: House, sources: Sequence[Source], outcome: Outcome, progress: Progress) -> Iterator[Found]:
    """The files that are not held as they are now, each once, read and made ready."""
    total = sum(len(source.files) for source in sources)
    done = taken = 0
    seen: set[str] = set()
    for source in sources:
        held = _held(house, source.root)
        for name in source.files:
            done += 1
            location = str(source.root / name)
            if location in seen:
                continue
            seen.add(location)
            progress("reading", done, total)
            folder = source.root if source.is_folder else None
            known = held.get(location)
            text = _text(house, source, location, known, outcome)
            if text is not None and taken + text.size > MAX_TEXT:
                outcome.skip(location, "limit_reached")
            elif text is not None:
                taken += text.size
                yield Found(location, folder, text)
            elif folder and known and not known.linked:
                yield Found(location, folder, None)


def _held(house: House, root: Path) -> dict[str, Held]:
    """What was imported from below this folder before, by location."""
    with house.databases.state.reading(house.owner) as db:
        rows = db.rows(
            "SELECT d.location, d.content_sha256, EXISTS (SELECT 1 FROM document_entity l WHERE l.document_id = d.id)"
            " AS linked FROM document d WHERE d.location >= :first AND d.location < :beyond AND d.origin = 'import'",
            first=f"{root}/", beyond=f"{root}0",
        )  # fmt: skip
    return {row["location"]: Held(row["content_sha256"], bool(row["linked"])) for row in rows}


def _text(house: House, source: Source, location: str, known: Held | None, outcome: Outcome) -> Text | None:
    """What the file holds; `None` where that is held already, and where it cannot be had, which `outcome` then says."""
    try:
        read = files.read(location, [source.root], house.roots.protected)
        if isinstance(read, Unread):
            outcome.skip(location, read.reason)
            return None
        if known and known.content_sha256 == hashlib.sha256(read.data).hexdigest():
            return None
        return _extracted(read, location, outcome)
    except SophiaError as error:
        outcome.skip(location, error.code)
        return None


def _extracted(read: FileRead, location: str, outcome: Outcome) -> Text | None:
    found = kinds.extracted(read.data, read.name)
    if isinstance(found, Unextracted):
        outcome.skip(location, found.reason)
        return None
    return Text.of(found.title, found.text, found.mime, read.data)


def _write(house: House, found: Sequence[Found], named: Sequence[Path], outcome: Outcome, progress: Progress) -> None:
    owner, now = house.owner, house.clock.now()
    entry = Entry(
        owner.user_id, owner.connection_id, owner.name, "sophia import", house.ids.new("call"), now,
        import_session_id=outcome.import_session_id,
    )  # fmt: skip
    act = Act(owner.user_id, owner.connection_id, now, house.ids.new)
    with house.databases.state.writing(owner, entry) as unit:
        entities = {folder: _folder_entity(unit.tx, folder, act, outcome) for folder in named}
        unindexed: list[Indexing] = []
        for done, one in enumerate(found, 1):
            linked = (entities[one.folder],) if one.folder else ()
            unindexed += _take(unit.tx, one, linked, act, outcome)
            progress("writing", done, 2 * len(found))
        for done, indexing in enumerate(unindexed, 1):
            indexing.settle(unit.tx)
            progress("writing", len(found) + done, 2 * len(found))
        if outcome.documents or outcome.entities:
            outcome.mutation_seq = unit.seq


def _take(tx: Tx, one: Found, linked: tuple[str, ...], act: Act, outcome: Outcome) -> list[Indexing]:
    """Add the file's document, or bring it up to date. An archived one is left as it is."""
    held = tx.row(
        "SELECT d.id, d.status FROM document d WHERE d.location = :location AND d.origin = 'import'",
        location=one.location,
    )
    if held is not None and held["status"] == "archived":
        outcome.skip(one.location, "archived")
        return []
    outcome.documents += 1
    if held is None:
        return (
            []
            if one.text is None
            else [intake.add(tx, one.text, Place(Origin.IMPORT, None, one.location, linked), act)]
        )
    if not links.entities_of(tx, held["id"]):
        links.link(tx, held["id"], linked, act.new_id)
    return [
        intake.renewed(tx, held["id"], act.user_id)
        if one.text is None
        else intake.replace(tx, held["id"], one.text, act)
    ]


def _folder_entity(tx: Tx, folder: Path, act: Act, outcome: Outcome) -> str:
    """The entity that stands for the folder, made where there is none yet."""
    there = tx.value(
        "SELECT e.id FROM entity e WHERE e.kind = 'folder' AND json_extract(e.attributes, '$.location') = :location",
        location=str(folder),
    )
    if there is not None:
        return str(there)
    entity_id = act.new_id("e")
    name = folder.name or str(folder)
    attributes = json.dumps({"location": str(folder)})
    entities.insert(tx, entity_id, act.now, kind="folder", name=name, attributes=attributes)
    outcome.entities += 1
    return entity_id
