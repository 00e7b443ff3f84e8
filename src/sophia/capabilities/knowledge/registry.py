"""The predicates that there are: those known from the start, and those that were defined or changed since."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from sophia.capabilities.knowledge.predicates import BY_NAME, Predicate, unknown
from sophia.capabilities.knowledge.values import ValueType
from sophia.catalog.call import Reader, Writer
from sophia.core.clock import rfc3339
from sophia.core.listing import paged
from sophia.core.page import Listed, Order, Page, Row, Window


class PredicateRow(Row, frozen=True):
    """What a fact may say of an entity. One that was there from the start has no time."""

    COMPACT: ClassVar[tuple[str, ...]] = ("predicate", "value_type", "single_valued", "inverse")
    LISTED: ClassVar[Listed] = Listed("created_at", "predicate", {"name": Order(("predicate",))})

    predicate: str
    value_type: str
    single_valued: bool
    built_in: bool
    inverse: str | None = None
    created_at: str | None = None


_SELECT = """
    SELECT p.id AS predicate, p.value_type, p.single_valued, p.inverse, p.created_at FROM predicate p
     UNION ALL
    SELECT k.value ->> 'predicate', k.value ->> 'value_type', k.value ->> 'single_valued', k.value ->> 'inverse', 0
      FROM json_each(:known) k WHERE k.value ->> 'predicate' NOT IN (SELECT p.id FROM predicate p)
"""
_KNOWN = json.dumps(
    [
        {"predicate": each.name, "value_type": each.value_type.value, "single_valued": each.single_valued,
         "inverse": each.inverse}
        for each in BY_NAME.values()
    ]
)  # fmt: skip


def predicates(db: Reader, names: Iterable[str]) -> Mapping[str, Predicate]:
    """The predicate of each name; one that nobody defined takes any number of texts."""
    asked = sorted(set(names))
    rows = db.rows(
        "SELECT id AS predicate, value_type, single_valued, inverse FROM predicate"
        " WHERE id IN (SELECT value FROM json_each(:names))",
        names=json.dumps(asked),
    )
    defined = {row["predicate"]: _filled(row) for row in rows}
    return {name: defined.get(name) or BY_NAME.get(name) or unknown(name) for name in asked}


def everything(db: Reader) -> list[PredicateRow]:
    """Every predicate, by name."""
    return [_told(row) for row in db.rows(f"{_SELECT} ORDER BY predicate", known=_KNOWN)]


def listed(db: Reader, window: Window) -> Page[PredicateRow]:
    """Every predicate; those that were there from the start are older than any other."""
    part = paged(db, window, PredicateRow.LISTED, _SELECT, known=_KNOWN)
    return part.page([_told(row) for row in part.rows])


def told(predicate: Predicate, defined_at: int = 0) -> PredicateRow:
    """The predicate as an agent reads it."""
    return PredicateRow(
        predicate=predicate.name, value_type=predicate.value_type.value, single_valued=predicate.single_valued,
        built_in=BY_NAME.get(predicate.name) == predicate, inverse=predicate.inverse,
        created_at=rfc3339(defined_at) if defined_at else None,
    )  # fmt: skip


def define(tx: Writer, predicate: Predicate, now: int) -> None:
    """Add the predicate, or change it to this."""
    row: dict[str, Any] = {
        "value_type": predicate.value_type.value, "single_valued": int(predicate.single_valued),
        "inverse": predicate.inverse,
    }  # fmt: skip
    if tx.value("SELECT p.id FROM predicate p WHERE p.id = :id", id=predicate.name) is None:
        tx.insert("predicate", id=predicate.name, created_at=now, **row)
    else:
        tx.update("predicate", predicate.name, **row)


def _told(row: dict[str, Any]) -> PredicateRow:
    return told(_filled(row), row["created_at"])


def _filled(row: dict[str, Any]) -> Predicate:
    return Predicate(row["predicate"], ValueType(row["value_type"]), bool(row["single_valued"]), row["inverse"])
