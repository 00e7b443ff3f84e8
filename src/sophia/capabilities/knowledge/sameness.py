"""What counts as the same value, however it is written: case, invisible characters, Unicode forms and types aside."""

import re
import unicodedata
from dataclasses import dataclass

from sophia.capabilities.knowledge.folding import fold
from sophia.capabilities.knowledge.values import Value, ValueType, parsed

_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\U000e0000-\U000e0fff]"
)
"""What nobody sees: in a name it may join letters, but it never makes another value of it."""


@dataclass(frozen=True, slots=True)
class Said:
    """A value as a fact says it, and the entity that it is, where it is one."""

    value: Value
    entity_id: str | None = None

    def same(self, other: "Said") -> bool:
        """Whether both say the same. A name in words is the same as any entity of that name; two entities are not."""
        if self.entity_id is not None and other.entity_id is not None:
            return self.entity_id == other.entity_id
        return not _readings(self.value, other.value).isdisjoint(_readings(other.value, self.value))


def _readings(value: Value, beside: Value) -> set[str]:
    """How the value reads: as it is, and where only this one is text, as a value of the other's type."""
    read = {_bare(value.told)}
    if value.value_type is ValueType.TEXT and beside.value_type is not ValueType.TEXT:
        typed = parsed(beside.value_type, value.text)
        if isinstance(typed, Value):
            read.add(_bare(typed.told))
    return read


def _bare(text: str) -> str:
    """The text without what only its form is."""
    return unicodedata.normalize("NFKD", fold(_UNSEEN.sub("", text)).casefold())
