"""Living quotes: when a source gets another text, the facts that quote it find their places anew, or lose them."""

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sophia.capabilities.knowledge import quotes
from sophia.capabilities.knowledge.quotes import Standing
from sophia.capabilities.knowledge.searched import searched
from sophia.catalog.call import Writer

_QUOTED = """
    SELECT f.id, f.source_id, f.quote, f.quote_start, f.quote_end, f.quote_lost_at, d.content_sha256
      FROM fact f JOIN document d ON d.id = f.source_id
     WHERE f.source_id IN (SELECT value FROM json_each(:sources)) AND f.status = 'current' AND f.quote IS NOT NULL
     ORDER BY f.source_id, f.id
"""


def follow(db: Writer, document_ids: Sequence[str], now: int) -> list[str]:
    """Anchor the current facts of these documents in the texts as they are now; the ids of those that just lost it.

    A quote that stands elsewhere moves there, one that is back holds again. One that is gone keeps its old place and
    the digest of the text that it was taken from, and the time at which it went.
    """
    facts: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in db.rows(_QUOTED, sources=json.dumps(list(document_ids))):
        facts[row["source_id"]].append(row)
    texts = db.rows(
        "SELECT t.id, t.text FROM document_text t WHERE t.id IN (SELECT value FROM json_each(:ids))",
        ids=json.dumps(sorted(facts)),
    )
    lost: list[str] = []
    for text in texts:
        source = searched(text["text"])
        for fact in facts[text["id"]]:
            standing, found = quotes.reverified(source, fact["quote"], fact["quote_start"], fact["quote_end"])
            if found is not None:
                db.update(
                    "fact", fact["id"], quote_start=found.start, quote_end=found.end, quote_match=found.match.value,
                    source_sha256=fact["content_sha256"], quote_lost_at=None,
                )  # fmt: skip
            elif standing is Standing.QUOTE_LOST and fact["quote_lost_at"] is None:
                db.update("fact", fact["id"], quote_lost_at=now)
                lost.append(fact["id"])
    return lost
