"""What other programs keep, written for a test and as it comes in the wild; and an import of it."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sophia.importers.importing import taken
from tests.support.house import House

STAMP = "2026-03-12T09:30:00.000Z"


def brought(home: House, *paths: Path, kind: str | None = None, dry_run: bool = False) -> dict[str, Any]:
    """What `sophia import` tells."""
    named = [str(path) for path in paths]
    return taken(home.parts.intake, named, kind, lambda _stage, _done, _of: None, dry_run=dry_run)


def reasons(told: dict[str, Any]) -> dict[str, str]:
    """Why what was left out, by the name of its file."""
    return {one["path"].rpartition("/")[2]: one["reason"] for one in told["skipped"]}


def documents(home: House) -> dict[str, dict[str, Any]]:
    """All documents by title, each with its text."""
    found = {}
    for one in home.call(home.owner, "list_documents", limit=200)["items"]:
        text = home.call(home.owner, "fetch_document", document_id=one["document_id"], length=30_000)["text"]
        found[one["title"]] = {**one, "text": text}
    return found


def written(path: Path, lines: Iterable[object], *, end: str = "\n") -> Path:
    """A file of JSON lines; a text among them is written as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shown = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    path.write_text("\n".join(shown) + end, encoding="utf-8")
    return path


def claude(kind: str, uuid: str, parent: str | None, content: object, **more: Any) -> dict[str, Any]:
    """One line of a transcript of Claude Code."""
    return {
        "parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": "/srv/ada/harbour",
        "sessionId": "s-1", "type": kind, "uuid": uuid, "timestamp": STAMP,
        "message": {"role": kind, "content": content}, **more,
    }  # fmt: skip


def codex(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    """One line of a rollout of Codex."""
    return {"timestamp": STAMP, "type": kind, "payload": payload}
