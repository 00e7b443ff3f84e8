"""Sessions of Claude Code as they are found on a machine, taken in by a process that tells what it took."""

import json
import random
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.serving.house import settings
from sophia.importers.importing import taken
from sophia.opening import opened

SESSION_MB = 25
POOL = 400
"""So many texts of each size there are, in which the words are drawn anew."""


def written(folder: Path, megabytes: int) -> None:
    """Sessions of together about so many megabytes: nine tenths of them are what tools answered."""
    chance = random.Random(5)
    words = ["".join(chance.choices("etaoinshrdlu", k=chance.randint(2, 9))) for _ in range(8_000)]
    pools = {size: [" ".join(chance.choices(words, k=size // 6)) for _ in range(POOL)] for size in (400, 1_500, 20_000)}
    folder.mkdir()
    for n in range(megabytes // SESSION_MB):
        size = 0
        with (folder / f"session-{n:03}.jsonl").open("w", encoding="utf-8") as file:
            for line in _turns(n, chance, pools):
                file.write(line + "\n")
                size += len(line) + 1
                if size >= SESSION_MB * 1_000_000:
                    break


def _turns(session: int, chance: random.Random, pools: dict[int, list[str]]) -> Iterator[str]:
    before, n = None, 0
    while True:
        asked = [
            {"type": "text", "text": chance.choice(pools[1_500])},
            {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": f"cat part{n}.txt"}},
        ]
        answered = [{"type": "tool_result", "tool_use_id": f"t{n}", "content": chance.choice(pools[20_000])}]
        for role, content in (("user", chance.choice(pools[400])), ("assistant", asked), ("user", answered)):
            n += 1
            at = f"2026-05-{1 + session % 28:02}T{n // 3600 % 24:02}:{n // 60 % 60:02}:{n % 60:02}.000Z"
            yield json.dumps({
                "uuid": f"s{session}-{n}", "parentUuid": before, "sessionId": f"s{session}", "timestamp": at,
                "type": role, "cwd": "/srv/harbour", "message": {"role": role, "content": content},
            })  # fmt: skip
            before = f"s{session}-{n}"


def most_mb() -> float:
    """The most memory that this process ever had."""
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


def main(place: Path, folder: Path) -> None:
    """Tell in JSON what it took to take the folder in."""
    house = opened(settings(place))
    try:
        before, cpu, began = most_mb(), time.process_time(), time.perf_counter()
        told = taken(house.parts.intake, [str(folder)], "claude-code", lambda _stage, _done, _total: None)
        took = {"cpu": time.process_time() - cpu, "time": time.perf_counter() - began, "grown": most_mb() - before}
        print(json.dumps({**took, "documents": told["documents"]}))
    finally:
        house.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
