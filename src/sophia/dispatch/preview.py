"""What a write would change, in a form that two runs of it can be compared by."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from sophia.store.journal import Change, told

_TIMES = frozenset({"created_at", "updated_at", "recorded_at"})
_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Preview:
    """The rows that a write would touch: `shown` to the owner, `digest` to be met again when it runs."""

    shown: list[dict[str, Any]]
    total: int
    digest: str


def previewed(changes: list[Change]) -> Preview:
    """The preview of these changes; generated ids and times do not count."""
    made = {change.row_id: f"new-{n}" for n, change in enumerate(changes) if change.op == "insert"}
    compared = [
        [
            change.table,
            change.op,
            made.get(change.row_id, change.row_id),
            _sha(_steady(change.before, made)),
            _steady(change.after, made),
        ]
        for change in changes
    ]
    shown = [
        {"table": change.table, "op": change.op, "row_id": made.get(change.row_id, change.row_id),
         "before": told(change.before), "after": told(change.after)}
        for change in changes[:_SHOWN]
    ]  # fmt: skip
    return Preview(shown, len(changes), _sha(compared))


def _steady(image: str | None, made: dict[str, str]) -> Any:
    row = told(image)
    if row is None:
        return None
    return {
        name: made.get(value, value) if isinstance(value, str) else value
        for name, value in row.items()
        if name not in _TIMES
    }


def _sha(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
