"""Which entities a connection may touch."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from sophia.core.errors import BadArguments

MAX_SCOPE = 50_000


@dataclass(frozen=True)
class Scope:
    """`None` is every entity; the empty set is none."""

    entities: frozenset[str] | None

    @cached_property
    def as_json(self) -> str:
        """The listed ids as a JSON array, sorted; `[]` where every entity is meant."""
        return json.dumps(sorted(self.entities or ()))

    @property
    def is_all(self) -> bool:
        return self.entities is None

    def holds(self, entity_ids: Iterable[str]) -> bool:
        """Whether all of these are within it."""
        return self.entities is None or self.entities.issuperset(entity_ids)

    def narrows(self, parent: "Scope") -> bool:
        """Whether this is a listed subset of `parent`, as a delegated worker's scope must be."""
        return self.entities is not None and (parent.entities is None or self.entities <= parent.entities)

    def stored(self) -> str:
        """The text that `loaded` reads back."""
        return '"all"' if self.entities is None else self.as_json

    def told(self) -> str | list[str]:
        """The scope as `get_permissions` and `mint` show it: `"all"` or a sorted list of ids."""
        return "all" if self.entities is None else sorted(self.entities)


NOTHING = Scope(frozenset())
EVERYTHING = Scope(None)


def loaded(text: object) -> Scope | None:
    """The scope that a stored text means, `None` where it means none that can be told: the caller then gets NOTHING."""
    try:
        value = json.loads(text) if isinstance(text, str) else None
    except ValueError:
        return None
    if value == "all":
        return EVERYTHING
    if isinstance(value, list) and all(isinstance(item, str) and item for item in value):
        return Scope(frozenset(value))
    return None


def asked(value: object) -> Scope:
    """The scope that a mint asks for: the literal `"all"` or a list of distinct entity ids; `BadArguments` else."""
    if value == "all":
        return EVERYTHING
    if (
        not isinstance(value, list)
        or len(value) > MAX_SCOPE
        or not all(isinstance(item, str) and _is_entity_id(item) for item in value)
        or len(set(value)) != len(value)
    ):
        raise BadArguments(
            'entity_scope must be the literal "all" or a list of distinct entity ids.', argument="entity_scope"
        )
    return Scope(frozenset(value))


def _is_entity_id(text: str) -> bool:
    return (
        text.startswith("e-") and 3 <= len(text) <= 64 and all(c.isascii() and (c.isalnum() or c == "-") for c in text)
    )
