"""Files that were read become documents, change them, or take them away: many of them in one transaction."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sophia.capabilities.documents import intake, links, waiting
from sophia.capabilities.documents.intake import Act, New, Place
from sophia.capabilities.documents.registered import Registered
from sophia.capabilities.documents.waiting import File
from sophia.catalog.call import Writer
from sophia.core.source_text import Origin
from sophia.importers.reading import Ready
from sophia.search.fts import Findable


@dataclass
class Kept:
    """What a transaction did: how many documents were added, changed, moved, restored and archived, and what failed."""

    did: Counter[str] = field(default_factory=Counter)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    """Locations, each with the reason."""

    @property
    def documents(self) -> int:
        """How many documents have a text, or a place, that they had not."""
        return sum(self.did[what] for what in ("added", "changed", "moved", "restored"))


@dataclass
class Keeper:
    """Keeps what was read, in one transaction."""

    db: Writer
    act: Act
    folders: Sequence[Registered]
    kept: Kept = field(default_factory=Kept)
    _fresh: list[New] = field(default_factory=list)
    _notes: dict[str, dict[str, Any]] = field(default_factory=dict)
    _unindexed: list[Findable] = field(default_factory=list)
    _documents: dict[str, dict[str, Any]] = field(default_factory=dict)
    _by_id: dict[str, dict[str, Any]] = field(default_factory=dict)
    _lost: dict[str, list[File]] = field(default_factory=dict)
    _forgotten: set[str] = field(default_factory=set)

    def begin(self, ready: Sequence[Ready]) -> None:
        """Look up at once what these files may already be."""
        locations = dict.fromkeys(one.find.location for one in ready)
        ids = [one.find.held.document_id for one in ready if one.find.held and one.find.held.document_id]
        digests = [digest for one in ready if one.bytes for digest in one.bytes.digests]
        self._lost = {
            digest: [file for file in files if file.id not in locations]  # one that is read here is back
            for digest, files in waiting.lost(self.db, digests).items()
        }
        self._forgotten = intake.forgotten(self.db, digests, [one.text.text for one in ready if one.text])
        ids += [file.document_id for files in self._lost.values() for file in files if file.document_id]
        self._by_id = intake.held_by_id(self.db, ids)
        self._documents = intake.held_at(self.db, list(locations))

    def keep(self, one: Ready) -> None:
        """Bring the file's document to what was read, and note how far it has come."""
        held = one.find.held
        document = self._document(one)
        notes: dict[str, Any] = {"state": "kept", "reason": None, "tries": 0, "due_at": 0}
        if one.signature:
            notes["signature"] = one.signature
        if one.bytes:
            notes["content_sha256"] = one.bytes.content_sha256
        if document is not None and document["status"] == "archived" and document["gone_at"] is None:
            self.kept.left_out.append((one.find.location, "archived"))
            notes["reason"] = "archived"
        elif self._is_forgotten(one):
            self.kept.left_out.append((one.find.location, intake.FORGOTTEN))
            notes |= waiting.failure(held, intake.FORGOTTEN, self.act.now)
        elif one.reason is not None:
            self.kept.left_out.append((one.find.location, one.reason))
            notes |= waiting.failure(held, one.reason, self.act.now)
            if one.bytes is not None and document is None:
                notes["document_id"] = self._scan(one)
            elif document is not None and one.reason != "vanished":
                self._change(one, document)
        elif document is None and one.text is None:
            notes |= {"state": "scanned", "document_id": self._scan(one)}
        elif document is None:
            notes["document_id"] = self._add(one)
        else:
            notes |= self._renew(one, document)
        if one.folder_id is not None:
            document_id = notes.pop("document_id", document["id"] if document else None)
            told = {"folder_id": one.folder_id, "path": one.find.path, "document_id": document_id}
            self._notes[one.find.location] = told | notes

    def _is_forgotten(self, one: Ready) -> bool:
        offered = {*(one.bytes.digests if one.bytes else ()), *((one.text.text,) if one.text else ())}
        return not offered.isdisjoint(self._forgotten)

    def archive(self, file: File) -> None:
        """Take the document of a file that is not there out of lists and searches; it comes back with the file."""
        document = intake.held_by_id(self.db, [file.document_id or ""]).get(file.document_id or "")
        if document is None or document["status"] == "archived" or document["location"] != file.id:
            waiting.forget(self.db, file.id)
            return
        self.db.update("document", document["id"], status="archived", gone_at=self.act.now, updated_at=self.act.now)
        self._unindexed.append(intake.renewed(self.db, document["id"], self.act.user_id))
        self._notes[file.id] = {"folder_id": file.folder_id, "path": file.path, "state": "gone", "reason": None}
        self.kept.did["archived"] += 1

    def settle(self) -> None:
        """Write what is written of many files at once, and make it all findable, at the very end."""
        added = intake.add_all(self.db, self._fresh, self.act)
        waiting.put_all(self.db, self._notes)
        intake.settle(self.db, [*self._unindexed, *added])
        self._fresh.clear()
        self._notes.clear()
        self._unindexed.clear()

    def _document(self, one: Ready) -> dict[str, Any] | None:
        """The document that this file is: known for it, of its location, or moved here from where it is no more."""
        held = one.find.held
        known = self._by_id.get(held.document_id) if held and held.document_id else None
        found = known or self._documents.get(one.find.location)
        if found is not None or one.bytes is None:
            return found
        candidates = next((self._lost[digest] for digest in one.bytes.digests if self._lost.get(digest)), None)
        if not candidates:
            return None
        name = one.find.path.rpartition("/")[2]
        inode = (one.signature or "").partition(":")[0]
        best = min(candidates, key=lambda file: (
            (file.signature or "").partition(":")[0] != inode, file.path.rpartition("/")[2] != name,
        ))  # fmt: skip
        document = self._by_id.get(best.document_id or "")
        if document is None or (document["status"] == "archived" and document["gone_at"] is None):
            return None
        candidates.remove(best)
        waiting.forget(self.db, best.id)
        return document

    def _scan(self, one: Ready) -> str:
        assert one.bytes is not None  # noqa: S101 - what has no bytes never comes here
        self.kept.did["scanned"] += 1
        return intake.scan(self.db, one.bytes, self._place(one), self.act)

    def _add(self, one: Ready) -> str:
        assert one.text is not None  # noqa: S101 - what has no text never comes here
        fresh = New(self.act.new_id("doc"), one.text, self._place(one))
        self._fresh.append(fresh)
        self.kept.did["added"] += 1
        return fresh.id

    def _renew(self, one: Ready, document: dict[str, Any]) -> dict[str, Any]:
        """What is to be noted of a file whose document is there already, which is brought to what was read."""
        same = one.bytes is not None and document["content_sha256"] in one.bytes.digests
        if one.text is None:
            self._change(one, document)
            waits = not same or document["tier"] == "scanned"
            return {"state": "scanned"} if waits else {}
        changed = self._change(one, document, index=False)
        if same and document["tier"] != "scanned":
            if changed:
                self._unindexed.append(intake.renewed(self.db, document["id"], self.act.user_id))
            return {}
        self._unindexed.append(intake.replace(self.db, document["id"], one.text, self.act))
        self.kept.did["changed" if document["tier"] != "scanned" else "added"] += 1
        return {}

    def _change(self, one: Ready, document: dict[str, Any], *, index: bool = True) -> bool:
        """Whether the document has another place, or is back, which is then written."""
        changes: dict[str, Any] = {}
        if document["location"] != one.find.location:
            changes["location"] = one.find.location
            self.kept.did["moved"] += 1
        if document["status"] == "archived":
            changes |= {"status": "active", "gone_at": None}
            self.kept.did["restored"] += 1
        linked = self._link(one, document)
        if changes:
            self.db.update("document", document["id"], updated_at=self.act.now, **changes)
        if index and (changes or linked):
            self._unindexed.append(intake.renewed(self.db, document["id"], self.act.user_id))
        return bool(changes) or linked

    def _link(self, one: Ready, document: dict[str, Any]) -> bool:
        """Link the document to the folder that its file is in now, and to none that is around its old place or this.

        Whatever else links were made stays. One that was known in this folder before is left as it was linked.
        """
        if one.folder_id is None:
            return False
        held = one.find.held
        linked = set(links.entities_of(self.db, document["id"]))
        around = {
            folder.entity_id
            for folder in self.folders
            for location in (one.find.location, document["location"] or "")
            if location.startswith(folder.location.rstrip("/") + "/")
        }
        wrong = sorted((linked & around) - {one.folder_id})
        known = held is not None and held.document_id == document["id"] and not wrong
        missing = () if known or one.folder_id in linked else (one.folder_id,)
        links.unlink(self.db, document["id"], wrong)
        links.link(self.db, document["id"], missing, self.act.new_id)
        return bool(wrong or missing)

    def _place(self, one: Ready) -> Place:
        folder = next((folder for folder in self.folders if folder.entity_id == one.folder_id), None)
        origin = Origin.IMPORT if folder is None or folder.connection_id == self.act.connection_id else Origin.FOLDER
        return Place(origin, None, one.find.location, (one.folder_id,) if one.folder_id else ())
