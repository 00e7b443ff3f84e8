"""Ids that come out the same in every run."""

from dataclasses import dataclass

from sophia.core.ids import ulid


@dataclass
class CountedIds:
    """The first id is number 1, the next number 2: unique, and sorted as they were made."""

    made: int = 0

    def new(self, prefix: str) -> str:
        self.made += 1
        return f"{prefix}-{ulid(0, self.made)}"
