"""Which entities a call touched: read off its answer's type once for each tool, and off what a write changed."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from msgspec import inspect

from sophia.catalog.call import Reader
from sophia.catalog.tool import Tool
from sophia.store.rules import RULES

_ENTITY = re.compile(r"(\w+_)?entity_ids?|(account|calendar|folder|repository)_id")
"""The keys under which answers name entities; folders, repositories, accounts and calendars are some."""
Add = Callable[[Sequence[Any], set[str]], None]
"""Adds the entities that values of one type name to a set."""


@dataclass(frozen=True, slots=True)
class Showing:
    """How the answers of one reading tool tell which entities they are about."""

    add: Add | None
    linked: Mapping[str, Callable[[Any], str]]
    """Where its answers name no entity: the nouns with links to entities that they show one of, and its id."""

    @classmethod
    def of(cls, tool: Tool) -> "Showing":
        """What the type of the tool's answer says."""
        told = inspect.type_info(tool.row or tool.answer)
        add = _of(told, ())
        if add is not None or not isinstance(told, inspect.StructType):
            return cls(add, {})
        nouns = [field.name.removesuffix("_id") for field in told.fields if field.name.endswith("_id")]
        return cls(None, {noun: attrgetter(f"{noun}_id") for noun in nouns if f"{noun}_entity" in RULES})

    def entities(self, told: Sequence[Any], db: Reader) -> Collection[str]:
        """The entities that the answer, or the rows of a list, are about."""
        found: set[str] = set()
        if self.add is not None:
            self.add(told, found)
        for noun, id_of in self.linked.items():
            rows = db.rows(
                f"SELECT entity_id FROM {noun}_entity WHERE {noun}_id IN (SELECT value FROM json_each(:ids))",
                ids=json.dumps([id_of(one) for one in told]),
            )
            found.update(row["entity_id"] for row in rows)
        return found


def changed(changes: Iterable[Mapping[str, Any]], referring: Mapping[str, Collection[str]]) -> Collection[str]:
    """The entities that rows of the journal are of, or refer to before or after, by the columns that refer to them."""
    found: set[str] = set()
    for change in changes:
        if change["table_name"] == "entity":
            found.add(change["row_id"])
        columns = referring.get(change["table_name"], ())
        for image in (change["before"], change["after"]):
            if columns and image is not None:
                row = json.loads(image)
                found.update(row[column] for column in columns if row.get(column) is not None)
    return found


def _of(told: inspect.Type, within: tuple[type, ...]) -> Add | None:
    """What adds the entities named in values of this type; `None` where such values name none."""
    match told:
        case inspect.StructType(cls=cls, fields=fields) if cls not in within:
            return _all([_field(field, (*within, cls)) for field in fields])
        case inspect.ListType(item_type=item):
            return _inside(_of(item, within), lambda values: [one for value in values for one in value])
        case inspect.DictType(value_type=item):
            return _inside(_of(item, within), lambda values: [one for value in values for one in value.values()])
        case inspect.UnionType(types=types):
            return _all([_inside(_of(each, within), _only(_KINDS.get(type(each)) or each)) for each in types])
        case _:
            return None


def _field(field: inspect.Field, within: tuple[type, ...]) -> Add | None:
    read = attrgetter(field.name)
    if not _ENTITY.fullmatch(field.name):
        return _inside(_of(field.type, within), lambda values: list(map(read, values)))
    if field.name.endswith("s"):
        return lambda values, found: found.update(*filter(None, map(read, values)))
    return lambda values, found: found.update(filter(None, map(read, values)))


def _all(adding: Iterable[Add | None]) -> Add | None:
    each = [add for add in adding if add is not None]

    def add(values: Sequence[Any], found: set[str]) -> None:
        for one in each:
            one(values, found)

    return add if each else None


def _inside(add: Add | None, inner: Callable[[Sequence[Any]], Sequence[Any]]) -> Add | None:
    """What adds what is named inside of values."""
    return None if add is None else lambda values, found: add(inner(values), found)


def _only(told: Any) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """Those of values that are of one type of several."""
    kind = getattr(told, "cls", told)
    return lambda values: [value for value in values if isinstance(value, kind)]


_KINDS: Mapping[type, type] = MappingProxyType({inspect.ListType: list, inspect.DictType: dict})
