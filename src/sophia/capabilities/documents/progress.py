"""How far documents have come: seen, searchable, their facts found; what waits, and what failed and why."""

from typing import Any

from sophia.capabilities.entities import merging
from sophia.catalog.call import Reader
from sophia.core.page import Row

MOST_FAILED = 100
MOST_FOLDERS = 50
_OF = (
    "(:entity_id IS NULL OR EXISTS (SELECT 1 FROM document_entity l"
    " WHERE l.document_id = d.id AND l.entity_id IN (SELECT value FROM json_each(:about))))"
    " AND (:document_id IS NULL OR d.id = :document_id)"
)
_TIERS = (
    "SELECT count(d.id) AS scanned, count(CASE WHEN d.tier != 'scanned' THEN 1 END) AS searchable,"
    " count(CASE WHEN d.tier = 'indexed' THEN 1 END) AS indexed FROM document d"
)
_FILES = (
    "ingest_file f WHERE (:entity_id IS NULL OR f.folder_id = :entity_id)"
    " AND (:document_id IS NULL OR f.document_id = :document_id)"
)
_FAILED = "(f.state IN ('failed', 'quarantined') OR (f.state IN ('queued', 'scanned') AND f.tries > 0))"
"""What is to be tried again counts among what failed as long as it waits for that."""


class Failure(Row, frozen=True):
    """A file without a text, by its path in its folder; `quarantined` once it is not tried again by itself."""

    path: str
    reason: str
    entity_id: str
    quarantined: bool | None = None


class FolderState(Row, frozen=True):
    """A registered folder that is not simply there and watched."""

    entity_id: str
    state: str


class IngestStatus(Row, frozen=True):
    """How many documents have come how far. A searchable one was scanned, an indexed one is searchable."""

    scanned: int
    searchable: int
    indexed: int
    queued: int
    failed: list[Failure]
    failed_total: int
    folders: list[FolderState] | None = None
    warning: str | None = None


def status(db: Reader, entity_id: str | None, document_id: str | None) -> IngestStatus:
    """The state of all that the caller sees, or of what belongs to this entity, or of this document."""
    of: dict[str, Any] = {"entity_id": entity_id, "document_id": document_id}
    about = None if entity_id is None else merging.about(db, entity_id)
    tiers = db.row(f"{_TIERS} WHERE d.status = 'active' AND {_OF}", **of, about=about)
    failed = db.rows(
        f"SELECT f.path, f.reason, f.folder_id, f.state FROM {_FILES} AND {_FAILED}"  # noqa: S608
        " ORDER BY f.reason = 'unsupported_type', f.folder_id, f.path LIMIT :limit",
        limit=MOST_FAILED, **of,
    )  # fmt: skip
    folders = [FolderState(entity_id=row["id"], state=row["state"]) for row in _folders(db, entity_id)]
    gone = any(one.state == "gone" for one in folders)
    return IngestStatus(
        **(tiers or {"scanned": 0, "searchable": 0, "indexed": 0}),
        queued=_count(db, "f.state IN ('queued', 'scanned', 'missing')", of),
        failed=[
            Failure(
                path=row["path"], reason=row["reason"], entity_id=row["folder_id"],
                quarantined=row["state"] == "quarantined" or None,
            )
            for row in failed
        ],
        failed_total=_count(db, _FAILED, of),
        folders=folders or None,
        warning="A folder is not there: its documents stay as they are until it is back." if gone else None,
    )  # fmt: skip


def _count(db: Reader, condition: str, of: dict[str, Any]) -> int:
    found: int = db.value(f"SELECT count(f.id) FROM {_FILES} AND {condition}", **of)  # noqa: S608
    return found


def _folders(db: Reader, entity_id: str | None) -> list[dict[str, Any]]:
    return db.rows(
        "SELECT s.id, s.state FROM folder_scan s WHERE s.state != 'here'"
        " AND (:entity_id IS NULL OR s.id = :entity_id) ORDER BY s.id LIMIT :limit",
        entity_id=entity_id, limit=MOST_FOLDERS,
    )  # fmt: skip
