"""What the miners made of a source, as `sophia up` shows it: once they are done, some of the facts with their words."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from typing import Any

from sophia.cli.session import Session

SHOWN = 10
LOOKED_AT = 200
STUCK_S = 4.0
WITHIN_S = 20.0
_PAUSE_S = 0.1
Progress = Callable[[int], None]
"""Told how many documents are still to be mined."""


def settled(session: Session, about: str, progress: Progress) -> int:
    """Wait while documents linked to this entity are being mined; how many are not when it is over, or stands still."""
    begun = moved = time.monotonic()
    left = -1
    while True:
        now_left = int(session.call("list_documents", entity_id=about, tier="searchable", limit=1)["total"])
        now = time.monotonic()
        if now_left != left:
            left, moved = now_left, now
            progress(left)
        if not left or now - moved > STUCK_S or now - begun > WITHIN_S:
            return left
        time.sleep(_PAUSE_S)


def facts(session: Session, source: str) -> tuple[int, list[dict[str, str]]]:
    """How many facts the miners know, and some from below this path, of all documents and predicates in turns."""
    told = session.call("query_knowledge", min_trust_tier="quoted", limit=LOOKED_AT)
    titles: dict[str, str | None] = {}
    shown: list[dict[str, str]] = []
    mined = [one for one in told["items"] if one["observer_name"] == "sophia"]
    for fact in _in_turns(_in_turns(mined, "predicate"), "source_id"):
        source_id = fact.get("source_id", "")
        if source_id not in titles:
            titles[source_id] = _title(session, source_id, source)
        title = titles[source_id]
        if title is None:
            continue
        value = " ".join(filter(None, (fact["object"], fact.get("unit"))))
        shown.append(
            {"about": fact["entity_name"], "predicate": fact["predicate"], "object": value, "quote": fact["quote"],
             "source": title, "fact_id": fact["fact_id"]}
        )  # fmt: skip
        if len(shown) == SHOWN:
            break
    return int(told["total"]), shown


def _title(session: Session, document_id: str, source: str) -> str | None:
    """The title of the document, where it was read from below the path."""
    document = session.call("get_document", document_id=document_id)
    location = document.get("location", "")
    return str(document["title"]) if location == source or location.startswith(f"{source.rstrip('/')}/") else None


def _in_turns(facts: Iterable[dict[str, Any]], key: str) -> Iterator[dict[str, Any]]:
    """One fact of each value of the key, then another of each."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for fact in facts:
        groups[fact.get(key, "")].append(fact)
    for turn in zip_longest(*groups.values()):
        yield from (fact for fact in turn if fact is not None)
