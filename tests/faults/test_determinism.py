"""The same seed gives the same history, whatever the process hashes by and wherever it stands."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.beneath import owned

HISTORY = """
import hashlib, random, sys
from pathlib import Path
from tests.support.house import house

chance = random.Random(11)
with house(directory=Path(sys.argv[1])) as home:
    agents = [home.agent(), home.agent("assistant", name="second"), home.agent("full", scope=[], name="third")]
    entities, pending = [], []
    for n in range(120):
        home.clock.turn(chance.randrange(1_000_000))
        agent, act = chance.choice(agents), chance.randrange(6)
        if act == 0:
            entities.append(home.entity(f"entity {n}"))
        elif act == 1 and entities:
            home.answer(agent, "update_entity", {"entity_id": chance.choice(entities), "name": f"name {n}"})
        elif act == 2:
            answer = home.answer(agent, "create_entity", {"kind": "k", "name": f"asked {n}"})
            pending += [answer.pending] if answer.pending else []
        elif act == 3 and pending:
            waiting = pending.pop(chance.randrange(len(pending)))
            if chance.random() < 0.7:
                home.parts.approvals.approve(waiting, "owner")
            else:
                home.parts.approvals.deny(waiting, "owner", "no")
        else:
            home.answer(agent, "list_entities", {"limit": 3})
    told = [home.databases.state.head, home.databases.ops.head, sorted(home.dump().items())]
    print(hashlib.sha256(repr(told).encode()).hexdigest())
"""


def history(place: Path, number: int, **environment: str) -> str:
    """The hash over both chains and all rows after a process of its own, with the same key, played the history."""
    own = shutil.copytree(place, place.parent / str(number))
    done = subprocess.run(
        [sys.executable, "-c", HISTORY, str(own)], capture_output=True, text=True, timeout=60, check=True,
        cwd=Path(__file__).parents[2], env={**os.environ, **environment},
    )  # fmt: skip
    return done.stdout.strip()


@pytest.mark.guarantee("4.32")
def test_the_same_seed_gives_the_same_history_in_every_process(tmp_path: Path):
    place = tmp_path / "first"
    with owned(place):
        pass
    told = {
        history(place, 1, PYTHONHASHSEED="0", TZ="UTC", LC_ALL="C"),
        history(place, 2, PYTHONHASHSEED="4242", TZ="Pacific/Kiritimati", LC_ALL="C.UTF-8"),
        history(place, 3, PYTHONHASHSEED="random", TZ="America/St_Johns"),
    }
    assert len(told) == 1
    assert len(told.pop()) == 64
