"""Forgetting: an entity or a document erased from everything that Sophia keeps, with a certificate and a refusal."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import msgspec

from sophia.capabilities.documents import intake, waiting
from sophia.capabilities.entities import merging
from sophia.capabilities.wiki import writing as pages
from sophia.core.caller import Owner
from sophia.core.clock import Clock, rfc3339
from sophia.core.errors import BadArguments, NotFound
from sophia.core.ids import Ids
from sophia.store.databases import Databases
from sophia.store.erasing import Erased, Rows, Tombstone
from sophia.store.forgetlist import ForgetList, Forgot
from sophia.store.forgotten import hashing
from sophia.store.journal import Entry
from sophia.store.ops import OpsTx
from sophia.store.state import Unit

TOOL = "sophia forget"
NAMING = 50
"""How many of the rows that still name it a certificate lists."""
_ID = re.compile(r"[a-z]+-[0-9a-z]{20,}")


@dataclass(frozen=True, slots=True)
class Plan:
    """What would go, and what would be refused from then on."""

    noun: str
    roots: Rows
    going: Rows
    names: tuple[str, ...]
    keyed: tuple[str, ...]
    naming: list[tuple[str, str]]
    """Rows that stay although they name it."""

    @property
    def counted(self) -> dict[str, int]:
        """How many rows of each table would go."""
        return {name: len(keys) for name, keys in sorted(self.going.items()) if keys}


@dataclass(frozen=True)
class Forgetting:
    """Has things forgotten, in the owner's name."""

    databases: Databases
    owner: Owner
    clock: Clock
    ids: Ids
    listed: ForgetList

    def plan(self, thing_id: str) -> Plan:
        """What it is and all that hangs on it. `NotFound` where there is no such entity or document."""
        with self.databases.state.writing(self.owner, self._entry()) as unit:
            return self._planned(unit, thing_id)

    def forget(self, thing_id: str) -> dict[str, Any]:
        """The certificate. The list beside the key goes first: whatever is broken off is finished by the next start."""
        plan = self.plan(thing_id)
        forgot = Forgot(self.ids.new("gone"), thing_id, plan.noun, self.clock.now(), plan.keyed)
        self.listed.add(forgot)
        with self.databases.ops.writing() as tx:
            redacted = _redacted(tx, {str(key) for keys in plan.going.values() for key in keys}, plan.names)
        erased, seq = self._erased(forgot)
        with self.databases.ops.writing() as tx:
            tx.log("forgot", "owner", forgot.tombstone_id, noun=plan.noun, mutation_seq=seq)
        self._settled()
        return self._certificate(forgot, erased, seq, redacted) | {
            "still_named_in": [{"table": name, "id": row_id} for name, row_id in plan.naming],
            "more_may_name_it": len(plan.naming) == NAMING,
        }

    def resume(self) -> list[str]:
        """Erase what is on the list and in this state: one that was put back, or was broken off; what was done."""
        with self.databases.state.reading(self.owner) as db:
            known = {row["id"] for row in db.rows("SELECT t.id FROM tombstone t")}
        done: list[str] = []
        for forgot in self.listed.entries():
            if forgot.tombstone_id not in known:
                erased, seq = self._erased(forgot)
                with self.databases.ops.writing() as tx:
                    _redacted(tx, set(erased.row_ids), ())
                    tx.log("forgot", "start", forgot.tombstone_id, noun=forgot.noun, mutation_seq=seq)
                done.append(f"{forgot.forgotten_id} was forgotten before, and is again")
        if done:
            self._settled()
        return done

    def tombstones(self) -> list[dict[str, Any]]:
        """What was forgotten, the newest first: `{tombstone_id, forgotten_id, noun, at, rows, changes, refused}`."""
        with self.databases.state.reading(self.owner) as db:
            rows = db.rows(
                "SELECT t.id AS tombstone_id, t.forgotten_id, t.noun, t.created_at AS at, t.rows, t.changes,"
                " (SELECT count(v.id) FROM forgotten_value v WHERE v.tombstone_id = t.id) AS refused"
                " FROM tombstone t ORDER BY t.created_at DESC, t.id DESC"
            )
        return [{**row, "at": rfc3339(row["at"])} for row in rows]

    def allow(self, tombstone_id: str) -> dict[str, Any]:
        """What was forgotten by this tombstone may be taken in again; what is gone stays gone."""
        found = next((one for one in self.tombstones() if one["tombstone_id"] == tombstone_id), None)
        if found is None:
            raise NotFound("There is no such tombstone.", argument="tombstone_id")
        with self.databases.state.writing(self.owner, self._entry()) as unit:
            for row in unit.tx.rows("SELECT v.id FROM forgotten_value v WHERE v.tombstone_id = :id", id=tombstone_id):
                unit.tx.delete("forgotten_value", row["id"])
            waiting.offered_again(unit.tx, intake.FORGOTTEN)
        for forgot in self.listed.entries():
            if forgot.tombstone_id == tombstone_id:
                self.listed.add(msgspec.structs.replace(forgot, keyed=()))
        with self.databases.ops.writing() as tx:
            tx.log("forgotten_allowed", "owner", tombstone_id)
        return {**found, "refused": 0}

    def _planned(self, unit: Unit, thing_id: str) -> Plan:
        noun, roots = _roots(unit, thing_id)
        keyed = hashing(self.listed.seal)
        with self.databases.state.erasing() as eraser:
            going = eraser.closure(roots)
        names, values = _values(unit, going)
        with self.databases.state.erasing() as eraser:
            naming = eraser.naming(names, going, NAMING) if names else []
        return Plan(noun, roots, going, names, tuple(sorted({keyed(*value) for value in values})), naming)

    def _erased(self, forgot: Forgot) -> tuple[Erased, int]:
        tombstone = Tombstone(forgot.tombstone_id, forgot.forgotten_id, forgot.noun, forgot.at, forgot.keyed)
        with self.databases.state.writing(self.owner, self._entry()) as unit:
            try:
                roots = _roots(unit, forgot.forgotten_id)[1]
            except NotFound:
                roots = {}
            _taken_apart(unit, roots, self.clock.now())
            with self.databases.state.erasing() as eraser:
                erased = eraser.erase(roots, tombstone, self.owner.user_id, _new_ids(self.ids))
            for noun, row_id in erased.narrowed:
                if noun == "document":
                    intake.settle(unit.tx, [intake.renewed(unit.tx, row_id, self.owner.user_id)])
                if noun == "page":
                    pages.derive(unit.tx, row_id)
            return erased, unit.seq

    def _settled(self) -> None:
        """Fold the logs back, in which the pages still stand as they were."""
        self.databases.state.checkpoint()
        self.databases.ops.checkpoint()

    def _certificate(self, forgot: Forgot, erased: Erased, seq: int, redacted: int) -> dict[str, Any]:
        return {
            "forgotten_id": forgot.forgotten_id,
            "noun": forgot.noun,
            "at": rfc3339(forgot.at),
            "tombstone_id": forgot.tombstone_id,
            "mutation_seq": seq,
            "journal_hash": self.databases.state.head.hash,
            "rows": dict(erased.rows),
            "journal_images": erased.changes,
            "approvals_emptied": redacted,
            "refused_from_now_on": len(forgot.keyed),
            "seen_by_fewer_now": len(erased.narrowed),
        }

    def _entry(self) -> Entry:
        owner = self.owner
        return Entry(owner.user_id, owner.connection_id, owner.name, TOOL, self.ids.new("call"), self.clock.now())


def _roots(unit: Unit, thing_id: str) -> tuple[str, Rows]:
    """What kind of thing it is, and the rows that are it: of a folder, the documents that were read from it too.

    An entity goes with all that was merged into it, which is the same one by another id.
    """
    db = unit.tx
    if thing_id.startswith("doc-"):
        row = db.row(
            "SELECT d.id, (SELECT e.id FROM entity e WHERE e.id = d.subject_id AND e.kind = 'document') AS subject"
            " FROM document d WHERE d.id = :id",
            id=thing_id,
        )
        if row is None:
            raise NotFound("There is no such document.", argument="id")
        return "document", {"document": {thing_id}, "entity": {row["subject"]} if row["subject"] else set()}
    if not thing_id.startswith("e-"):
        raise BadArguments("An entity or a document can be forgotten.", argument="id", valid=["e-…", "doc-…"])
    db.require("entity", thing_id)
    read = db.rows(
        "SELECT f.document_id AS id FROM ingest_file f WHERE f.folder_id = :id AND f.document_id IS NOT NULL",
        id=thing_id,
    )
    whole = set(merging.parts(db, [thing_id])[thing_id])
    return "entity", {"entity": whole, "document": {row["id"] for row in read}}


def _taken_apart(unit: Unit, going: Rows, now: int) -> None:
    """What stays and was merged into an entity that goes stands for itself again."""
    staying = unit.tx.rows(
        "SELECT m.id FROM entity_merge m WHERE m.into_id IN (SELECT value FROM json_each(:ids))"
        " AND m.id NOT IN (SELECT value FROM json_each(:ids))",
        ids=json.dumps(sorted(going.get("entity", ()))),
    )
    for row in staying:
        merging.unmerge(unit.tx, row["id"], now)


def _values(unit: Unit, going: Rows) -> tuple[tuple[str, ...], set[tuple[str, str]]]:
    """The names that it goes by, and all that is refused from now on: names, the digests of bytes, and texts."""
    db = unit.tx
    ids = {name: json.dumps(sorted(going.get(name, ()))) for name in ("entity", "document")}
    named = db.rows(
        "SELECT e.name AS name, e.name_key AS key FROM entity e"
        " WHERE e.kind <> 'document' AND e.id IN (SELECT value FROM json_each(:ids))"
        " UNION SELECT a.alias, a.alias_key FROM entity_alias a"
        " WHERE a.entity_id IN (SELECT value FROM json_each(:ids))",
        ids=ids["entity"],
    )
    held = db.rows(
        "SELECT d.content_sha256 AS sha, t.text FROM document d LEFT JOIN document_text t ON t.id = d.id"
        " WHERE d.id IN (SELECT value FROM json_each(:ids))",
        ids=ids["document"],
    )
    values = {("name", row["key"]) for row in named}
    values |= {("bytes", row["sha"]) for row in held} | {("text", row["text"]) for row in held if row["text"]}
    return tuple(sorted({row["name"] for row in named})), values


def _redacted(tx: OpsTx, ids: set[str], names: tuple[str, ...]) -> int:
    """Empty the approvals that hold any of these, and end those that wait; how many there were."""
    emptied = 0
    for row in tx.rows("SELECT id, arguments, preview, reason, result, error FROM approval"):
        text = "\n".join(str(row[name]) for name in ("arguments", "preview", "reason", "result", "error") if row[name])
        if not ids.isdisjoint(_ID.findall(text)) or any(_told(name) in text or name in text for name in names):
            tx.run(
                "UPDATE approval SET arguments = '{}', preview = '{}', reason = NULL, result = NULL, error = NULL,"
                " status = CASE WHEN status = 'pending' THEN 'void' ELSE status END WHERE id = :id",
                id=row["id"],
            )
            emptied += 1
    return emptied


def _told(name: str) -> str:
    """A name as it stands in JSON with ASCII alone."""
    return json.dumps(name)[1:-1]


def _new_ids(ids: Ids) -> Iterator[str]:
    return (ids.new("was") for _ in repeat(None))
