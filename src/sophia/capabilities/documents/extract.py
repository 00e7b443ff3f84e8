"""The text of a file: which kinds are read, and how each gives its text and title."""

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from types import MappingProxyType

from sophia.core.errors import TooLarge
from sophia.core.source_text import stored

MAX_TITLE = 200

_FRONT_MATTER = re.compile(r"---[ \t]*\n((?:.*\n){0,200}?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_TITLE_LINE = re.compile(r"^title[ \t]*:[ \t]*(.+?)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_FENCE = re.compile(r" {0,3}(?:`{3}|~{3})")
_ATX = re.compile(r" {0,3}#{1,6}(?:[ \t]+|$)")
_SETEXT = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*$")
_MARKUP = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)|(?<!\w)[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}(?!\w)")


@dataclass(frozen=True, slots=True)
class Extracted:
    """The stored text of a file, its title and its kind."""

    text: str
    title: str
    mime: str


@dataclass(frozen=True, slots=True)
class Unextracted:
    """A file without a text: `not_text`, `unsupported_type` or `too_large`, and what to tell."""

    reason: str
    message: str


Extractor = Callable[[bytes, str], Extracted | Unextracted]


def extracted(data: bytes, name: str, mime: str | None = None) -> Extracted | Unextracted:
    """The text of a file of this name; `mime`, where it is given, says what it is, else the name's ending does."""
    kind = mime.partition(";")[0].strip().lower() if mime else mime_of(name)
    extractor = EXTRACTORS.get(kind or "")
    if extractor is None:
        return Unextracted(
            "unsupported_type", f"Files of the type {kind or PurePath(name).suffix or '?'} are not read yet."
        )
    return extractor(data, name)


def mime_of(name: str) -> str | None:
    """The kind that a name's ending says; `None` where it says none that is known."""
    return MIMES.get(PurePath(name).suffix.lower())


def _markdown(data: bytes, name: str) -> Extracted | Unextracted:
    text = _decoded(data)
    if isinstance(text, Unextracted):
        return text
    return Extracted(text, _front_matter_title(text) or _heading(text) or _named(name), "text/markdown")


def _plain(data: bytes, name: str) -> Extracted | Unextracted:
    text = _decoded(data)
    return text if isinstance(text, Unextracted) else Extracted(text, _named(name), "text/plain")


def _decoded(data: bytes) -> str | Unextracted:
    """The stored text of UTF-8, or of UTF-16 that says so. Nothing is guessed: a wrong guess would be quoted."""
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        return Unextracted("not_text", f"This is no {encoding.upper()} text: byte {error.start} cannot be read.")
    if "\0" in text:
        return Unextracted("not_text", "This is no text: it holds NUL characters.")
    try:
        return stored(text)
    except TooLarge as error:
        return Unextracted("too_large", error.message)


def _front_matter_title(text: str) -> str | None:
    block = _FRONT_MATTER.match(text)
    found = _TITLE_LINE.search(block[1]) if block else None
    if not found:
        return None
    said = found[1]
    return _shown(said[1:-1] if len(said) > 1 and said[0] == said[-1] and said[0] in "\"'" else said)


def _heading(text: str) -> str | None:
    """The first heading outside of code."""
    block = _FRONT_MATTER.match(text)
    fenced, before = False, ""
    for line in text[block.end() if block else 0 :].split("\n"):
        if _FENCE.match(line):
            fenced, before = not fenced, ""
            continue
        if fenced:
            continue
        if marker := _ATX.match(line):
            title = _shown(line[marker.end() :].rstrip().rstrip("#"))
            if title:
                return title
        elif before and _SETEXT.match(line):
            return _shown(before)
        before = line.strip()
    return None


def _named(name: str) -> str:
    return _shown(PurePath(name).stem) or "untitled"


def _shown(title: str) -> str | None:
    """A title on one line, without the marks of Markdown."""
    plain = " ".join(_MARKUP.sub(lambda found: found[1] or "", title[: 2 * MAX_TITLE]).split())
    return plain[:MAX_TITLE].strip() or None


EXTRACTORS: MappingProxyType[str, Extractor] = MappingProxyType({"text/markdown": _markdown, "text/plain": _plain})
"""Which kinds are read, and by what."""
MIMES: MappingProxyType[str, str] = MappingProxyType(
    dict.fromkeys((".md", ".markdown", ".mdown", ".mkd"), "text/markdown")
    | dict.fromkeys((".txt", ".text", ".log", ".rst", ".org", ".adoc", ""), "text/plain")
)
"""Which kind a name's ending says."""
