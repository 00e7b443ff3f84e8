"""What a source holds: documents, with what each says in a form of its own, and what of it had to be left out."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sophia.capabilities.mining.mined import Mined, Subject
from sophia.core.source_text import Origin
from sophia.importers.reading import Extracting
from sophia.importers.shelf import Shelf


@dataclass(frozen=True, slots=True)
class Brought:
    """One document of a source. Nothing above `inferred` stands on one of origin `agent`, which an agent wrote."""

    location: str
    """Where it is, once for all imports: a path, and what part of the file."""
    title: str
    text: str
    origin: Origin = Origin.IMPORT
    mime: str = "text/markdown"
    project: str | None = None
    """The folder that it is about, by its path."""
    tags: tuple[str, ...] = ()
    things: tuple[Subject, ...] = ()
    """What it speaks of, to be made as entities where it is not known."""
    statements: tuple[Mined, ...] = ()
    """What it says of them, each with its place in the text."""
    read_whole: bool = False
    """Whether the statements are all that there is to be mined."""
    about: Subject | None = None
    """Which of the things the document itself is."""
    aliases: tuple[str, ...] = ()
    """What that is called, too."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A part of a source that was not taken, and why; others are."""

    location: str
    reason: str


Item = Brought | LeftOut


@dataclass(frozen=True, slots=True)
class Place:
    """An open folder, and the files in it that a source is read from."""

    root: str
    shelf: Shelf
    paths: tuple[str, ...]
    granted: tuple[Path, ...] = ()
    """Where else files may be read that the source names."""
    extracting: Extracting | None = None
    """Who takes the text out of what only a process of its own reads."""

    def at(self, path: str) -> str:
        """The location of a file."""
        return f"{self.root.rstrip('/')}/{path}"


Read = Callable[[Place], Iterator[Item]]
