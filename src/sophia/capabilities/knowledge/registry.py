"""The predicates that there are: those known from the start, and those that were defined or changed since."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from sophia.capabilities.knowledge.predicates import BY_NAME, Predicate, unknown
from sophia.capabilities.knowledge.values import ValueType
from sophia.catalog.call import Reader, Writer
from sophia.core.page import Row


class PredicateRow(Row, frozen=True, omit_defaults=False):
    """What a fact may say of an entity."""

    COMPACT: ClassVar[tuple[str, ...]] = ("predicate", "value_type", "single_valued", "inverse")

    predicate: str
    value_type: str
    single_valued: bool
    built_in: bool
    inverse: str | None = None


def predicates(db: Reader, names: Iterable[str]) -> Mapping[str, Predicate]:
    """The predicate of each name; one that nobody defined takes any number of texts."""
    asked = sorted(set(names))
    rows = db.rows(
        "SELECT id, value_type, single_valued, inverse FROM predicate"
        " WHERE id IN (SELECT value FROM json_each(:names))",
        names=json.dumps(asked),
    )
    defined = {row["id"]: _filled(row) for row in rows}
    return {name: defined.get(name) or BY_NAME.get(name) or unknown(name) for name in asked}


def everything(db: Reader) -> list[PredicateRow]:
    """Every predicate, by name."""
    defined = [_filled(row) for row in db.rows("SELECT id, value_type, single_valued, inverse FROM predicate")]
    known = {**BY_NAME, **{each.name: each for each in defined}}
    return [told(known[name]) for name in sorted(known)]


def told(predicate: Predicate) -> PredicateRow:
    """The predicate as an agent reads it."""
    return PredicateRow(
        predicate=predicate.name, value_type=predicate.value_type.value, single_valued=predicate.single_valued,
        built_in=BY_NAME.get(predicate.name) == predicate, inverse=predicate.inverse,
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


def _filled(row: dict[str, Any]) -> Predicate:
    return Predicate(row["id"], ValueType(row["value_type"]), bool(row["single_valued"]), row["inverse"])
