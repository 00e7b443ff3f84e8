"""What a source holds, taken in: a piece at a time, each thing once, and nothing trusted above imported."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from sophia.capabilities.documents import intake, links
from sophia.capabilities.documents.intake import Place, Text
from sophia.capabilities.knowledge.trust import Tier
from sophia.capabilities.mining import recorded
from sophia.capabilities.mining.mined import Mined
from sophia.catalog.call import Reader, WriteCall
from sophia.core.errors import SophiaError
from sophia.core.secrets.masked import secrets
from sophia.core.secrets.masking import Masking
from sophia.importers.brought import Brought, Item, LeftOut
from sophia.importers.house import Intake
from sophia.importers.naming import Naming
from sophia.importers.outcome import Outcome
from sophia.importers.sitting import Sitting
from sophia.search.fts import Findable
from sophia.store.state import Unit

BATCH = 64
BATCH_CHARS = 1_000_000
"""A transaction of so many documents, or so much text, holds nobody up for long."""
SAMPLES = 5
SAMPLE_CHARS = 300
Told = Callable[[int], None]


class _DryRun(Exception):
    """Has everything rolled back."""


@dataclass
class Bringing:
    """Brings in the items of one source."""

    house: Intake
    sitting: Sitting
    outcome: Outcome
    collection: str
    dry_run: bool = False

    @cached_property
    def _naming(self) -> Naming:
        return Naming(self.outcome)

    def all(self, items: Iterable[Item], done: Told) -> None:
        """Take them in, in pieces."""
        waiting: list[Brought] = []
        size = count = 0
        for one in items:
            if isinstance(one, LeftOut):
                self.outcome.skip(one.location, one.reason)
                continue
            if waiting and (size + len(one.text) > BATCH_CHARS or len(waiting) == BATCH):
                self._piece(waiting, last=False)
                waiting, size = [], 0
            waiting.append(one)
            size += len(one.text)
            count += 1
            done(count)
        if waiting:
            self._piece(waiting, last=True)
        if not self.dry_run:
            self.sitting.end()

    def _piece(self, some: Sequence[Brought], *, last: bool) -> None:
        masking = self.house.secrets.masking()
        ready = [(clean, text) for one in some for clean, text in self._ready(one, masking)]
        with self.house.alone:
            try:
                with self.sitting.writing(last=last) as unit:
                    self._write(unit, ready, masking)
                    if self.dry_run:
                        raise _DryRun
            except _DryRun:
                pass
        self.outcome.masked += len(masking.hits)
        if not self.dry_run:
            self.house.secrets.keep(masking.hits, self.house.owner.connection_id, "sophia import")

    def _ready(self, one: Brought, masking: Masking) -> Iterator[tuple[Brought, Text]]:
        """The document as it will be kept, without secrets; none, with the reason told, of one that cannot be."""
        if secrets(one.location):
            self.outcome.skip(one.location, "secret_in_path")
            return
        try:
            yield _clean(one, masking), Text.of(one.title, one.text, one.mime, masking)
        except SophiaError as error:
            self.outcome.skip(one.location, error.code)

    def _write(self, unit: Unit, ready: Sequence[tuple[Brought, Text]], masking: Masking) -> None:
        house, unindexed = self.house, list[Findable]()
        roots = house.roots.within(house.owner.scope)
        call = WriteCall(unit.tx, house.owner, house.clock.now(), house.ids.new, roots, masking, house.clock)
        at = intake.held_at(unit.tx, [one.location for one, _ in ready])
        same = _same(unit.tx, self.collection, [text for _, text in ready])
        gone = intake.forgotten(unit.tx, [text.content_sha256 for _, text in ready], [text.text for _, text in ready])
        projects = self._naming.projects(call, {one.project for one, _ in ready if one.project})
        for one, text in ready:
            held = at.get(one.location)
            if held is not None and held["status"] == "archived":
                self.outcome.skip(one.location, "archived")
            elif not gone.isdisjoint((text.content_sha256, text.text)):
                self.outcome.skip(one.location, intake.FORGOTTEN)
            elif (held and held["content_sha256"] == text.content_sha256) or (not held and _key(text) in same):
                continue
            else:
                linked = (projects[one.project],) if one.project in projects else ()
                unindexed.append(self._keep(call, one, text, held["id"] if held else None, linked))
                same.add(_key(text))
        intake.settle(unit.tx, unindexed)

    def _keep(self, call: WriteCall, one: Brought, text: Text, held: str | None, linked: tuple[str, ...]) -> Findable:
        act = self.house.act()
        if held is None:
            indexing = intake.add(call.db, text, Place(one.origin, self.collection, one.location, linked), act)
        else:
            indexing = intake.replace(call.db, held, text, act)
        self.outcome.documents += 1
        if len(self.outcome.samples) < SAMPLES and self.dry_run:
            self.outcome.samples.append({"title": text.title, "text": text.text[:SAMPLE_CHARS]})
        links.tag(call.db, indexing.document_id, one.tags, act.new_id)
        self._say(call, one, text, indexing.document_id)
        return indexing

    def _say(self, call: WriteCall, one: Brought, text: Text, document_id: str) -> None:
        """Record what the document says, none of it trusted above imported; of an agent's own words nothing."""
        if not one.origin.grounds:
            return
        told = self._naming.things(call, one)
        if one.about in told:
            call.db.update("document", document_id, subject_id=told[one.about][0])
        kept = [placed for each in one.statements if (placed := _placed(each, text.text)) is not None]
        self.outcome.facts += recorded.record(call, document_id, kept, told, Tier.IMPORTED)
        if not one.read_whole:
            self.outcome.facts += recorded.mine(call, document_id, Tier.IMPORTED)


def _placed(one: Mined, text: str) -> Mined | None:
    """The statement where it stands in the text as it is kept; `None` where that does not say it any more."""
    if text.startswith(one.quote, one.start):
        return one
    start = text.find(one.quote)
    return None if start < 0 else replace(one, start=start)


def _clean(one: Brought, masking: Masking) -> Brought:
    """The document with what it says and is called by without secrets; things whose names hold one are left out."""
    told = {
        "said": [{"predicate": each.predicate, "object": each.object} for each in one.statements],
        "names": [thing.name for thing in one.things],
        "tags": list(one.tags),
        "aliases": list(one.aliases),
    }
    clean = masking.arguments(told)
    project = None if one.project is not None and secrets(one.project) else one.project
    if clean is told:
        return replace(one, project=project)
    things = tuple(thing for thing, name in zip(one.things, clean["names"], strict=True) if thing.name == name)
    said = zip(one.statements, clean["said"], strict=True)
    statements = tuple(replace(each, object=kept["object"]) for each, kept in said if each.subject in (*things, None))
    return replace(
        one, project=project, things=things, statements=statements, tags=tuple(clean["tags"]),
        aliases=tuple(clean["aliases"]),
    )  # fmt: skip


def _key(text: Text) -> tuple[str, str]:
    return text.content_sha256, text.title


def _same(db: Reader, collection: str, texts: Sequence[Text]) -> set[tuple[str, str]]:
    """Which of these texts a document of the collection holds already under its title, wherever its file was."""
    rows = db.rows(
        "SELECT DISTINCT d.content_sha256, d.title FROM document d WHERE d.collection = :collection"
        " AND d.content_sha256 IN (SELECT value FROM json_each(:digests))",
        collection=collection, digests=json.dumps([text.content_sha256 for text in texts]),
    )  # fmt: skip
    return {(row["content_sha256"], row["title"]) for row in rows}
