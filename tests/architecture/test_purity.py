"""The pure parts of the house: the same answer for the same question, anywhere."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOPHIA = Path(__file__).parents[2] / "src" / "sophia"
PURE = (
    "core/**/*.py",
    "ledger/**/*.py",
    "access/policy.py",
    "access/delegation.py",
    "search/fusion.py",
    "catalog/typescript.py",
)
IMPURE = frozenset(
    {"apsw", "asyncio", "os", "random", "secrets", "socket", "subprocess", "tempfile", "threading", "time", "uuid"}
)
WALL_CLOCK = frozenset({"datetime.now", "datetime.utcnow", "datetime.today", "date.today"})
MODULES = sorted(path for pattern in PURE for path in SOPHIA.glob(pattern))


def impurities(source: str) -> Iterator[str]:
    """What a module takes from outside its arguments."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] in IMPURE)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in IMPURE:
            yield str(node.module)
        elif isinstance(node, ast.Attribute) and ast.unparse(node) in WALL_CLOCK:
            yield ast.unparse(node)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOPHIA)))
def test_a_pure_module_takes_nothing_from_the_world(path: Path):
    assert list(impurities(path.read_text(encoding="utf-8"))) == []


def test_what_is_impure_would_be_found():
    source = "import os.path, json\nfrom time import time\nfrom datetime import datetime\nat = datetime.now()\n"
    assert list(impurities(source)) == ["os.path", "time", "datetime.now"]


def test_the_vocabulary_is_among_the_pure():
    assert SOPHIA / "core" / "scope.py" in MODULES
