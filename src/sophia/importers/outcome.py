"""What an import came to, as scripts read it."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Outcome:
    """What an import came to."""

    import_session_id: str | None
    mutation_seq: int | None = None
    documents: int = 0
    entities: int = 0
    facts: int = 0
    masked: int = 0
    """Secrets that a placeholder stands for."""
    folders: list[dict[str, Any]] = field(default_factory=list)
    """Each folder's entity; what of its files is gone, and how many links, pipes and the like were passed over."""
    skipped: list[dict[str, str]] = field(default_factory=list)
    samples: list[dict[str, str]] = field(default_factory=list)
    """Of a dry run some of the documents that would be made."""
    kinds: dict[str, str] = field(default_factory=dict)
    """What each of the paths was read as, where that is no folder or file of documents."""

    def skip(self, path: str, reason: str) -> None:
        """Say of a file why it was left out."""
        self.skipped.append({"path": path, "reason": reason})

    def told(self) -> dict[str, Any]:
        """The outcome as scripts read it."""
        return {name: value for name, value in vars(self).items() if value or name not in ("samples", "kinds")}
