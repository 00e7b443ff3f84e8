"""What of the registered folders waits to be taken in, and what of it failed: how far the work on each file has come.

None of it is the owner's data: it is made anew from the files, and is neither journaled nor reverted.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sophia.catalog.call import Reader, Writer
from sophia.core.clock import SECOND

TRIES = 3
"""A file that fails so often is not tried again until it changes, or somebody asks for a rescan."""
REST_US = (2 * SECOND, 10 * SECOND)
"""How long a file rests that failed once, and twice."""
PASSING = frozenset({"timed_out", "out_of_memory", "corrupt", "changed_while_read", "vanished", "unavailable"})
"""Reasons that may be gone at the next try. Any other is the file's own, and holds until it changes."""

_FILE = "f.id, f.folder_id, f.path, f.document_id, f.state, f.signature, f.content_sha256, f.tries, f.reason"


@dataclass(frozen=True, slots=True)
class File:
    """One file of a registered folder, by its location."""

    id: str
    folder_id: str
    path: str
    document_id: str | None
    state: str
    signature: str | None
    content_sha256: str | None
    tries: int
    reason: str | None


def of_folder(db: Reader, folder_id: str) -> dict[str, File]:
    """The files that are known of a folder, by their path in it."""
    rows = db.rows(f"SELECT {_FILE} FROM ingest_file f WHERE f.folder_id = :id", id=folder_id)  # noqa: S608
    return {row["path"]: File(**row) for row in rows}


def at(db: Reader, locations: Sequence[str]) -> dict[str, File]:
    """The files that are known at these locations."""
    rows = db.rows(
        f"SELECT {_FILE} FROM ingest_file f WHERE f.id IN (SELECT value FROM json_each(:ids))",  # noqa: S608
        ids=json.dumps(locations),
    )
    return {row["id"]: File(**row) for row in rows}


def due(db: Reader, folder_ids: Sequence[str], state: str, now: int, limit: int) -> list[File]:
    """The first files of these folders that wait in this state and are due, by location."""
    rows = db.rows(
        f"SELECT {_FILE} FROM ingest_file f WHERE f.state = :state AND f.due_at <= :now"  # noqa: S608
        " AND f.folder_id IN (SELECT value FROM json_each(:folders)) ORDER BY f.id LIMIT :limit",
        state=state, now=now, folders=json.dumps(folder_ids), limit=limit,
    )  # fmt: skip
    return [File(**row) for row in rows]


def next_due(db: Reader, folder_ids: Sequence[str]) -> int | None:
    """When the next file of these folders is due that waits; `None` where none does."""
    found: int | None = db.value(
        "SELECT min(f.due_at) FROM ingest_file f WHERE f.state IN ('queued', 'scanned')"
        " AND f.folder_id IN (SELECT value FROM json_each(:folders))",
        folders=json.dumps(folder_ids),
    )
    return found


def lost(db: Reader, content: Sequence[str]) -> dict[str, list[File]]:
    """The files of these bytes that are where they were no more, by their bytes, the longest known first."""
    rows = db.rows(
        f"SELECT {_FILE} FROM ingest_file f WHERE f.state IN ('missing', 'gone') AND f.document_id IS NOT NULL"  # noqa: S608
        " AND f.content_sha256 IN (SELECT value FROM json_each(:content)) ORDER BY f.document_id",
        content=json.dumps(content),
    )
    found: dict[str, list[File]] = {}
    for row in rows:
        found.setdefault(row["content_sha256"], []).append(File(**row))
    return found


def put(db: Writer, location: str, **row: Any) -> None:
    """Note of a file all that is given, and nothing else if it was not known."""
    put_all(db, {location: row})


def put_all(db: Writer, rows: Mapping[str, Mapping[str, Any]]) -> None:
    """Note of files, by location, all that is given of each."""
    alike: dict[tuple[str, ...], list[tuple[Any, ...]]] = {}
    for location, row in rows.items():
        alike.setdefault(tuple(row), []).append((location, db.user_id, *row.values()))
    for names, values in alike.items():
        changes = ", ".join(f"{name} = excluded.{name}" for name in names)
        db.index_all(
            f"INSERT INTO main.ingest_file (id, user_id, {', '.join(names)}) VALUES (?, ?{', ?' * len(names)})"  # noqa: S608
            f" ON CONFLICT (id) DO UPDATE SET {changes}",
            values,
        )


def forget(db: Writer, location: str) -> None:
    """Know nothing of this file any more."""
    db.index("DELETE FROM main.ingest_file WHERE id = :id", id=location)


def failure(file: File | None, reason: str, now: int) -> dict[str, Any]:
    """What is noted of a file that could not be taken in: it is tried again where that may help, three times in all."""
    tries = (file.tries if file else 0) + 1
    if reason not in PASSING:
        state, tries, due_at = "failed", 1, 0
    elif tries >= TRIES:
        state, due_at = "quarantined", 0
    else:
        state, due_at = (file.state if file and file.state == "scanned" else "queued"), now + REST_US[tries - 1]
    return {"state": state, "tries": tries, "due_at": due_at, "reason": reason}


def ask(db: Writer, folder_id: str) -> None:
    """Have the folder looked through anew, and what of it failed tried again."""
    db.index(
        "INSERT INTO main.folder_scan (id, user_id, due, state) VALUES (:id, :user_id, 1, 'waiting')"
        " ON CONFLICT (id) DO UPDATE SET due = 1",
        id=folder_id, user_id=db.user_id,
    )  # fmt: skip
    db.index(
        "UPDATE main.ingest_file SET state = 'queued', tries = 0, due_at = 0 WHERE id IN (SELECT f.id"
        " FROM ingest_file f WHERE f.folder_id = :id AND f.state IN ('failed', 'quarantined'))",
        id=folder_id,
    )


def read_again(db: Writer, words: str) -> None:
    """Have the files read anew whose documents have these words in their texts."""
    db.index(
        "UPDATE main.ingest_file SET state = 'queued', tries = 0, due_at = 0 WHERE id IN (SELECT f.id"
        " FROM ingest_file f JOIN document_text t ON t.id = f.document_id"
        " WHERE f.state = 'kept' AND instr(t.text, :words) > 0)",
        words=words,
    )


def offered_again(db: Writer, reason: str) -> None:
    """Have the files tried again that failed for this reason, which holds no more."""
    db.index(
        "UPDATE main.ingest_file SET state = 'queued', tries = 0, due_at = 0"
        " WHERE id IN (SELECT f.id FROM ingest_file f WHERE f.state = 'failed' AND f.reason = :reason)",
        reason=reason,
    )


@dataclass(frozen=True, slots=True)
class Scan:
    """How far a folder has been looked through."""

    id: str
    due: bool
    state: str
    root: str | None


def scans(db: Reader) -> dict[str, Scan]:
    """How far each registered folder has been looked through."""
    rows = db.rows("SELECT s.id, s.due, s.state, s.root FROM folder_scan s")
    return {row["id"]: Scan(row["id"], bool(row["due"]), row["state"], row["root"]) for row in rows}


def counts(db: Reader) -> dict[str, dict[str, int]]:
    """Of each registered folder how many files are documents, wait, and failed."""
    rows = db.rows(
        "SELECT f.folder_id, count(CASE WHEN f.state = 'kept' THEN 1 END) AS documents,"
        " count(CASE WHEN f.state IN ('queued', 'scanned', 'missing') THEN 1 END) AS waiting,"
        " count(CASE WHEN f.state IN ('failed', 'quarantined') THEN 1 END) AS failed"
        " FROM ingest_file f GROUP BY f.folder_id"
    )
    return {row.pop("folder_id"): row for row in rows}


def scanned(db: Writer, folder_id: str, state: str, root: str | None) -> None:
    """Note that a folder was looked through, or why it could not be."""
    values = {"user_id": db.user_id, "due": 0, "state": state} | ({} if root is None else {"root": root})
    names, given = ", ".join(values), ", ".join(f":{name}" for name in values)
    changes = ", ".join(f"{name} = :{name}" for name in values)
    db.index(
        f"INSERT INTO main.folder_scan (id, {names}) VALUES (:id, {given}) ON CONFLICT (id) DO UPDATE SET {changes}",  # noqa: S608
        id=folder_id, **values,
    )  # fmt: skip


def wish(db: Writer, session_id: str, folders: Sequence[str], now: int) -> None:
    """Keep in mind that these folders are to be taken in, until they are."""
    db.index(
        "INSERT INTO main.import_wish (id, user_id, folders, created_at) VALUES (:id, :user_id, :folders, :now)",
        id=session_id, user_id=db.user_id, folders=json.dumps(folders), now=now,
    )  # fmt: skip


def wishes(db: Reader) -> list[tuple[str, list[str]]]:
    """The imports that are still to be done: each session, and its folders."""
    rows = db.rows("SELECT w.id, w.folders FROM import_wish w ORDER BY w.id")
    return [(row["id"], json.loads(row["folders"])) for row in rows]


def granted(db: Writer, session_id: str) -> None:
    """The import was done."""
    db.index("DELETE FROM main.import_wish WHERE id = :id", id=session_id)
