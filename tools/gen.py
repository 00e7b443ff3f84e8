"""Writes the generated documents, or with --check says which of them are stale."""

import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks import document as performance
from tools import covenant, guarantees, reference

ROOT = Path(__file__).parents[1]
DOCUMENTS: dict[str, Callable[[], str]] = {
    "docs/covenant.md": covenant.document,
    "docs/guarantees.md": guarantees.document,
    "docs/performance.md": performance.page,
    "docs/reference.md": reference.document,
}
"""Each generated document with the function that gives its text: one line a document."""


def stale(root: Path = ROOT) -> list[str]:
    """The documents whose text on disk is not what would be written now."""
    return [name for name, text in DOCUMENTS.items() if _on_disk(root / name) != text()]


def main(arguments: list[str]) -> int:
    """0 when all is fresh or was written, 1 when `--check` found something stale."""
    old = stale()
    if "--check" in arguments:
        if old:
            print(f"Stale: {', '.join(old)}. Run `make gen` and commit what it writes.")
        return int(bool(old))
    for name in old:
        (ROOT / name).write_text(DOCUMENTS[name](), encoding="utf-8")
        print(f"wrote {name}")
    return 0


def _on_disk(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
