"""Transcripts of Claude Code: a file of JSON lines for each session, in a folder named after the working directory."""

import json
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from sophia.importers import agent_notes
from sophia.importers.brought import Brought, Item, LeftOut, Place
from sophia.importers.lines import records
from sophia.importers.transcript import MAX_THOUGHT, Transcript, shortened, string, text_of

KIND = "claude-code"
AGENT = "Claude Code"
KNOWN = 10_000
"""So many of the last turns are remembered, to see that a session was resumed or went back."""
_NOTED = frozenset({"summary", "ai-title", "custom-title"})


def wanted(path: str) -> bool:
    """Whether a file is a transcript, or a note of its memory."""
    return path.lower().endswith(".jsonl") or (path.lower().endswith(".md") and "memory/" in path)


def holds(record: dict[str, Any]) -> bool:
    """Whether a line is one of such a transcript."""
    if record.get("type") in _NOTED:
        return "leafUuid" in record or "sessionId" in record
    return "uuid" in record and "parentUuid" in record and "sessionId" in record


def read(place: Place) -> Iterator[Item]:
    """Each session as a document, in parts where it is long; and what Claude Code keeps in its folders of memory."""
    memory = tuple(path for path in place.paths if path.lower().endswith(".md"))
    yield from agent_notes.read(replace(place, paths=memory))
    for path in place.paths:
        if path in memory:
            continue
        bad: list[tuple[int, str]] = []
        session = Session(Transcript(place.at(path), AGENT))
        with place.shelf.stream(path) as file:
            for record in records(file, bad):
                yield from session.turn(record)
        yield from session.transcript.end()
        if not session.transcript.turns:
            yield LeftOut(place.at(path), "no_text")
        yield from (LeftOut(f"{place.at(path)}:{number}", reason) for number, reason in bad)


@dataclass
class Session:
    """One session as its lines come: a tree of turns, written down in the order of the file."""

    transcript: Transcript
    _seen: "OrderedDict[str, None]" = field(default_factory=OrderedDict)
    _asked: "OrderedDict[str, None]" = field(default_factory=OrderedDict)

    def turn(self, record: dict[str, Any]) -> Iterator[Brought]:
        """Take in one line; the parts that are full with it."""
        said, kind = self.transcript, record.get("type")
        said.session = said.session or string(record.get("sessionId"))
        said.project = said.project or string(record.get("cwd"))
        if kind in _NOTED:
            told = string(record.get("customTitle") or record.get("aiTitle") or record.get("summary"))
            said.title = (said.title or told) if kind == "summary" else (told or said.title)
        message = record.get("message")
        if kind not in ("user", "assistant") or not isinstance(message, dict) or record.get("isMeta"):
            return
        if _again(self._seen, record.get("uuid")):
            return
        at, note = string(record.get("timestamp")), "side chain" if record.get("isSidechain") else ""
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for block in blocks if isinstance(blocks, list) else ():
            if isinstance(block, dict):
                yield from self._block(block, str(kind), record, at, note)

    def _block(
        self, block: dict[str, Any], kind: str, record: dict[str, Any], at: str | None, note: str
    ) -> Iterator[Brought]:
        said, what = self.transcript, block.get("type")
        if what == "text" and kind == "assistant":
            yield from said.said(AGENT, at, text_of(block.get("text")), note)
        elif what == "text":
            back = not note and _again(self._asked, record.get("parentUuid"))
            yield from said.said(
                "human", at, text_of(block.get("text")), note or ("from an earlier turn" if back else "")
            )
        elif what == "thinking" and string(block.get("thinking")):
            yield from said.did(at, f"(thinking) {shortened(text_of(block['thinking']), MAX_THOUGHT)}", note)
        elif what == "tool_use":
            asked = json.dumps(block.get("input"), ensure_ascii=False)
            yield from said.did(at, f"→ {text_of(block.get('name'))} {asked}", note)
        elif what == "tool_result":
            yield from said.did(at, f"← {text_of(block.get('content')) or '(nothing to read)'}", note)
        elif what == "image":
            yield from said.did(at, "(a picture)", note)


def _again(known: "OrderedDict[str, None]", uuid: object) -> bool:
    """Whether this one was there before, as far back as is remembered."""
    if not isinstance(uuid, str):
        return False
    if uuid in known:
        return True
    known[uuid] = None
    if len(known) > KNOWN:
        known.popitem(last=False)
    return False
