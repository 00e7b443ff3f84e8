"""How the quotes of several facts stand in their sources as they are now."""

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sophia.capabilities.knowledge import quotes
from sophia.core.listing import Rows
from sophia.core.quote_standing import Standing

MOST_READ = 4_000_000
"""Characters of changed sources that are looked through at most, all together."""
_QUOTED = """
    SELECT f.id, f.source_kind, f.quote, f.quote_start, f.quote_end, d.id AS source_id, d.chars,
           d.content_sha256 IS f.source_sha256 AS unchanged
      FROM fact f LEFT JOIN document d ON d.id = f.source_id
     WHERE f.id IN (SELECT value FROM json_each(:ids))
"""


def standings(db: Rows, fact_ids: Sequence[str]) -> dict[str, Standing]:
    """How the quote of each of these facts stands, of those that the caller sees.

    Only sources that have changed since are looked through, the shortest first, as far as MOST_READ goes.
    """
    told: dict[str, Standing] = {}
    changed: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in db.rows(_QUOTED, ids=json.dumps(list(fact_ids))):
        known = _known(row)
        told[row["id"]] = known or "unchecked"
        if known is None:
            changed[row["source_id"]].append(row)
    read = _within({each: rows[0]["chars"] for each, rows in changed.items()})
    found = db.rows(
        "SELECT t.id, t.text FROM document_text t WHERE t.id IN (SELECT value FROM json_each(:ids))",
        ids=json.dumps(read),
    )
    texts = {row["id"]: row["text"] for row in found}
    for source_id in read:
        text = texts.get(source_id, "")
        for row in changed[source_id]:
            told[row["id"]] = quotes.reverified(text, row["quote"], row["quote_start"], row["quote_end"])[0].value
    return told


def _known(row: dict[str, Any]) -> Standing | None:
    """How the quote stands where that takes no look at the text."""
    if row["source_kind"] == "word":
        return "unsourced"
    if row["source_id"] is None or row["quote"] is None or row["quote_start"] is None or row["quote_end"] is None:
        return "source_gone"
    return "holds" if row["unchanged"] else None


def _within(lengths: dict[str, int]) -> list[str]:
    """The shortest of these sources that come to no more than MOST_READ together."""
    kept: list[str] = []
    spent = 0
    for source_id, length in sorted(lengths.items(), key=lambda each: (each[1], each[0])):
        spent += length
        if spent > MOST_READ:
            break
        kept.append(source_id)
    return kept
