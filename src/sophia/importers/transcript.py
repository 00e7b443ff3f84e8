"""A conversation with an agent as a document that a person can read: who spoke, when, and what was said."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from sophia.core.source_text import Origin
from sophia.importers.brought import Brought

PART = 400_000
"""Characters after which the conversation goes on in another document; what is written stays as it is."""
MAX_SAID = 40_000
MAX_CALL = 300
MAX_THOUGHT = 600
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)
_BASE64 = re.compile(r"(?:data:[\w/+.-]{1,60};base64,)?(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{400,}={0,2}")


@dataclass
class Transcript:
    """One conversation as it is read, of which only the current part is held."""

    location: str
    agent: str
    """What the agent is called."""
    title: str | None = None
    session: str | None = None
    project: str | None = None
    began: str | None = None
    turns: int = 0
    _lines: list[str] = field(default_factory=list)
    _size: int = 0
    _parts: int = 0
    _speaker: tuple[str, str] = ("", "")

    def said(self, who: str, at: str | None, text: str, note: str = "") -> Iterator[Brought]:
        """Add what somebody said; the parts that are full with it."""
        shown = shortened(_REMINDER.sub("", text).strip(), MAX_SAID)
        if not shown:
            return
        self.turns += 1
        if who == "human" and self.title is None:
            self.title = headline(shown)
        self.began = self.began or at
        yield from self._add(who, at, shown, note)

    def did(self, at: str | None, text: str, note: str = "") -> Iterator[Brought]:
        """Add a line of what the agent did, or what came of it."""
        yield from self._add(self.agent, at, shortened(" ".join(text.split()), MAX_CALL), note)

    def end(self) -> Iterator[Brought]:
        """The last part; nothing where nobody said anything."""
        if self._lines and (self.turns or self._parts):
            yield self._part()

    def _add(self, who: str, at: str | None, text: str, note: str) -> Iterator[Brought]:
        if self._size > PART:
            yield self._part()
        spoken = f"{who}{f' ({note})' if note else ''}"
        minute = (at or "")[:16].replace("T", " ")
        if (spoken, minute) != self._speaker:
            self._speaker = (spoken, minute)
            self._put(f"\n## {spoken}{f', {minute}' if minute else ''}\n")
        self._put(text)

    def _put(self, text: str) -> None:
        self._lines.append(text)
        self._size += len(text) + 1

    def _part(self) -> Brought:
        self._parts += 1
        number = "" if self._parts == 1 else f" ({self._parts})"
        title = (self.title or f"{self.agent} {self.session or ''}".strip()) + number
        about = ", ".join(
            filter(
                None,
                (
                    f"A conversation with {self.agent}",
                    self.session and f"session {self.session}",
                    self.project and f"in {self.project}",
                    self.began and f"begun {self.began}",
                ),
            )
        )
        text = f"# {title}\n\n{about}.\n" + "\n".join(self._lines) + "\n"
        self._lines, self._size, self._speaker = [], 0, ("", "")
        place = self.location + ("" if self._parts == 1 else f"#{self._parts}")
        return Brought(place, title, text, Origin.AGENT, project=self.project)


def shortened(text: str, most: int) -> str:
    """The text without encoded pictures, and with its middle left out where it is longer than `most`."""
    shown = _BASE64.sub("(data)", text) if len(text) > 400 else text
    if len(shown) <= most:
        return shown
    ends = most // 2
    return f"{shown[:ends]} … ({len(shown) - 2 * ends} characters left out) … {shown[-ends:]}"


def headline(text: str) -> str:
    """The first words, as a title."""
    first = " ".join(text[:400].split())
    return first if len(first) <= 80 else f"{first[:79].rsplit(' ', 1)[0]}…"


def text_of(value: object) -> str:
    """A text that is one, or that stands in blocks."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in value]
        return "\n".join(part for part in parts if isinstance(part, str))
    return ""


def string(value: object) -> str | None:
    """The value, where it is a text that says something."""
    return value if isinstance(value, str) and value.strip() else None
