"""Names the functions, classes and imports of src and tools that nothing uses, tests included."""

import sys
from pathlib import Path

from vulture.core import Vulture

ROOT = Path(__file__).parents[1]
CALLED_BY_OTHERS = ["@*.tool", "@*.command", "@*.group", "@click.*", "@*.setter"]
"""Decorators that hand a function over: to the catalog, to the command line."""
CALLED_BY_UVICORN = [
    "send_400_response",
    "_start_asgi_task",
    "_unsupported_upgrade_warning",
    "capture_signals",
    "main_loop",
]
"""Methods of the HTTP server that take the place of its parent's."""
VOCABULARY = ROOT / "src" / "sophia" / "core"
"""Words may be there before the sentences that use them."""
KINDS = frozenset({"class", "function", "import", "method", "property", "unreachable_code"})
"""Not arguments and fields: the linter looks after those, and rows are read by reflection."""


def main() -> int:
    """0 when everything is used."""
    search = Vulture(
        ignore_names=["pytest_*", "visit_*", "__*__", *CALLED_BY_UVICORN], ignore_decorators=CALLED_BY_OTHERS
    )
    search.scavenge([ROOT / "src", ROOT / "tools", ROOT / "tests"])
    own = (ROOT / "src", ROOT / "tools")
    dead = [
        item
        for item in search.get_unused_code(min_confidence=60)
        if item.typ in KINDS
        and any(folder in Path(item.filename).resolve().parents for folder in own)
        and VOCABULARY not in Path(item.filename).resolve().parents
    ]
    for item in dead:
        print(f"{Path(item.filename).resolve().relative_to(ROOT)}:{item.first_lineno}: unused {item.typ} {item.name}")
    return int(bool(dead))


if __name__ == "__main__":
    sys.exit(main())
