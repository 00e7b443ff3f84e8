"""What agents are told, and what they noted: `CLAUDE.md`, `AGENTS.md`, folders of memory. Documents, never orders."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath
from posixpath import normpath

from sophia.capabilities.documents import files
from sophia.capabilities.documents.files import FileRead
from sophia.core.errors import SophiaError
from sophia.core.source_text import Origin
from sophia.extraction import kinds
from sophia.extraction.extracted import Extracted
from sophia.importers.brought import Brought, Item, LeftOut, Place
from sophia.importers.notes import prose

KIND = "agent-notes"
DEPTH = 5
MAX_BYTES = 1_000_000
MOST = 500
"""So many files are followed from one at most."""
_NAMES = frozenset(
    {"claude.md", "claude.local.md", "agents.md", "agents.override.md", "gemini.md", "copilot-instructions.md"}
)
_IMPORT = re.compile(r"(?:^|(?<=\s))@((?:~/|\.{1,2}/|/)?[^\s@`,;:()\"']+)", re.MULTILINE)


def is_named(name: str) -> bool:
    """Whether a file of this name tells agents what to do."""
    return name.lower() in _NAMES


def is_memory(paths: Sequence[str]) -> bool:
    """Whether the files of a folder are notes that agents keep for themselves."""
    return "MEMORY.md" in paths and all(path.lower().endswith(".md") for path in paths)


def wanted(path: str) -> bool:
    """Whether a file is one of these: by its name, or in a folder of memory."""
    parts = PurePath(path).parts
    kept = "memory" in parts[:-1] or parts[-1] == "MEMORY.md" or len(parts) == 1
    return is_named(parts[-1]) or (kept and path.lower().endswith(".md"))


def read(place: Place) -> Iterator[Item]:
    """Each file as a document, and each that it imports, as far as it lies in a granted folder."""
    roots = (*place.granted, *(() if len(place.paths) == 1 else (Path(place.root),)))
    seen: set[str] = set()
    memory = is_memory(place.paths) or "/memory" in place.root
    for path in place.paths:
        origin = Origin.AGENT if (memory and not is_named(PurePath(path).name)) or "memory/" in path else Origin.IMPORT
        own = (Path(place.root),)
        yield from _followed(place, place.at(path), (own, roots), origin, seen)


def _followed(
    place: Place, location: str, roots: tuple[tuple[Path, ...], tuple[Path, ...]], origin: Origin, seen: set[str]
) -> Iterator[Item]:
    """The file, and what it imports, the nearest first."""
    waiting = [(location, 0)]
    while waiting:
        path, depth = waiting.pop(0)
        if path in seen:
            continue
        seen.add(path)
        if len(seen) > MOST:
            yield LeftOut(path, "limit_reached")
            return
        found = _opened(place, path, roots[0] if depth == 0 else roots[1])
        if isinstance(found, LeftOut):
            yield found
            continue
        yield Brought(path, found.title, found.text, origin, found.mime)
        for named in imports(found.text):
            target = _resolved(named, path)
            if depth == DEPTH:
                yield LeftOut(target, "too_deep")
            else:
                waiting.append((target, depth + 1))


def _opened(place: Place, path: str, roots: Sequence[Path]) -> Extracted | LeftOut:
    try:
        found = files.read(path, roots, place.shelf.protected, MAX_BYTES)
    except SophiaError as error:
        return LeftOut(path, "not_granted" if error.code == "not_permitted" else error.code)
    if not isinstance(found, FileRead):
        return LeftOut(path, found.reason)
    mime = kinds.mime_of(found.name)
    told = kinds.extracted(found.data, found.name, mime if mime in kinds.PLAIN else "text/plain")
    return told if isinstance(told, Extracted) else LeftOut(path, told.reason)


def imports(text: str) -> list[str]:
    """The paths that a text imports by `@path`, outside of code, each once."""
    found = (match[1].rstrip(".!?") for match in _IMPORT.finditer(prose(text)))
    return list(dict.fromkeys(one for one in found if "/" in one or "." in one))


def _resolved(named: str, path: str) -> str:
    if named.startswith("~/"):
        return str(Path(named).expanduser())
    return normpath(str(PurePath(path).parent / named))
