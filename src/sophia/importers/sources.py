"""The kinds of sources that are read: how each is told, which of its files are read, and by what."""

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath
from types import MappingProxyType
from typing import Any

from sophia.capabilities.documents import folders
from sophia.capabilities.documents.folders import Choice
from sophia.core.errors import LimitReached, SophiaError
from sophia.importers import agent_notes, basic_memory, claude_code, codex, mbox, memory_server, notes, obsidian, vcard
from sophia.importers.brought import Place, Read
from sophia.importers.house import Intake
from sophia.importers.lines import lines, objects
from sophia.importers.outcome import Outcome
from sophia.importers.shelf import Shelf

SNIFFED_LINES = 20
SNIFFED_FILES = 5
LOOKED_AT = 20_000
_HOMES = frozenset({".claude", ".codex"})
"""Where agents keep their transcripts, beside much else."""


@dataclass(frozen=True, slots=True)
class Source:
    """One kind of source."""

    kind: str
    collection: str
    """What its documents are kept together under."""
    wants: Callable[[str], bool]
    """Whether a file of this path is one of its own."""
    read: Read
    holds: Callable[[dict[str, Any]], bool] | None = None
    """Whether an object of a line is one of its own, for what is written in such lines."""


def _ends(*endings: str) -> Callable[[str], bool]:
    return lambda path: path.lower().endswith(endings)


SOURCES: Mapping[str, Source] = MappingProxyType(
    {
        source.kind: source
        for source in (
            Source("claude-code", "Claude Code", claude_code.wanted, claude_code.read, claude_code.holds),
            Source("codex", "Codex", _ends(".jsonl"), codex.read, codex.holds),
            Source("memory-server", "Memory server", _ends(".jsonl", ".json"), memory_server.read, memory_server.holds),
            Source("obsidian", "Obsidian", obsidian.wanted, obsidian.read),
            Source("basic-memory", "basic-memory", obsidian.wanted, basic_memory.read),
            Source("mbox", "Mail", mbox.wanted, mbox.read),
            Source("vcard", "Contacts", vcard.wanted, vcard.read),
            Source("agent-notes", "Agent notes", agent_notes.wanted, agent_notes.read),
        )
    }
)
FILES = "files"
"""What everything else is read as: files and folders of documents, which are watched."""


def told(shelf: Shelf, root: str, name: str | None) -> Source | None:
    """What the open folder holds, or the file of this name in it; `None` for files and folders of documents."""
    if name is not None:
        return _file(shelf, name)
    paths = list(islice(_walked(shelf), LOOKED_AT))
    written = [path for path in paths if path.lower().endswith((".jsonl", ".json"))]
    boxes = [path for path in paths if mbox.wanted(path) or vcard.wanted(path)]
    if boxes and 2 * len(boxes) >= len(paths):
        return _file(shelf, boxes[0])
    found = [source for path in written[:SNIFFED_FILES] if (source := _file(shelf, path)) is not None]
    if found and (2 * len(written) >= len(paths) or _HOMES & {*PurePath(root).parts}):
        return found[0]
    if _is_vault(shelf):
        return SOURCES["obsidian"]
    if agent_notes.is_memory(paths):
        return SOURCES["agent-notes"]
    written = [path for path in paths if obsidian.wanted(path)][:SNIFFED_FILES]
    here = Place("", shelf, ())
    opened = [note for path in written if isinstance(note := notes.opened(here, path), notes.Note)]
    return SOURCES["basic-memory"] if opened and all(basic_memory.is_one(note) for note in opened) else None


def _is_vault(shelf: Shelf) -> bool:
    """Whether Obsidian keeps its settings in the folder."""
    try:
        return stat.S_ISDIR(os.stat(".obsidian", dir_fd=shelf.root, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _file(shelf: Shelf, path: str) -> Source | None:
    name = PurePath(path).name
    if agent_notes.is_named(name):
        return SOURCES["agent-notes"]
    for kind, module in (("mbox", mbox), ("vcard", vcard)):
        if module.wanted(path):
            return SOURCES[kind]
    if not name.lower().endswith((".jsonl", ".json")):
        return None
    found = list(_sniffed(shelf, path))
    return next((one for one in SOURCES.values() if one.holds and any(one.holds(record) for record in found)), None)


def _sniffed(shelf: Shelf, path: str) -> Iterator[dict[str, Any]]:
    """The objects of the first lines."""
    try:
        with shelf.stream(path) as file:
            for _, line in islice(lines(file), SNIFFED_LINES):
                if line is not None:
                    yield from (found for found, _, _ in objects(line.decode("utf-8", "replace")))
    except (SophiaError, OSError, ValueError):
        return


def place(source: Source, shelf: Shelf, root: str, name: str | None, house: Intake, outcome: Outcome) -> Place:
    """The files of this source in the open folder, or the one of this name."""
    there = [name] if name is not None else list(_walked(shelf))
    paths = tuple(path for path in there if name is not None or source.wants(path))
    if len(paths) < len(there):
        outcome.skip(f"{root} ({len(there) - len(paths)} files)", "another_kind")
    return Place(root, shelf, paths, tuple(house.roots.paths()), house.extracting)


def _walked(shelf: Shelf) -> Iterator[str]:
    try:
        for seen in folders.walk(shelf.root, shelf.protected, Choice.of((), ("node_modules", "__pycache__"))):
            yield seen.path
    except LimitReached:
        return
