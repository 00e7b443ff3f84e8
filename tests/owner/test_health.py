"""Sophia itself: how it is, and whether the data is what was written."""

from collections.abc import Iterator

import pytest

from sophia.core.clock import SECOND
from sophia.store import anchor
from sophia.store.anchor import Anchor
from sophia.store.engine import connect
from sophia.store.verify import verified
from tests.support.desk import AtDesk, desk
from tests.support.house import House, house


@pytest.fixture
def place() -> Iterator[House]:
    with house() as one:
        for n in range(4):
            one.entity(f"Thing {n}")
        yield one


@pytest.fixture
def at(place: House) -> AtDesk:
    return desk(place)


def anchored(place: House, seq: int, link: str) -> None:
    epoch = place.databases.state.epoch
    anchor.write(place.directory / "keys", place.keys.key_id, place.keys.seal, Anchor(seq, link, epoch))


def offline(place: House, name: str, *statements: str) -> None:
    """Change a database beside the gate, as an editor with the key would."""
    key = {"state": place.keys.state, "ops": place.keys.ops}[name]
    db = connect(place.ownership, place.directory / "data" / f"{name}.db", key)
    for (trigger,) in db.execute("SELECT name FROM sqlite_schema WHERE name GLOB 'append_only_*'").fetchall():
        db.execute(f"DROP TRIGGER {trigger}")
    for statement in statements:
        db.execute(statement)
    db.close()


def test_status_tells_what_runs_and_what_waits(at: AtDesk):
    at.mint()
    at.house.clock.turn(5 * SECOND)
    told = at.ask("status")
    assert (told["running"], told["connections"], told["approvals_pending"]) == (True, 1, 0)
    assert (told["mutations"], told["uptime_s"], told["status"]) == (4, 5, "ok")
    assert told["presence"] == "unattended"


def test_a_sound_installation_passes_every_check(at: AtDesk):
    told = at.ask("doctor", {"config": True})
    assert told["ok"], told
    assert {"setting": "port", "value": "7342", "from": "default"} in told["config"]
    assert "config" not in at.ask("doctor")


def test_a_file_that_others_can_read_is_found_with_its_remedy(at: AtDesk):
    (at.house.directory / "data" / "state.db").chmod(0o644)
    check = next(check for check in at.ask("doctor")["checks"] if check["check"] == "data directory")
    assert "state.db" in check["told"]
    assert "chmod" in check["fix"]


def test_what_is_whole_is_verified(at: AtDesk):
    head = at.house.databases.state.head
    anchored(at.house, head.seq, head.hash)
    told = at.ask("verify")
    assert told["ok"]
    assert (told["anchor"], told["anchor_seq"], told["mutations"]) == ("holds", 4, 4)
    told_of = [step["step"] for step in at.steps]
    assert told_of == ["pages of state.db", "pages of ops.db", "journal", "rows", "security log"]


@pytest.mark.guarantee("A8")
@pytest.mark.parametrize(
    ("statement", "breaks_at"),
    [
        ("UPDATE mutation SET actor_name = 'nobody' WHERE seq = 2", 2),
        ("UPDATE mutation_change SET after = '{}' WHERE mutation_seq = 3", 3),
        ("DELETE FROM mutation_change WHERE mutation_seq = 3", 3),
        ("DELETE FROM mutation WHERE seq = 2", 2),
        ("DELETE FROM mutation WHERE seq = 4", 4),
    ],
)
def test_a_changed_journal_is_found_at_its_first_break(at: AtDesk, statement: str, breaks_at: int):
    offline(at.house, "state", statement)
    told = at.ask("verify")
    assert not told["ok"]
    assert told["journal_breaks_at"] == breaks_at


@pytest.mark.guarantee("A8")
@pytest.mark.parametrize(
    "statement", ["UPDATE security_event SET who = 'nobody' WHERE n = 1", "DELETE FROM security_event WHERE n = 1"]
)
def test_a_changed_security_log_is_found(at: AtDesk, statement: str):
    at.mint()
    at.mint()
    offline(at.house, "ops", statement)
    told = at.ask("verify")
    assert (told["ok"], told["security_log_breaks_at"]) == (False, 1)


@pytest.mark.guarantee("A8")
def test_an_older_state_is_told_by_its_anchor_until_the_owner_accepts_it(at: AtDesk):
    anchored(at.house, 9, "0" * 64)
    told = at.ask("verify")
    assert (told["ok"], told["anchor"], told["journal_breaks_at"]) == (False, "older", None)
    assert not next(check for check in at.ask("doctor")["checks"] if check["check"] == "anchor")["ok"]
    at.house.databases.state.read_only = "The state is older than its anchor."
    assert at.refused("call", {"tool": "create_entity", "arguments": {"kind": "k", "name": "n"}})["code"] == "read_only"
    accepted = at.ask("verify", {"accept": True})
    assert (accepted["ok"], accepted["anchor"]) == (True, "holds")
    at.ask("call", {"tool": "create_entity", "arguments": {"kind": "k", "name": "n"}})
    assert at.logged("state_accepted")[0]["who"] == "owner"


def test_an_anchor_that_somebody_made_is_told(at: AtDesk):
    anchor.path(at.house.directory / "keys", at.house.keys.key_id).write_text("{}")
    told = at.ask("verify")
    assert (told["ok"], told["anchor"]) == (False, "tampered")


def test_accepting_is_confirmed_and_reading_is_not(place: House):
    careful = desk(place, "terminal")
    assert careful.ask("verify", pid=999)["ok"]
    assert careful.refused("verify", {"accept": True})["details"]["type"] == "accept 4"


@pytest.mark.parametrize("page", [0, 8, 20, 40])
def test_a_damaged_page_is_found_whichever_it_is(place: House, page: int):
    path = place.directory / "data" / "state.db"
    place.databases.state.checkpoint()
    with path.open("r+b") as file:
        file.seek(page * 4096)
        file.write(bytes(4096))
    found = verified(place.ownership, place.keys)
    assert found.damage
    assert not found.whole


def test_a_journal_that_is_broken_all_over_is_not_counted_for_ever(place: House, monkeypatch: pytest.MonkeyPatch):
    offline(place, "state", "UPDATE mutation SET actor_name = 'nobody'")
    monkeypatch.setattr("sophia.store.verify._MOST_BREAKS", 2)
    assert verified(place.ownership, place.keys).journal_breaks == [1, 2]
