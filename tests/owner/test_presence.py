"""The owner's presence: who may do what gives power."""

import json
from collections.abc import Iterator

import pytest

from sophia.core.clock import MINUTE
from sophia.owner.commands import COMMANDS
from sophia.owner.terminal import Terminal
from sophia.store.keys import set_passphrase
from tests.support.desk import HERE, TERMS, AtDesk, desk
from tests.support.house import House, house

PASSPHRASE = "correct horse battery staple"
ELSEWHERE = Terminal("137", 78, 2)
ACTS = {
    "mint": TERMS,
    "scope": {"entity_scope": []},
    "rotate": {},
    "approve": {"approval_id": ""},
    "deny": {"approval_id": "", "reason": "no"},
    "allow": {"tool": "update_entity", "minutes": 5},
    "grant": {"command": "mint", "arguments": TERMS},
    "call": {"tool": "create_entity", "arguments": {"kind": "person", "name": "Eve"}},
    "verify": {"accept": True},
    "revert": {"mutation_seq": 1},
    "undo": {"since": "1h"},
}
"""Acts that give power, as far as they need no file."""


@pytest.fixture(scope="module")
def place() -> Iterator[House]:
    with house() as one:
        set_passphrase(one.ownership, one.directory / "keys", False, PASSPHRASE)
        yield one


@pytest.fixture
def at_terminal(place: House) -> AtDesk:
    return desk(place, "terminal")


@pytest.fixture
def by_passphrase(place: House) -> AtDesk:
    place.clock.turn(10 * MINUTE)  # no test leaves the passphrase locked, or tries counted, for the next
    desk(place, "passphrase").ask("mint", TERMS, presence={"passphrase": PASSPHRASE})
    return desk(place, "passphrase")


def acts(place: House) -> dict[str, dict[str, object]]:
    """The acts, on a connection and a request that are there."""
    agent = place.agent("assistant")
    asked = place.refused(agent, "update_entity", entity_id=place.entity("Ada"), name="Ada L.")
    approval = {"approval_id": asked["details"]["approval_id"]}
    made: dict[str, dict[str, object]] = {name: dict(arguments) for name, arguments in ACTS.items()}
    for name in ("scope", "rotate", "allow", "undo"):
        made[name]["connection_id"] = agent.connection_id
    for name in ("approve", "deny"):
        made[name] |= approval
    return made


@pytest.mark.guarantee("PR1", "P7")
@pytest.mark.parametrize("mode", ["terminal", "passphrase"])
def test_without_a_terminal_nothing_that_gives_power_is_done(place: House, mode: str):
    at = desk(place, mode)
    for name, arguments in acts(place).items():
        for presence in ({}, {"typed": "yes"}, {"passphrase": PASSPHRASE}):
            error = at.refused(name, arguments, pid=999, presence=presence)
            assert error["code"] == "presence_refused", name
            assert "terminal" in error["message"]
    told = json.loads(at.logged("presence_refused")[-1]["details"])
    assert told["why"] == "no terminal"
    assert told["pid"] == 999


def test_each_command_that_gives_power_is_among_the_acts():
    asking = {name for name, command in COMMANDS.items() if command.confirmed}
    by_themselves = {"backup", "export", "folders grant", "import", "passphrase", "rekey", "secrets allow"}
    assert asking - set(ACTS) == by_themselves | {"forget", "forgotten allow", "import-export"}


@pytest.mark.guarantee("PR1")
def test_what_is_confirmed_is_named_and_has_to_be_typed(at_terminal: AtDesk):
    asked = at_terminal.refused("mint", TERMS)
    assert asked["code"] == "presence_required"
    assert asked["details"]["presence"] == "terminal"
    assert asked["details"]["sentence"] == (
        "Mint the connection 'worker': assistant, per_call, every entity, never expires."
    )
    assert at_terminal.refused("mint", TERMS, presence={"typed": "yes"})["code"] == "presence_refused"
    minted = at_terminal.ask("mint", TERMS, presence={"typed": asked["details"]["type"]})
    assert minted["bearer_token"].startswith("sophia_")


@pytest.mark.parametrize(
    ("minutes", "told"),
    [(1, "1 minute"), (90, "90 minutes"), (60, "1 hour"), (2880, "2 days")],
)
def test_how_long_a_connection_lives_is_told_in_units_that_people_count_in(
    at_terminal: AtDesk, minutes: int, told: str
):
    asked = at_terminal.refused("mint", TERMS | {"ttl_minutes": minutes})
    assert asked["details"]["sentence"].endswith(f"ends after {told}.")


def test_a_confirmation_of_one_thing_confirms_no_other(at_terminal: AtDesk):
    typed = at_terminal.refused("mint", TERMS)["details"]["type"]
    other = TERMS | {"name": "other"}
    assert at_terminal.refused("mint", other, presence={"typed": typed})["code"] == "presence_refused"


def test_nobody_is_asked_to_confirm_what_cannot_be(at_terminal: AtDesk):
    assert at_terminal.refused("mint", TERMS | {"profile": "Full"})["code"] == "bad_arguments"
    assert at_terminal.refused("approve", {"approval_id": "appr-none"})["code"] == "not_found"


@pytest.mark.guarantee("PR1")
def test_reading_needs_no_presence(at_terminal: AtDesk):
    for name in ("status", "connections", "approvals", "doctor", "folders list", "verify"):
        at_terminal.ask(name, pid=999)
    at_terminal.ask("call", {"tool": "list_entities"}, pid=999)


def test_a_passphrase_is_good_for_five_minutes_of_that_terminal(by_passphrase: AtDesk):
    at = by_passphrase
    assert at.refused("mint", TERMS)["details"]["presence"] == "passphrase"
    at.ask("mint", TERMS, presence={"passphrase": PASSPHRASE})
    at.ask("mint", TERMS)
    at.terminals[2] = ELSEWHERE
    assert at.refused("mint", TERMS, pid=2)["code"] == "presence_required"
    at.terminals[3] = Terminal(HERE.device, HERE.session, HERE.since + 1)
    assert at.refused("mint", TERMS, pid=3)["code"] == "presence_required", "a session that came again"
    at.house.clock.turn(5 * MINUTE)
    assert at.refused("mint", TERMS)["code"] == "presence_required"


@pytest.mark.guarantee("PR1")
def test_five_wrong_passphrases_close_the_door_for_five_minutes(by_passphrase: AtDesk):
    at = by_passphrase
    for left in (4, 3, 2, 1, 0):
        error = at.refused("mint", TERMS, presence={"passphrase": "wrong"})
        assert error["code"] == "presence_refused"
        assert error["details"]["tries_left"] == left
    locked = at.refused("mint", TERMS, presence={"passphrase": PASSPHRASE})
    assert locked["details"]["reason"] == "locked"
    assert locked["retry_after_s"] == 300
    again = desk(at.house, "passphrase")
    assert again.refused("mint", TERMS, presence={"passphrase": PASSPHRASE})["details"]["reason"] == "locked", "restart"
    counted = [json.loads(event["details"]) for event in at.logged("presence_refused")]
    assert [one["wrong"] for one in counted if one["why"] == "wrong passphrase"][-5:] == [1, 2, 3, 4, 5]
    at.house.clock.turn(5 * MINUTE)
    at.ask("mint", TERMS, presence={"passphrase": PASSPHRASE})


def test_a_right_passphrase_forgets_the_wrong_ones(by_passphrase: AtDesk):
    at = by_passphrase
    for _ in range(4):
        at.refused("mint", TERMS, presence={"passphrase": "wrong"})
    at.ask("mint", TERMS, presence={"passphrase": PASSPHRASE})
    at.terminals[2] = ELSEWHERE
    assert at.refused("mint", TERMS, pid=2, presence={"passphrase": "wrong"})["details"]["tries_left"] == 4


def test_the_run_that_makes_the_data_directory_needs_no_presence(place: House):
    assert desk(place, "terminal", fresh=True).ask("mint", TERMS, pid=999)["connection_id"]


@pytest.mark.guarantee("PR1")
def test_an_unattended_daemon_says_so(place: House):
    at = desk(place, "unattended")
    assert at.ask("status")["presence"] == "unattended"
    assert "unattended" in next(c["told"] for c in at.ask("doctor")["checks"] if c["check"] == "owner's presence")
    assert at.ask("mint", TERMS, pid=999)["connection_id"]


def test_a_passphrase_that_was_never_set_is_found_by_the_doctor():
    with house() as one:
        check = next(c for c in desk(one, "passphrase").ask("doctor")["checks"] if c["check"] == "owner's presence")
        assert not check["ok"]
        assert "passphrase" in check["fix"]


def test_a_new_passphrase_needs_the_old_one_where_there_is_one():
    with house() as one:
        at = desk(one)
        told = at.ask("passphrase", {"new": PASSPHRASE})
        assert (told["presence"], told["presence_from_next_start"]) == ("unattended", "passphrase")
        assert at.ask("status")["key_home"] == "passphrase"
        assert at.refused("passphrase", {"new": "another", "current": "wrong"})["code"] == "not_permitted"
        assert at.refused("passphrase", {"new": "another"})["code"] == "not_permitted"
        assert at.refused("passphrase", {"new": " ", "current": PASSPHRASE})["code"] == "bad_arguments"
        at.ask("passphrase", {"new": "another", "current": PASSPHRASE})
        assert PASSPHRASE not in str(at.logged("passphrase_set"))
        assert at.refused("grant", {"command": "passphrase", "arguments": {"new": "x"}})["code"] == "bad_arguments"
