"""What is recent: bounded queries, each cheap at any size."""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from sophia.capabilities.entities import merging
from sophia.capabilities.knowledge import clashes, contradictions
from sophia.catalog.call import ReadCall, Reader
from sophia.core.clock import rfc3339

NEWEST = 5
MOST_COUNTED = 1000
_LATELY = 300
"""How many of the last mutations a connection with a listed scope is told of: what it sees of each has to be judged."""
_NARROW = 1_000
"""Up to so many entities, facts and documents are found by them; with more, they are among the newest ones soon."""
_FEW = 20
_LINE = 160
"""Characters of a value or a reason that are told."""
_ENTRIES = ("goal_entity", "decision_entity", "question_entity", "interrupt_entity", "briefing_entity", "page_entity")
_MENTIONS = (("fact", 300, 1.0), ("document_entity", 100, 1.0), *((table, _FEW, 3.0) for table in _ENTRIES))
"""The tables that name an entity, how many of the newest rows of each count, and how much the newest one does."""
_CURRENT = " AND r.status = 'current'"


@dataclass(frozen=True, slots=True)
class Listed:
    """The first rows of a kind, and how many there are, counted up to MOST_COUNTED."""

    items: list[dict[str, Any]]
    total: int | None = None
    tiers: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recent:
    """What is recent within a caller's scope."""

    db: Reader
    near: str | None
    """The listed entities, where they are few enough to start from; the tables are the caller's own anyway."""
    floor: int
    """The mutation after which it is told of them."""

    @classmethod
    def of(cls, call: ReadCall) -> "Recent":
        """What is recent for this caller."""
        entities = call.caller.scope.entities
        if entities is None:
            return cls(call.db, None, 0)
        near = call.caller.scope.as_json if len(entities) <= _NARROW else None
        return cls(call.db, near, call.house.last_mutation() - _LATELY)

    def documents(self, first: list[str]) -> Listed:
        """The active documents: those named first, in that order, then the newest; with their number by tier."""
        linked = self._near("d.id IN (SELECT l.document_id FROM document_entity l WHERE l.entity_id IN {ids})")
        rows = self._rows(
            "SELECT d.id, d.title, d.origin, d.tier, d.created_at FROM document d"
            " WHERE d.status = 'active' AND d.id IN (SELECT value FROM json_each(:first))"
            " UNION SELECT * FROM (SELECT d.id, d.title, d.origin, d.tier, d.created_at FROM document d"
            f" WHERE d.status = 'active' AND {linked} ORDER BY d.id DESC LIMIT :limit)",
            first=json.dumps(first), limit=NEWEST,
        )  # fmt: skip
        rows.sort(key=lambda row: row["id"], reverse=True)
        rows.sort(key=lambda row: first.index(row["id"]) if row["id"] in first else len(first))
        tiers = self._rows(
            "SELECT tier, count(*) AS documents FROM (SELECT d.tier FROM document d"
            f" WHERE d.status = 'active' AND {linked} LIMIT {MOST_COUNTED + 1}) GROUP BY tier ORDER BY tier"
        )
        items = [
            {"document_id": row["id"], "title": row["title"], "origin": row["origin"], "tier": row["tier"],
             "created_at": rfc3339(row["created_at"])}
            for row in rows[:NEWEST]
        ]  # fmt: skip
        counted = {row["tier"]: row["documents"] for row in tiers}
        return Listed(items, sum(counted.values()), counted)

    def mutations(self) -> Listed:
        """The newest mutations; of a listed scope, those among the last ones of all."""
        rows = self.db.rows(
            "SELECT m.seq, m.at, m.tool, m.actor_name, m.rows FROM mutation m WHERE m.seq > :floor"
            " ORDER BY m.seq DESC LIMIT :limit",
            floor=self.floor, limit=NEWEST,
        )  # fmt: skip
        items = [
            {"mutation_seq": row["seq"], "at": rfc3339(row["at"]), "tool": row["tool"],
             "actor_name": row["actor_name"], "rows": row["rows"]}
            for row in rows
        ]  # fmt: skip
        return Listed(items)

    def corrections(self) -> Listed:
        """The facts that were superseded or retracted last, by whom and why."""
        rows = self.db.rows(
            "SELECT f.id AS fact_id, f.entity_id, f.predicate, f.object, f.status, f.superseded_by, f.ended_at,"
            " f.ended_by_name, coalesce(f.superseded_reason, f.retracted_reason) AS reason FROM fact f"
            " WHERE f.ended_at IS NOT NULL"
            " ORDER BY f.ended_at DESC, f.id DESC LIMIT :limit",
            limit=NEWEST,
        )
        shown = {"object", "reason"}
        return Listed(
            [{name: told(value) if name in shown else value for name, value in row.items() if value is not None}
             | {"ended_at": rfc3339(row["ended_at"])} for row in rows]
        )  # fmt: skip

    def contradictions(self) -> Listed:
        """The contradictions that arose last, with the best grounded facts of each."""
        found = contradictions.select(self._near("a.entity_id IN {ids}"))
        rows = self._rows(
            f"SELECT c.*, count(*) OVER () AS total FROM ({found}) c"
            " ORDER BY c.recorded_at DESC, c.latest_fact_id DESC LIMIT :limit",
            **clashes.known(self.db), limit=NEWEST,
        )  # fmt: skip
        facts = contradictions.of(self.db, rows)
        items = [
            {"entity_id": row["entity_id"], "entity_name": row["entity_name"], "predicate": row["predicate"],
             "facts": [{"fact_id": fact.fact_id, "object": told(fact.object), "trust_tier": fact.trust_tier}
                       for fact in facts[n]]}
            for n, row in enumerate(rows)
        ]  # fmt: skip
        return Listed(items, rows[0]["total"] if rows else 0)

    def quotes_lost(self) -> Listed:
        """The facts whose quotes went from their sources last."""
        rows = self._rows(
            "SELECT f.id AS fact_id, count(*) OVER () AS total FROM fact f"
            " WHERE f.quote_lost_at IS NOT NULL AND f.status = 'current'"
            " ORDER BY f.quote_lost_at DESC, f.id DESC LIMIT :limit",
            limit=NEWEST,
        )
        return Listed([{"fact_id": row["fact_id"]} for row in rows], rows[0]["total"] if rows else 0)

    def mentions(self) -> dict[str, float]:
        """The entities that the newest facts, links and entries name, and how much: often, and lately."""
        about = self._near("r.entity_id IN {ids}")
        arms = [
            f"SELECT * FROM (SELECT {n} AS n, r.entity_id FROM {table} r WHERE {about if most > _FEW else 1}"
            f"{_CURRENT if table == 'fact' else ''}"
            f" ORDER BY r.{'recorded_at' if table == 'fact' else 'id'} DESC LIMIT {most})"
            for n, (table, most, _) in enumerate(_MENTIONS)
        ]
        weights: dict[str, float] = defaultdict(float)
        places = [0] * len(_MENTIONS)
        for row in self._rows(" UNION ALL ".join(arms)):
            _, most, weight = _MENTIONS[row["n"]]
            places[row["n"]] += 1
            weights[row["entity_id"]] += weight / (1 + places[row["n"]] * 5 / most)
        return weights

    def _near(self, condition: str) -> str:
        return "1" if self.near is None else condition.format(ids="(SELECT value FROM json_each(:near))")

    def _rows(self, sql: str, **values: Any) -> list[dict[str, Any]]:
        return self.db.rows(sql, **values, **({} if self.near is None else {"near": self.near}))


def told(text: str) -> str:
    """The text in a line."""
    line = " ".join(text.split())
    return line if len(line) <= _LINE else line[: _LINE - 1] + "…"


def entities(db: Reader, weights: dict[str, float]) -> list[dict[str, Any]]:
    """The active ones of these entities, the weightiest first. What was merged weighs for what it went into."""
    first = sorted(weights, key=lambda entity_id: (-weights[entity_id], entity_id))[: NEWEST * 4]
    now = merging.standing(db, first)
    chosen = list(dict.fromkeys(now[entity_id].entity_id for entity_id in first if entity_id in now))
    rows = db.rows(
        "SELECT e.id AS entity_id, e.kind, e.name FROM entity e"
        " WHERE e.status = 'active' AND e.id IN (SELECT value FROM json_each(:ids))",
        ids=json.dumps(chosen),
    )
    rows.sort(key=lambda row: chosen.index(row["entity_id"]))
    return rows[:NEWEST]
