"""What a call comes to, ready for any wire."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """One JSON object, signals included, and whether it is an error."""

    payload: bytes
    is_error: bool = False
    content: list[dict[str, Any]] | None = None
    """Content blocks in place of the text form, for what is no JSON."""
    pending: str | None = None
    """The approval that the call waits for, where it does."""
