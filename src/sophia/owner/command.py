"""An owner's command: a typed function over the office, and what has to be confirmed before it runs."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from sophia.dispatch.arguments import fitted
from sophia.owner.office import Office
from sophia.owner.presence import Confirmation

A = TypeVar("A", bound=msgspec.Struct)
Confirmed = Callable[[Office, A], Confirmation | None]


class Nothing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """No arguments."""


@dataclass(frozen=True)
class Command(Generic[A]):
    """One entry of the table."""

    arguments: type[A]
    run: Callable[[Office, A], Any]
    confirmed: Confirmed[A] | None = None
    """What the owner has to confirm, for a command that gives power; `None` for one that never does."""

    def read(self, name: str, raw: dict[str, Any]) -> A:
        """The arguments in their shape; `BadArguments` where they are not all there, or not exact."""
        return fitted(name, self.arguments, raw)


def parameters_sha256(name: str, arguments: msgspec.Struct) -> str:
    """The digest of a command with exactly these arguments."""
    return hashlib.sha256(msgspec.json.encode([name, arguments], order="deterministic")).hexdigest()
