"""What Sophia promises and which tests stand behind it: reads both, writes docs/guarantees.md."""

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROWS = ROOT / "tests" / "spec" / "guarantees.toml"


@dataclass(frozen=True)
class Row:
    """One guarantee: due `now`, with a later feature, or covered `through` other rows."""

    id: str
    title: str
    group: str
    due: str | None
    through: tuple[str, ...] = ()


def rows(path: Path = ROWS) -> dict[str, Row]:
    """Every row by its id, in the file's order."""
    found: dict[str, Row] = {}
    for group in tomllib.loads(path.read_text(encoding="utf-8"))["group"]:
        for row_id, row in group["rows"].items():
            found[row_id] = Row(row_id, row["title"], group["name"], row.get("due"), tuple(row.get("through", ())))
    return found


def covering(tests: Path = ROOT / "tests") -> dict[str, list[str]]:
    """The tests that claim each row, as `path::name` relative to the project, sorted."""
    claims: dict[str, set[str]] = {}
    for path in sorted(tests.rglob("test_*.py")):
        where = path.relative_to(tests.parent).as_posix()
        for name, row_id in _claims(ast.parse(path.read_text(encoding="utf-8")), ""):
            claims.setdefault(row_id, set()).add(f"{where}{name}")
    return {row_id: sorted(names) for row_id, names in claims.items()}


def uncovered(all_rows: dict[str, Row], claims: dict[str, list[str]]) -> list[str]:
    """The ids that are due now and that no test claims."""
    return [row.id for row in all_rows.values() if row.due == "now" and row.id not in claims]


def document() -> str:
    """The text of docs/guarantees.md."""
    all_rows, claims = rows(), covering()
    due = [row for row in all_rows.values() if row.due == "now"]
    covered = [row for row in due if row.id in claims]
    lines = [
        "# What Sophia promises",
        "",
        "<!-- Written by `make gen` from tests/spec/guarantees.toml and the tests. Do not edit. -->",
        "",
        f"{len(all_rows)} guarantees. {len(due)} are due now, of which {len(covered)} have tests that name them;",
        "the others wait for the feature that is named in their row.",
    ]
    for name in dict.fromkeys(row.group for row in all_rows.values()):
        lines += ["", f"## {name}", "", "| id | guarantee | tests |", "|---|---|---|"]
        lines += [
            f"| {row.id} | {row.title} | {_told(row, claims)} |" for row in all_rows.values() if row.group == name
        ]
    return "\n".join(lines) + "\n"


def _told(row: Row, claims: dict[str, list[str]]) -> str:
    tests = "<br>".join(f"`{name.removeprefix('tests/')}`" for name in claims.get(row.id, ()))
    if row.through:
        return "<br>".join(filter(None, [f"through {', '.join(row.through)}", tests]))
    if tests:
        return tests
    return "**none yet**" if row.due == "now" else f"pending: {row.due}"


def _claims(node: ast.AST, inside: str) -> Iterator[tuple[str, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _claims(child, f"{inside}::{child.name}")
        elif isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute) and child.func.attr == "guarantee":
            yield from ((inside, str(arg.value)) for arg in child.args if isinstance(arg, ast.Constant))
        else:
            yield from _claims(child, inside)
