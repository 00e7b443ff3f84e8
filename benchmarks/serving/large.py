"""A state of about a gigabyte: documents as an import leaves them, with their journal."""

import sys
import time
from pathlib import Path

from benchmarks.serving.house import settings
from sophia.opening import opened
from sophia.store.journal import Entry

WORDS = " ".join(f"word{n} of a text that somebody wrote down" for n in range(500))[:20_000]
EACH = 10
"""Documents in one mutation."""


def filled(place: Path, megabytes: int, seconds: float) -> None:
    """Add documents until the state is as large, or the time is over."""
    house = opened(settings(place))
    until, parts, n = time.monotonic() + seconds, house.parts, 0
    owner, now = parts.owner, parts.clock.now()
    size = house.ownership.directory / "state.db"
    try:
        while time.monotonic() < until and size.stat().st_size < megabytes * 2**20:
            entry = Entry(owner.user_id, owner.connection_id, owner.name, "sophia.bench", f"call-{n}", now)
            with parts.databases.state.writing(owner, entry) as unit:
                for _ in range(EACH):
                    n += 1
                    document = f"d-{n:026d}"
                    unit.tx.insert(
                        "document", id=document, title=f"Text {n}", mime="text/plain", origin="import",
                        content_sha256=f"{n:064d}", bytes=len(WORDS), chars=len(WORDS), tier="scanned",
                        connection_id="owner", created_at=now, updated_at=now,
                    )  # fmt: skip
                    unit.tx.insert("document_text", id=document, text=f"{n} {WORDS}")
    finally:
        house.close()


if __name__ == "__main__":
    folder, megabytes, seconds = sys.argv[1:]
    filled(Path(folder), int(megabytes), float(seconds))
