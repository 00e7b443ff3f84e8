"""The primary sources that claims are taken from, as the caller sees them now."""

from dataclasses import dataclass

from sophia.capabilities.knowledge import provenance
from sophia.catalog.call import Reader
from sophia.core.source_text import Origin, SourceText

POST = "agent posts are not valid grounding sources — cite the primary source the post references."
_FACT = "A fact does not ground another fact; cite the document that it was taken from."
_PAGE = "A wiki page grounds nothing by itself; cite the documents that it cites."
_NONE = "There is no document of that id within this connection's scope; search_documents finds the primary source."


@dataclass(frozen=True, slots=True)
class NoSource:
    """Why nothing can be taken from what was named as a source: a verdict's reason and hint."""

    reason: str
    hint: str


@dataclass(frozen=True, slots=True)
class Source:
    """A source with the title that it is told by."""

    text: SourceText
    title: str
    archived: bool


def find(db: Reader, source_id: str) -> Source | NoSource:
    """The source of that id; for a post, a fact, a page, and what the caller cannot see, why it is none."""
    if source_id.startswith("post-"):
        return NoSource("source_is_post", POST)
    if source_id.startswith("f-"):
        return NoSource("source_is_fact", _FACT)
    if source_id.startswith("page-"):
        return NoSource("source_not_found", _PAGE)
    source = held(db, source_id)
    if source is None or source.archived:
        return NoSource("source_not_found", _NONE)
    return source


def held(db: Reader, source_id: str) -> Source | None:
    """The source of that id, archived or not, that earlier facts may stand on; `None` where the caller sees none."""
    row = db.row(
        "SELECT d.id, d.title, d.origin, d.status, d.content_sha256, t.text FROM document d"
        " LEFT JOIN document_text t ON t.id = d.id WHERE d.id = :id",
        id=source_id,
    )
    if row is None:
        return None
    body = row["text"] or ""
    origin = Origin.AGENT if provenance.is_of_agents(body) else Origin(row["origin"])
    text = SourceText(row["id"], body, origin, row["content_sha256"])
    return Source(text, row["title"], row["status"] == "archived")
