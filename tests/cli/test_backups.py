"""`sophia backup` and `sophia restore`, as a person and as a script have them."""

import json
import subprocess
from collections.abc import Iterator

import pytest

from sophia.store.backup import LAST
from tests.support.daemon import Daemon, Place, Said, place, running
from tests.support.pty import at_terminal


@pytest.fixture
def daemon() -> Iterator[Daemon]:
    with running() as one:
        one.ask("call", "create_entity", '{"kind": "person", "name": "Ada"}')
        yield one


def elsewhere(at: Place, *, keys: str = "keys") -> Place:
    """An empty data directory: of the same machine, or of a new one."""
    return Place(
        at.root / "again",
        at.environ | {"SOPHIA_DATA_DIR": str(at.root / "again"), "SOPHIA_KEY_DIR": str(at.root / keys)},
    )


def piped(at: Place, said: str, *words: str) -> Said:
    told = subprocess.run(
        at.command(*words), env=at.environ, input=said, capture_output=True, text=True, timeout=60, check=False,
        start_new_session=True,
    )  # fmt: skip
    return Said(told.returncode, told.stdout, told.stderr)


@pytest.mark.guarantee("4.26")
def test_a_backup_that_a_lost_key_would_make_worthless_says_so_loudly(daemon: Daemon):
    told = daemon.sophia("backup", str(daemon.root / "b"))
    assert told.code == 0
    (key,) = daemon.keys.glob("*.key")
    assert "opens ONLY with" in told.err
    assert str(key) in told.err
    assert "warning" in daemon.ask("backup", str(daemon.root / "b"))
    new = elsewhere(daemon, keys="new-machine")
    refused = new.sophia("restore", str(daemon.root / "b"))
    assert refused.code == 86
    assert f"{key.stem}.key, which is not here" in refused.err


@pytest.mark.guarantee("4.26")
def test_a_backup_with_a_passphrase_opens_on_a_new_machine(daemon: Daemon):
    (daemon.root / "word").write_text("tr\u00e8s long\nnot this\n")
    told = daemon.ask("backup", str(daemon.root / "b"), "--passphrase-file", str(daemon.root / "word"))
    assert "warning" not in told
    assert told["opens_with"][-1] == "the passphrase that was given for it"
    assert told["mutations"] == 1
    new = elsewhere(daemon, keys="new-machine")
    assert new.sophia("restore", str(daemon.root / "b")).code == 86, "nobody can be asked"
    assert piped(new, "other\n", "restore", str(daemon.root / "b"), "--passphrase-file", "-").code == 86
    said = piped(new, "tr\u00e8s long\n", "restore", str(daemon.root / "b"), "--passphrase-file", "-", "--json")
    assert said.code == 0, said
    assert said.json["ok"]
    assert new.ask("verify")["ok"]
    assert [row["name"] for row in new.ask("call", "list_entities")["items"]] == ["Ada"]
    for words in (("backup", "c"), ("restore", "c")):
        assert daemon.sophia(*words, "--passphrase-file", "/nowhere/word", "--json").error["code"] == "bad_arguments"


def test_without_a_daemon_a_backup_is_made_and_put_back_as_well():
    with place() as at:
        at.ask("call", "create_entity", '{"kind": "person", "name": "Ada"}')
        bearer = at.ask("mint", "--name", "agent")["connection_id"]
        told = at.sophia("backup", str(at.root / "b"))
        assert told.code == 0
        assert "opens_with" in told.out
        again = elsewhere(at)
        said = again.sophia("restore", str(at.root / "b"))
        assert said.code == 0, said
        assert "Every connection was ended" in said.out
        assert bearer not in [one["connection_id"] for one in again.ask("connections")]
        twice = again.sophia("restore", str(at.root / "b"), "--json")
        assert twice.error["code"] == "conflict"
        assert again.ask("verify")["ok"]


@pytest.mark.guarantee("4.26", "PR1")
def test_whoever_chooses_the_passphrase_of_a_backup_has_to_be_the_owner():
    """A backup without one opens with nothing that an agent has; one with a passphrase would be all that there is."""
    with running(SOPHIA_PRESENCE="terminal") as daemon:
        (daemon.root / "word").write_text("mine\n")
        daemon.ask("backup", str(daemon.root / "b"))
        sly = daemon.sophia("backup", str(daemon.root / "c"), "--passphrase-file", str(daemon.root / "word"), "--json")
        assert sly.error["code"] == "presence_refused"
        granted = daemon.sophia("grant", "backup", json.dumps({"path": "/b", "passphrase": "x"}), "--json")
        assert granted.error["code"] == "bad_arguments", "no digest of a passphrase is kept"
        assert not (daemon.root / "c").exists()
        with at_terminal(daemon.command("backup", str(daemon.root / "c"), "--passphrase"), daemon.environ) as screen:
            screen.until("Passphrase of the backup: ")
            screen.type("long\n")
            screen.until("Once more: ")
            screen.type("long\n")
            screen.until("Type `backup` to confirm: ")
            screen.type("backup\n")
            assert screen.ended() == 0
        new = elsewhere(daemon, keys="new-machine")
        with at_terminal(new.command("restore", str(daemon.root / "c"), "--passphrase"), new.environ) as screen:
            screen.until("Passphrase of the backup: ")
            screen.type("long\n")
            assert screen.ended() == 0


def test_two_passphrases_that_are_not_the_same_make_no_backup():
    with place() as at:
        with at_terminal(at.command("backup", str(at.root / "b"), "--passphrase"), at.environ) as screen:
            screen.until("Passphrase of the backup: ")
            screen.type("long\n")
            screen.until("Once more: ")
            screen.type("longer\n")
            assert screen.ended() == 1
        assert not (at.root / "b").exists()


def test_what_cannot_be_opened_names_the_last_backup(daemon: Daemon):
    daemon.ask("backup", str(daemon.root / "b"))
    daemon.stopped()
    at = Place(daemon.root, daemon.environ)
    content = bytearray((at.data / "state.db").read_bytes())
    content[4096 + 100] ^= 1
    (at.data / "state.db").write_bytes(content)
    said = at.sophia("serve", "--port", "0")
    assert said.code == 86
    told = json.loads(said.err)
    assert f"The last backup: {daemon.root / 'b'}" in told["message"]
    assert told["details"]["last_backup"] == str(daemon.root / "b")
    (at.data / LAST).unlink()
    (at.data / "before-upgrade").mkdir(mode=0o700)
    copy = at.data / "before-upgrade" / "epoch-1.1.backup"
    copy.touch()
    assert str(copy) in json.loads(at.sophia("serve", "--port", "0").err)["message"]
