"""The documents that are to be mined."""

from dataclasses import dataclass

from sophia.catalog.call import Reader


@dataclass(frozen=True, slots=True)
class Source:
    """A document as the miners need it."""

    document_id: str
    title: str
    text: str
    subject_id: str | None


def waiting(db: Reader, limit: int) -> list[str]:
    """The ids of the oldest documents that are searchable and not yet mined.

    What an agent wrote itself is none of them: it may be quoted, and is nobody's word but the agent's.
    """
    rows = db.rows(
        "SELECT d.id FROM document d WHERE d.tier = 'searchable' AND d.status = 'active' AND d.origin <> 'agent'"
        " ORDER BY d.id LIMIT :limit",
        limit=limit,
    )
    return [row["id"] for row in rows]


def found(db: Reader, document_id: str) -> Source:
    """The document, which must be one of those that wait."""
    row = db.row(
        "SELECT d.id, d.title, d.subject_id, t.text FROM document d JOIN document_text t ON t.id = d.id"
        " WHERE d.id = :id",
        id=document_id,
    )
    if row is None:
        return Source(document_id, "", "", None)
    return Source(row["id"], row["title"], row["text"], row["subject_id"])
