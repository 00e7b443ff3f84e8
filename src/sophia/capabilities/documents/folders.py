"""What a granted folder holds, in order, without following a link out of it."""

import os
from collections.abc import Iterator, Sequence

from sophia.capabilities.documents import globs
from sophia.capabilities.documents.files import refusal, step
from sophia.capabilities.documents.globs import Glob
from sophia.capabilities.documents.grants import Protected, foreign, regular
from sophia.core.errors import LimitReached, Unavailable

MAX_FILES = 100_000
MAX_DEPTH = 64

_READABLE = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def walk(
    folder: int,
    protected: Protected,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    max_files: int = MAX_FILES,
) -> Iterator[str]:
    """The paths, relative to the open folder, of the plain files in and below it, sorted by component.

    What is hidden, linked, protected or not spelled in UTF-8 is passed over, and so is what `exclude` names, whole
    folders included; with `include`, only what it names is given. `LimitReached` after `max_files`.
    """
    wanted, unwanted = globs.compiled(include, "include"), globs.compiled(exclude, "exclude")
    given = 0
    for path in _below(folder, "", protected, unwanted, MAX_DEPTH):
        if wanted and not globs.matches(path, wanted):
            continue
        given += 1
        if given > max_files:
            raise LimitReached(f"The folder holds more than {max_files} files; register smaller ones, or exclude some.")
        yield path


def _below(folder: int, prefix: str, protected: Protected, unwanted: Sequence[Glob], depth: int) -> Iterator[str]:
    for name in _names(folder):
        path = prefix + name
        if globs.matches(path, unwanted):
            continue
        try:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if regular(status):
                if not foreign(name, is_folder=False) and not protected.file(status):
                    yield path
                continue
            if not depth or globs.matches(path + "/", unwanted):
                continue
            inner = step(folder, name, protected)
        except OSError as error:
            _pass_over(error)
            continue
        try:
            yield from _below(inner, path + "/", protected, unwanted, depth - 1)
        finally:
            os.close(inner)


def _names(folder: int) -> list[str]:
    """The names in an open folder that can be shown, sorted; none where it may not be listed."""
    try:
        readable = os.open(".", _READABLE, dir_fd=folder)
        try:
            with os.scandir(readable) as entries:
                return sorted(entry.name for entry in entries if not entry.name.startswith(".") and _shown(entry.name))
        finally:
            os.close(readable)
    except OSError as error:
        _pass_over(error)
        return []


def _pass_over(error: OSError) -> None:
    """Nothing for a name that cannot be entered; `Unavailable` where that is no fault of the name's."""
    told = refusal(error)
    if isinstance(told, Unavailable):
        raise told from None


def _shown(name: str) -> bool:
    """Whether a name can be written down: it is UTF-8 and has no control characters."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return name.isprintable() or not any(character < " " or character == "\x7f" for character in name)
