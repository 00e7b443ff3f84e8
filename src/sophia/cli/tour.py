"""What `sophia up` has a first agent do: find its way, search, and state one thing with the quote that shows it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sophia.cli import known
from sophia.cli.failed import Failed
from sophia.cli.known import Progress
from sophia.cli.session import Session

PREDICATE = "says"
_README = re.compile(r"(?i)(^|/)readme\.\w+$")
_SENTENCE = re.compile(r"[^\s#>*`|\-\[][^\n.!?]{30,200}[.!?](?=\s|$)")


def toured(session: Session, source: str, progress: Progress) -> dict[str, Any]:
    """What came of each step, in what was taken in from `source`: what it told, or why it could not be taken.

    `facts` are some of those that the miners found there, each with its quote.
    """
    tools = {name.rpartition(".")[2] for name in session.tools()}
    found: dict[str, Any] = {"tools": len(tools)}
    hits: list[dict[str, Any]] = []
    about = _entity_of(session, source) if "list_entities" in tools else None
    within = {} if about is None else {"entity_id": about}

    def oriented() -> str:
        told = session.call("orient")
        sections = told.get("sections", {})
        filled = sum(1 for section in sections.values() if section.get("available"))
        return f"{filled} of {len(sections)} sections have something to tell"

    def searched() -> str:
        words = about and _telling(session.call("list_documents", limit=200, **within)["items"])
        words = words or Path(source).stem
        told = session.call("search_documents", query=words, limit=3, **within)
        hits.extend(told["items"])
        titles = ", ".join(repr(hit["title"]) for hit in hits)
        count = "1 document speaks" if told["total"] == 1 else f"{told['total']} documents speak"
        return f"{count} of {words!r}" + (f", first {titles}" if hits else "")

    def claimed() -> str:
        return _claimed(session, about, [hit["document_id"] for hit in hits])

    def mined() -> str:
        left = 0 if about is None else known.settled(session, about, progress)
        total, found["facts"] = known.facts(session, source)
        return f"{total} facts are known, each with its quote" + (
            f"; {left} documents are not read yet" if left else ""
        )

    for name, needs, step in (
        ("mined", {"list_documents", "query_knowledge", "get_document"}, mined),
        ("oriented", {"orient"}, oriented),
        ("searched", {"search_documents"}, searched),
        ("claimed", {"submit_claim_graph", "query_knowledge", "fetch_document", "list_entities"}, claimed),
    ):
        found[name] = _tried(step) if needs <= tools else "left out: there is no tool for it"
    return found


def _entity_of(session: Session, source: str) -> str | None:
    """The entity that stands for the folder that was taken in; `None` for a file by itself."""
    folders = session.call("list_entities", kind="folder", limit=200)["items"]
    return next((one["entity_id"] for one in folders if one.get("attributes", {}).get("location") == source), None)


def _telling(documents: list[dict[str, Any]]) -> str | None:
    """The title of the document that is likeliest to tell what this is about: a README, else the longest prose."""
    prose = [one for one in documents if one["mime"] == "text/markdown"] or documents
    prose.sort(key=lambda one: (not _README.search(one.get("location", "")), -one["chars"]))
    return str(prose[0]["title"]) if prose else None


def _tried(step: Callable[[], str]) -> str:
    try:
        return step()
    except Failed as failed:
        return f"left out: {failed.error.get('code')}: {failed.error.get('message')}"


def _claimed(session: Session, about: str | None, document_ids: list[str]) -> str:
    """One claim about the folder that was taken in, shown by a sentence of a document of it."""
    if about is None:
        return "left out: only a folder is an entity that can be spoken of"
    if not document_ids:
        return "left out: nothing was found to speak about"
    known = session.call("query_knowledge", entity=about, predicate=PREDICATE)
    if known["total"]:
        return f"known from before: {known['items'][0]['object']}"
    texts = {one: session.call("fetch_document", document_id=one)["text"] for one in document_ids}
    document_id, sentence = next(
        ((one, found) for one, text in texts.items() if (found := _SENTENCE.search(text))), (None, None)
    )
    if sentence is None:
        return "left out: no sentence was found to quote"
    claim = {
        "id": "first",
        "entity": about,
        "predicate": PREDICATE,
        "object": sentence[0],
        "quote": sentence[0],
    }
    verdict = session.call("submit_claim_graph", source_id=document_id, claims=[claim])["verdicts"][0]
    if not verdict["accepted"]:
        return f"refused: {verdict.get('reason')}"
    return f"{verdict['fact_id']}, {verdict['trust_tier']}: {sentence[0]}"
