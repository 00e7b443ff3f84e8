"""The same commands while no daemon runs: they take ownership, and give it up again."""

import json
import os
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from sophia.cli.session import Session
from tests.support.daemon import SOPHIA, place, prints, running


@pytest.mark.guarantee("M8")
def test_a_mint_works_before_a_daemon_ever_ran_and_the_daemon_knows_it():
    with place() as at:
        minted = at.ask("mint", "--name", "early", SOPHIA_PRESENCE="terminal")
        assert minted["mcp_url"].startswith("http://127.0.0.1:")
        made = at.ask("call", "create_entity", '{"kind": "person", "name": "Ada"}')
        assert made["mutation_seq"] == 1
        assert [one["connection_id"] for one in at.ask("connections")] == [minted["connection_id"]]
        assert at.ask("verify")["ok"]
        with running(at) as daemon:
            told = Session(daemon.mcp, minted["bearer_token"]).call("get_permissions")
            assert told["connection_id"] == minted["connection_id"]
            assert at.ask("status")["mutations"] == 1


@pytest.mark.guarantee("PR1")
def test_only_the_run_that_makes_the_directory_is_not_asked():
    with place(SOPHIA_PRESENCE="terminal") as at:
        at.ask("mint", "--name", "first")
        refused = at.sophia("mint", "--name", "second", "--json")
        assert refused.error["code"] == "presence_refused"
        assert len(at.ask("connections")) == 1


@pytest.mark.guarantee("PR1")
def test_an_agents_environment_cannot_make_a_running_daemon_unattended():
    with running(SOPHIA_PRESENCE="terminal") as daemon:
        refused = daemon.sophia("mint", "--name", "sly", "--json", SOPHIA_PRESENCE="unattended")
        assert refused.error["code"] == "presence_refused"
        assert daemon.ask("status")["presence"] == "terminal"
        assert daemon.ask("connections") == []


def test_status_without_a_daemon_touches_nothing():
    with place() as at:
        told = at.ask("status")
        assert (told["running"], told["initialized"]) == (False, False)
        assert not at.data.exists()
        assert not at.keys.exists()
        assert at.ask("stop") == {"stopped": False, "message": "Sophia was not running."}
        at.ask("connections")
        assert at.ask("status")["initialized"]


def test_commands_that_meet_wait_for_each_other():
    with place() as at:
        at.ask("connections")
        with ThreadPoolExecutor(3) as pool:
            minted = list(pool.map(lambda n: at.ask("mint", "--name", f"agent {n}"), range(3)))
        assert len({one["connection_id"] for one in minted}) == 3
        assert len(at.ask("connections")) == 3


@pytest.mark.guarantee("L2")
def test_a_stopped_daemon_is_named_and_nothing_is_touched():
    with running() as daemon:
        daemon.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, daemon.pid, os.WSTOPPED | os.WNOWAIT)
        files = list(daemon.data.rglob("*.db*"))
        before = prints(files)
        for words in (("mint", "--name", "late"), ("status",), ("serve", "--port", "0"), ("verify",)):
            said = daemon.sophia(*words, "--json") if words[0] != "serve" else daemon.sophia(*words)
            assert said.code == 80, said
            told = json.loads(said.err)
            assert told["refused"] == "owner_live"
            assert told["details"]["pid"] == daemon.pid
            assert "not responding" in told["message"]
        assert prints(files) == before
        daemon.process.send_signal(signal.SIGCONT)
        assert daemon.ask("status")["running"]


def test_stop_ends_the_daemon_and_waits_for_it():
    with running() as daemon:
        told = daemon.ask("stop")
        assert told == {"stopped": True, "pid": daemon.pid, "message": f"Stopped process {daemon.pid}."}
        assert daemon.ended(5).code == 0
        assert not (daemon.data / "sophia.sock").exists()
        assert daemon.ask("status")["running"] is False


@pytest.mark.guarantee("M9")
def test_a_crash_during_a_mint_leaves_no_token_that_nobody_knows_of():
    with place() as at:
        at.ask("connections")
        crashed = at.sophia("mint", "--name", "lost", "--json", SOPHIA_FAILPOINT="ops_before_commit:kill")
        assert (crashed.code, crashed.out) == (-signal.SIGKILL, "")
        assert at.ask("connections", "--all") == []


@pytest.mark.guarantee("M9")
def test_a_bearer_that_was_never_read_is_listed_as_such_and_can_be_revoked():
    with place() as at:
        at.ask("connections")
        deaf = subprocess.Popen(
            [*SOPHIA, "mint", "--name", "unheard", "--json"], env=at.environ, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert deaf.stdout is not None
        deaf.stdout.close()
        deaf.wait(30)
        (one,) = at.ask("connections")
        assert one["delivered"] is False
        at.ask("revoke", one["connection_id"])


@pytest.mark.guarantee("M12")
def test_a_token_in_the_configuration_grants_nothing():
    with place() as at:
        at.ask("connections")
        token = "sophia_" + "a" * 43
        for text in (f'token = "{token}"', f'[connections.mine]\nbearer_token = "{token}"\nprofile = "full"'):
            (at.data / "config.toml").write_text(text)
            said = at.sophia("connections", "--json")
            assert said.error["code"] == "bad_setting"
            assert token not in said.out + said.err
        (at.data / "config.toml").unlink()
        assert at.ask("connections") == []


def test_a_command_gives_the_directory_up_when_it_is_interrupted():
    with place() as at:
        at.ask("connections")
        begun = time.monotonic()
        process = subprocess.Popen(
            [*SOPHIA, "verify"], env=at.environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )  # fmt: skip
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        assert at.ask("status")["running"] is False
        assert time.monotonic() - begun < 20
