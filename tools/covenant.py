"""What an owner can rely on: a few promises, the guarantees that each rests on, and the tests that prove those."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from tools import guarantees
from tools.guarantees import ROOT, Row

PROMISES = ROOT / "tests" / "spec" / "covenant.toml"


@dataclass(frozen=True)
class Promise:
    """One promise in words, and the rows that it rests on."""

    name: str
    text: str
    rows: tuple[Row, ...]

    def pending(self, known: dict[str, Row], claims: dict[str, list[str]]) -> list[Row]:
        """The rows that nothing proves yet."""
        return [row for row in self.rows if not proven(row, known, claims)]


def proven(row: Row, known: dict[str, Row], claims: dict[str, list[str]]) -> bool:
    """Whether tests stand behind a row, or behind all the rows that it goes through."""
    if row.through:
        return all(proven(known[other], known, claims) for other in row.through)
    return row.due == "now" and row.id in claims


def promises(known: dict[str, Row], path: Path = PROMISES) -> list[Promise]:
    """The promises; `ValueError` for a group or a row that there is not."""
    found = []
    groups = {row.group for row in known.values()}
    for told in tomllib.loads(path.read_text(encoding="utf-8"))["promise"]:
        named = set(told.get("rows", ()))
        whole = set(told.get("groups", ()))
        if unknown := (named - known.keys()) | (whole - groups):
            raise ValueError(f"{told['name']} rests on {sorted(unknown)}, of which there is none")
        rows = tuple(row for row in known.values() if row.id in named or row.group in whole)
        found.append(Promise(told["name"], " ".join(told["text"].split()), rows))
    return found


def document(path: Path = PROMISES) -> str:
    """The text of docs/covenant.md."""
    known, claims = guarantees.rows(), guarantees.covering()
    found = promises(known, path)
    lines = [
        "# What you can rely on",
        "",
        "<!-- Written by `make gen` from tests/spec/covenant.toml, guarantees.toml and the tests. Do not edit. -->",
        "",
        "The promises to whoever owns the data. Each rests on guarantees, and each guarantee on tests that fail when",
        "it does not hold; where something is still to come, it says so. All guarantees are in",
        "[guarantees.md](guarantees.md), and what they hold against is in [security.md](security.md).",
        "",
        "| promise | proven | pending |",
        "|---|---|---|",
    ]
    for promise in found:
        waiting = len(promise.pending(known, claims))
        anchor = re.sub(r"[^a-z0-9-]", "", promise.name.lower().replace(" ", "-"))
        lines.append(f"| [{promise.name}](#{anchor}) | {len(promise.rows) - waiting} | {waiting or '–'} |")
    for promise in found:
        lines += ["", f"## {promise.name}", "", promise.text, ""]
        pending = {row.id for row in promise.pending(known, claims)}
        if pending:
            verb = "guarantee it rests on is" if len(pending) == 1 else "guarantees it rests on are"
            lines += [f"**Not whole yet: {len(pending)} {verb} pending.** What they wait for is named below.", ""]
        lines += ["| id | guarantee | proven by |", "|---|---|---|"]
        lines += [f"| {row.id} | {row.title} | {_told(row, claims, pending)} |" for row in promise.rows]
    return "\n".join(lines) + "\n"


def _told(row: Row, claims: dict[str, list[str]], pending: set[str]) -> str:
    if row.id in pending:
        return f"**pending: {row.due}**" if row.due not in (None, "now") else "**pending: a test**"
    tests = "<br>".join(f"`{name.removeprefix('tests/')}`" for name in claims.get(row.id, ()))
    return tests or f"through {', '.join(row.through)}"
