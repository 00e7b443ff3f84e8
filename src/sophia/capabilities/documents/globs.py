"""Patterns of relative paths: `*` and `?` and `[a-z]` within a name, `**` across folders."""

import fnmatch
import re
from collections.abc import Sequence
from dataclasses import dataclass

from sophia.core.errors import BadArguments

MAX_PATTERNS = 50
MAX_PATTERN = 200


@dataclass(frozen=True, slots=True)
class Glob:
    """One pattern, component by component; `None` stands for any number of folders."""

    parts: tuple[re.Pattern[str] | None, ...]

    def names(self, path: str) -> bool:
        """Whether the pattern names this path, in time that grows with both, however it was made."""
        last = self.parts[-1]
        if last is not None and last.match(path[path.rfind("/") + 1 :]) is None:
            return False  # as of most paths, and soon said
        reached = self._beyond({0})
        for component in path.split("/"):
            step = {at + 1 for at in reached if at < len(self.parts) and self._takes(at, component)}
            stay = {at for at in reached if at < len(self.parts) and self.parts[at] is None}
            reached = self._beyond(step | stay)
        return len(self.parts) in reached

    def _takes(self, at: int, component: str) -> bool:
        part = self.parts[at]
        return part is None or part.match(component) is not None

    def _beyond(self, places: set[int]) -> set[int]:
        """The places with those that `**` reaches by standing for nothing; at the end it stands for something."""
        for at in range(len(self.parts) - 1):
            if at in places and self.parts[at] is None:
                places = places | {at + 1}
        return places


def compiled(patterns: Sequence[str], argument: str) -> tuple[Glob, ...]:
    """What names paths as the patterns do.

    A pattern without a slash names a file or folder wherever it is, one that ends in a slash all that is below.
    `BadArguments` for too many or too long ones, and for one that leaves the folder.
    """
    if len(patterns) > MAX_PATTERNS:
        raise BadArguments(f"{argument} takes at most {MAX_PATTERNS} patterns.", argument=argument)
    return tuple(_glob(pattern, argument) for pattern in patterns)


def matches(path: str, globs: Sequence[Glob]) -> bool:
    """Whether any of the patterns names `path`."""
    return any(glob.names(path) for glob in globs)


def _glob(pattern: str, argument: str) -> Glob:
    parts = pattern.split("/")
    if not pattern or len(pattern) > MAX_PATTERN or "\0" in pattern or not parts[0] or ".." in parts:
        raise BadArguments(
            f"{argument} takes patterns of paths below the folder, like notes/**/*.md.", argument=argument
        )
    if len(parts) == 1:
        parts = ["**", *parts]
    if not parts[-1]:
        parts[-1] = "**"
    return Glob(tuple(None if part == "**" else re.compile(fnmatch.translate(part)) for part in parts))
