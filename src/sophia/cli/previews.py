"""What a write would change, as a person reads it: a line for each row, and for each value that is new."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

_LONGEST = 300
_UNTOLD = frozenset({"id", "user_id", "created_at", "updated_at", "recorded_at", "connection_id", "name_key"})
"""Columns that say nothing to a person."""
_NOUNS = {
    "document_text": "text of the document", "document_entity": "link of a document", "document_tag": "tag",
    "entity_alias": "alias", "predicate": "kind of statement",
}  # fmt: skip
_VERBS = {"insert": "new", "update": "changed", "delete": "gone"}


def lines(preview: dict[str, Any]) -> list[str]:
    """The changes of a preview, each with the values that matter, and how many more there are."""
    changes = preview["changes"]
    told = [line for change in changes for line in _told(change)]
    more = preview.get("total", len(changes)) - len(changes)
    return told + ([f"and {more} more rows"] if more > 0 else [])


def _told(change: dict[str, Any]) -> Iterator[str]:
    before, after = _row(change["before"]), _row(change["after"])
    noun = _NOUNS.get(change["table"], change["table"].replace("_", " "))
    head = f"{_VERBS.get(change['op'], change['op'])} {noun}"
    row = after if after is not None else before
    if not isinstance(row, dict):
        yield f"{head} {change['row_id']}: {_value('', row)}"
        return
    name = row.get("name") or row.get("title") or ""
    yield f"{head} {change['row_id']}" + (f" ({_cut(str(name))})" if name and change["op"] != "insert" else "")
    if change["op"] == "update" and isinstance(before, dict) and isinstance(after, dict):
        for key in after:
            if key not in _UNTOLD and before.get(key) != after[key]:
                yield f"    {_label(key)}: {_value(key, before.get(key))} → {_value(key, after[key])}"
        return
    for key, value in row.items():
        if key not in _UNTOLD and not key.endswith(("_key", "_sha256")) and value not in (None, "", "{}", "[]"):
            yield f"    {_label(key)}: {_value(key, value)}"


def _row(image: Any) -> Any:
    if not isinstance(image, str):
        return image
    try:
        return json.loads(image)
    except ValueError:
        return image  # it was cut


def _label(key: str) -> str:
    return key.removesuffix("_id").removesuffix("_at").replace("_", " ")


def _value(key: str, value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case int() if key.endswith("_at") or key in ("valid_from", "valid_to"):
            return _time(value)
        case str():
            return _cut(value)
        case _:
            return _cut(json.dumps(value, ensure_ascii=False))


def _time(microseconds: int) -> str:
    try:
        return datetime.fromtimestamp(microseconds / 1_000_000, UTC).isoformat(" ", "seconds").removesuffix("+00:00")
    except (OverflowError, ValueError, OSError):
        return str(microseconds)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"
