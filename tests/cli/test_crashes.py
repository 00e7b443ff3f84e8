"""A crash at the worst moment, and what is there after it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sophia.cli.failed import Failed
from sophia.cli.session import Session
from tests.support.daemon import Daemon, place, running

BOOT = Path(__file__).parents[1] / "support" / "dying_boot.py"


def filed(daemon: Daemon) -> tuple[str, str, str]:
    """A request that waits for the owner, its connection's bearer, and the entity that it would change."""
    made = daemon.ask("call", "create_entity", '{"kind": "person", "name": "Ada"}')["entity"]["entity_id"]
    bearer = daemon.ask("mint", "--name", "agent")["bearer_token"]
    with pytest.raises(Failed) as pending:
        Session(daemon.mcp, bearer).call("update_entity", entity_id=made, name="Ada L.")
    return pending.value.error["details"]["approval_id"], bearer, made


@pytest.mark.guarantee("P9", "P14")
@pytest.mark.parametrize(
    ("failpoint", "ran"),
    [("before_commit", False), ("after_commit", True)],
    ids=["between approval and execution", "between execution and its mark"],
)
def test_an_approval_runs_at_most_once_over_a_crash(failpoint: str, ran: bool):
    with place() as at:
        with running(at) as daemon:
            approval_id, bearer, ada = filed(daemon)
            daemon.stopped()
        crashed = at.sophia("approve", approval_id, SOPHIA_FAILPOINT=f"{failpoint}:kill")
        assert crashed.code == -signal.SIGKILL
        with running(at) as daemon:
            waiting = [one["approval_id"] for one in daemon.ask("approvals")]
            assert waiting == ([] if ran else [approval_id]), "the state tells which it was"
            if not ran:
                daemon.ask("approve", approval_id)
            again = Session(daemon.mcp, bearer).call("update_entity", entity_id=ada, name="Ada L.")
            assert again["mutation_seq"] == 2
            assert daemon.ask("status")["mutations"] == 2
            assert daemon.ask("verify")["ok"]


@pytest.mark.guarantee("L20")
def test_a_crash_at_any_step_of_a_first_boot_leaves_nothing_that_the_next_trips_over(tmp_path: Path):
    told = subprocess.run(
        [sys.executable, str(BOOT), str(tmp_path / "r")], capture_output=True, text=True, timeout=100, check=False,
        cwd=Path(__file__).parents[2], stdin=subprocess.DEVNULL,
    )  # fmt: skip
    steps = [json.loads(line) for line in told.stdout.splitlines()]
    assert told.returncode == 0, told.stderr
    assert len(steps) > 10
    assert {step["died"] for step in steps[:-1]} == {-signal.SIGKILL}
    assert [step for step in steps if step["again"] != 0] == [], told.stderr
    whole = steps[-1]["left"]
    assert [step for step in steps if len(step["left"]) > len(whole)] == [], "no half-made file stays behind"


def test_a_daemon_is_ready_on_an_empty_directory_after_five_seconds_of_a_processor():
    """Of its own time, which is a second where nothing counts its lines: other programs may have the processor."""
    with running() as daemon:
        used = Path(f"/proc/{daemon.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
        assert sum(map(int, used)) / os.sysconf("SC_CLK_TCK") < 5
