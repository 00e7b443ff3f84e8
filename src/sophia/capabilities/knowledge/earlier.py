"""What is on record already of what is said again: the fact itself, a correction that stands, or a retraction."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sophia.capabilities.entities import merging
from sophia.catalog.call import Reader


@dataclass(frozen=True, slots=True)
class Saying:
    """What is said, on what ground, and for what time."""

    entity_id: str | None
    """`None` for an entity that is only being made: nothing is on record of it."""
    predicate: str
    object_key: str
    source_id: str | None
    quote: str | None
    tier: str
    valid_from: int | None = None
    valid_to: int | None = None
    target_id: str | None = None
    """The entity that the object is."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """What is on record of a saying."""

    fact_id: str | None = None
    """The fact that says just this already."""
    superseded_id: str | None = None
    """A fact of the same ground that said this, until another took its place."""
    successor_id: str | None = None
    retracted_id: str | None = None
    """A fact of the same ground that said this, and was taken back."""

    @property
    def hint(self) -> str | None:
        """What whoever says it again is told, in words of ours."""
        if self.fact_id is not None:
            return None
        if self.superseded_id is not None:
            by = f" by {self.successor_id}" if self.successor_id else ""
            return f"{self.superseded_id} said this and was superseded{by}: that stands, and this is not current."
        if self.retracted_id is not None:
            return f"{self.retracted_id} said this and was retracted; it is now said anew. fact_history tells why."
        return None


NOTHING = Earlier()
_FOUND = """
    SELECT CAST(w.key AS INTEGER) AS n, f.id, f.status, f.quote, f.trust_tier, f.superseded_by
      FROM json_each(:wanted) w CROSS JOIN json_each(w.value, '$[0]') e CROSS JOIN json_each(w.value, '$[2]') o
           CROSS JOIN fact f
     WHERE f.entity_id = e.value AND f.predicate = w.value ->> 1 AND f.object_key = o.value
           AND f.source_id IS w.value ->> 3 AND f.valid_from IS w.value ->> 4 AND f.valid_to IS w.value ->> 5
     ORDER BY f.recorded_at, f.id
"""


def of(db: Reader, sayings: Sequence[Saying]) -> list[Earlier]:
    """What is on record of each. The source's say is one, however it is quoted: the same quote makes the same fact."""
    ends = {end for one in sayings for end in (one.entity_id, one.target_id) if end is not None}
    parts = merging.parts(db, ends) if ends else {}
    known = [
        [parts.get(one.entity_id or "", []), one.predicate, parts.get(one.target_id or "", [one.object_key]),
         one.source_id, one.valid_from, one.valid_to]
        for one in sayings
    ]  # fmt: skip
    found: dict[int, list[dict[str, Any]]] = {}
    for row in db.rows(_FOUND, wanted=json.dumps(known)) if sayings else []:
        found.setdefault(row["n"], []).append(row)
    return [_earlier(one, found.get(n, [])) for n, one in enumerate(sayings)]


def _earlier(saying: Saying, rows: list[dict[str, Any]]) -> Earlier:
    by_status: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_status.setdefault(row["status"], []).append(row)
    current = by_status.get("current", [])
    same = next((row for row in current if (row["quote"], row["trust_tier"]) == (saying.quote, saying.tier)), None)
    if same is not None:
        return Earlier(fact_id=same["id"])
    if current:
        return NOTHING
    if ended := by_status.get("superseded"):
        return Earlier(superseded_id=ended[-1]["id"], successor_id=ended[-1]["superseded_by"])
    if gone := by_status.get("retracted"):
        return Earlier(retracted_id=gone[-1]["id"])
    return NOTHING
