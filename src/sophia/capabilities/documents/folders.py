"""What a granted folder holds, in order, without following a link out of it."""

import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from sophia.capabilities.documents import globs
from sophia.capabilities.documents.files import refusal, step
from sophia.capabilities.documents.globs import Glob
from sophia.capabilities.documents.grants import Protected, foreign, regular
from sophia.core.errors import LimitReached, Unavailable

MAX_FILES = 100_000
MAX_DEPTH = 64
MOST_LEFT_OUT = 100

_READABLE = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Seen:
    """A plain file, by its path relative to the folder, and what the file system says of it."""

    path: str
    status: os.stat_result


def unwatched(_path: str, _folder: int) -> None:
    """Nobody is told of the folders that are entered."""


@dataclass
class Sight:
    """What a walk came past without giving it, and who is told of each folder before it is listed."""

    entered: Callable[[str, int], None] = unwatched
    unreadable: list[str] = field(default_factory=list)
    """Folders that are there and could not be looked into, each with a slash at its end."""
    passed_over: Counter[str] = field(default_factory=Counter)
    """How many links, pipes and the like there were, by what they are."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Files and folders that cannot be taken in as they are called or lie, each with the reason: MOST_LEFT_OUT of them.

    Of a name that cannot be shown it is what of it can be; a folder has a slash at its end.
    """

    def leave_out(self, path: str, reason: str) -> None:
        """Count it, and keep it as a sample."""
        self.passed_over[reason] += 1
        if len(self.left_out) < MOST_LEFT_OUT:
            self.left_out[path] = reason


@dataclass(frozen=True, slots=True)
class Choice:
    """Which files of a folder are wanted."""

    include: tuple[Glob, ...] = ()
    exclude: tuple[Glob, ...] = ()
    apart: frozenset[str] = frozenset()
    """Folders within it that are registered by themselves."""

    @classmethod
    def of(cls, include: Sequence[str] = (), exclude: Sequence[str] = (), apart: Sequence[str] = ()) -> "Choice":
        """The choice that these patterns make; `BadArguments` where one is none."""
        return cls(globs.compiled(include, "include"), globs.compiled(exclude, "exclude"), frozenset(apart))

    def takes(self, path: str) -> bool:
        """Whether a file of this path is wanted, as far as `include` goes."""
        return not self.include or globs.matches(path, self.include)

    def leaves_out(self, path: str) -> bool:
        """Whether a file or folder of this path, or all below it where it ends in a slash, is not wanted."""
        return path in self.apart or globs.matches(path, self.exclude)

    def enters(self, path: str) -> bool:
        """Whether a walk of the whole folder would come to the folder of this path in it; the whole is empty."""
        parts = path.split("/") if path else []
        above = ["/".join(parts[: n + 1]) for n in range(len(parts))]
        hidden = any(_hidden(part) for part in parts)
        return not hidden and not any(self.leaves_out(one) or self.leaves_out(one + "/") for one in above)

    def finds(self, path: str) -> bool:
        """Whether a walk of the whole folder would give the plain file of this path in it."""
        above, _, name = path.rpartition("/")
        return self.enters(above) and not _hidden(name) and not self.leaves_out(path) and self.takes(path)


def walk(
    folder: int,
    protected: Protected,
    choice: Choice = Choice(),
    *,
    below: str = "",
    deep: bool = True,
    sight: Sight | None = None,
    max_files: int | None = None,
) -> Iterator[Seen]:
    """The plain files in and below the open folder, sorted by component; with `deep=False` only those in it.

    Their paths are relative to a folder in which this one is `below`. What is hidden, linked, protected, too deep or
    not spelled in UTF-8 is passed over, and so is what is left out by choice, whole folders included. `LimitReached`
    after `max_files`, or MAX_FILES.
    """
    most = MAX_FILES if max_files is None else max_files
    walker = _Walker(protected, choice, sight or Sight(), deep)
    for given, seen in enumerate(walker.below(folder, below, MAX_DEPTH)):
        if given == most:
            raise LimitReached(f"The folder holds more than {most} files; register smaller ones, or exclude some.")
        yield seen


@dataclass(frozen=True, slots=True)
class _Walker:
    protected: Protected
    choice: Choice
    sight: Sight
    deep: bool

    def below(self, folder: int, prefix: str, depth: int) -> Iterator[Seen]:
        self.sight.entered(prefix, folder)
        for name in self._names(folder, prefix):
            path = prefix + name
            if self.choice.leaves_out(path):
                continue
            try:
                status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                if regular(status):
                    wanted = not foreign(name, is_folder=False) and self.choice.takes(path)
                    if wanted and not self.protected.file(status):
                        yield Seen(path, status)
                    continue
                if not stat.S_ISDIR(status.st_mode):
                    self.sight.passed_over[_kind(status.st_mode)] += 1
                    continue
                if not self.deep or self.choice.leaves_out(path + "/"):
                    continue
                if not depth:
                    self.sight.leave_out(path + "/", "too_deep")
                    continue
                inner = step(folder, name, self.protected)
            except OSError as error:
                self._pass_over(error, path + "/")
                continue
            try:
                yield from self.below(inner, path + "/", depth - 1)
            finally:
                os.close(inner)

    def _names(self, folder: int, prefix: str) -> list[str]:
        """The names in an open folder that can be shown, sorted; none where it may not be listed."""
        try:
            readable = os.open(".", _READABLE, dir_fd=folder)
            try:
                with os.scandir(readable) as entries:
                    return sorted(one.name for one in entries if self._named(one, prefix))
            finally:
                os.close(readable)
        except OSError as error:
            self._pass_over(error, prefix)
            return []

    def _named(self, one: "os.DirEntry[str]", prefix: str) -> bool:
        """Whether the name is one to go by; what cannot be written down, and would be wanted, is left out in words."""
        if one.name.startswith(".") or shown(one.name):
            return not one.name.startswith(".")
        path, is_folder = prefix + _showable(one.name), one.is_dir(follow_symlinks=False)
        wanted = self.deep if is_folder else one.is_file(follow_symlinks=False) and self.choice.takes(path)
        if wanted and not self.choice.leaves_out(path):
            self.sight.leave_out(path + "/" * is_folder, "unprintable_name")
        return False

    def _pass_over(self, error: OSError, path: str) -> None:
        """Nothing for a name that cannot be entered; `Unavailable` where that is no fault of the name's."""
        told = refusal(error)
        if isinstance(told, Unavailable):
            raise told from None
        if not isinstance(error, FileNotFoundError):
            self.sight.unreadable.append(path)


def shown(name: str) -> bool:
    """Whether a name can be written down: it is UTF-8 and has no control characters."""
    if name.isascii() and name.isprintable():
        return True
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return name.isprintable() or not any(character < " " or character == "\x7f" for character in name)


def _showable(name: str) -> str:
    """What of a name can be shown."""
    return "".join("\ufffd" if c < " " or c == "\x7f" or "\ud800" <= c <= "\udfff" else c for c in name)


def _hidden(name: str) -> bool:
    return name.startswith(".") or not shown(name)


def _kind(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "link"
    return "pipe" if stat.S_ISFIFO(mode) else "other"
