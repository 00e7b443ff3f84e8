"""Rollouts of Codex: JSON lines of `{timestamp, type, payload}`, in which what is said stands twice."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sophia.importers.brought import Brought, Item, LeftOut, Place
from sophia.importers.lines import records
from sophia.importers.transcript import Transcript, string, text_of

KIND = "codex"
AGENT = "Codex"
_BOILERPLATE = (
    "<environment_context", "<user_instructions", "<permissions", "<turn_aborted", "<user_shell_command", "<skill",
    "<collaboration_mode", "# AGENTS.md instructions",
)  # fmt: skip
"""What the program itself says in the human's place."""
_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})


def holds(record: dict[str, Any]) -> bool:
    """Whether a line is one of a rollout."""
    return record.get("type") in _TYPES and "timestamp" in record and isinstance(record.get("payload"), dict)


def read(place: Place) -> Iterator[Item]:
    """Each rollout as a document, in parts where it is long."""
    for path in place.paths:
        bad: list[tuple[int, str]] = []
        rollout = Rollout(Transcript(place.at(path), AGENT))
        with place.shelf.stream(path) as file:
            for record in records(file, bad):
                yield from rollout.line(record)
        yield from rollout.transcript.end()
        if not rollout.transcript.turns:
            yield LeftOut(place.at(path), "no_text")
        yield from (LeftOut(f"{place.at(path)}:{number}", reason) for number, reason in bad)


@dataclass
class Rollout:
    """One rollout as its lines come."""

    transcript: Transcript
    _once: tuple[str, str, str] | None = None
    """What was said last, by whom, and in which of its two forms."""

    def line(self, record: dict[str, Any]) -> Iterator[Brought]:
        """Take in one line; the parts that are full with it. The first rollouts had no payload."""
        payload, form = record.get("payload", record), str(record.get("type"))
        if not isinstance(payload, dict):
            return
        at, said = string(record.get("timestamp")), self.transcript
        kind = form if form == "session_meta" else payload.get("type")
        match kind:
            case "session_meta":
                said.session = said.session or string(payload.get("id"))
                said.project = said.project or string(payload.get("cwd"))
            case "message" if payload.get("role") in ("user", "assistant"):
                who = "human" if payload["role"] == "user" else AGENT
                yield from self._said(who, at, text_of(payload.get("content")), "item")
            case "user_message" | "agent_message":
                who = "human" if kind == "user_message" else AGENT
                yield from self._said(who, at, text_of(payload.get("message")), "event")
            case "function_call" | "custom_tool_call" | "local_shell_call":
                asked = payload.get("arguments") or payload.get("input") or payload.get("action")
                shown = asked if isinstance(asked, str) else json.dumps(asked, ensure_ascii=False)
                yield from said.did(at, f"→ {text_of(payload.get('name')) or kind} {shown}")
            case "function_call_output" | "custom_tool_call_output":
                yield from said.did(at, f"← {_output(payload.get('output'))}")
            case _:
                said.project = said.project or string(payload.get("cwd"))

    def _said(self, who: str, at: str | None, text: str, form: str) -> Iterator[Brought]:
        spoken = text.strip()
        if who == "human" and spoken.startswith(_BOILERPLATE):
            return
        if self._once is not None and self._once[:2] == (who, spoken) and self._once[2] != form:
            self._once = None
            return
        self._once = (who, spoken, form)
        yield from self.transcript.said(who, at, spoken)


def _output(output: object) -> str:
    """What came of a call: a text, or an object that holds one."""
    if isinstance(output, str) and output.startswith("{"):
        try:
            output = json.loads(output)
        except ValueError:
            return str(output)
    if isinstance(output, dict):
        return text_of(output.get("output") or output.get("content")) or json.dumps(output, ensure_ascii=False)
    return text_of(output)
