"""The owner at a real terminal, and programs that only pretend to have one."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from sophia.store.keys import set_passphrase
from sophia.store.ownership import acquire, release
from tests.support.daemon import SOPHIA, Daemon, Place, place, running
from tests.support.pty import Screen, at_terminal

PASSPHRASE = "correct horse battery staple"
MINT = [*SOPHIA, "mint", "--name", "careful"]


@pytest.fixture(scope="module")
def asking() -> Iterator[Daemon]:
    """A daemon that asks for a typed confirmation."""
    with running(SOPHIA_PRESENCE="terminal") as daemon:
        yield daemon


@pytest.fixture(scope="module")
def guarded() -> Iterator[Daemon]:
    """A daemon whose data is under a passphrase."""
    with under_passphrase() as daemon:
        yield daemon


@contextmanager
def under_passphrase() -> Iterator[Daemon]:
    with place() as at:
        at.ask("call", "create_entity", '{"kind": "person", "name": "Ada"}')
        put_under(at, PASSPHRASE)
        del at.environ["SOPHIA_PRESENCE"]
        with running(at, "--port", "0", "--passphrase-stdin", said=f"{PASSPHRASE}\n") as daemon:
            yield daemon


def put_under(at: Place, passphrase: str) -> None:
    ownership = acquire(at.data)
    set_passphrase(ownership, at.keys, False, passphrase)
    release(ownership)


def connections(daemon: Daemon) -> int:
    return len(daemon.ask("connections"))


@pytest.mark.guarantee("PR1", "P7")
def test_without_a_terminal_the_command_line_gives_no_power(asking: Daemon):
    made = asking.ask("connections")
    acts = (
        ("mint", "--name", "sly"),
        ("grant", "folders grant", json.dumps({"path": str(asking.root)})),
        ("call", "create_entity", '{"kind": "person", "name": "Eve"}'),
        ("folders", "grant", str(asking.root)),
        ("verify", "--accept"),
    )
    for words in acts:
        said = Place.sophia(asking, *words, "--json")
        assert said.error["code"] == "presence_refused", words
    assert asking.ask("connections") == made
    assert asking.ask("call", "list_entities")["total"] == 0


@pytest.mark.guarantee("PR1")
def test_at_a_terminal_what_is_named_has_to_be_typed(asking: Daemon):
    before = connections(asking)
    with at_terminal(MINT, asking.environ) as screen:
        screen.until("Type `mint careful` to confirm: ")
        assert "assistant, per_call, every entity, never expires" in screen.shown
        screen.type("yes")
        assert screen.ended() == 1
        assert "presence_refused" in screen.shown
    with at_terminal(MINT, asking.environ) as screen:
        screen.until("to confirm: ")
        screen.type("mint careful")
        assert screen.ended() == 0
        assert "sophia_" in screen.shown
    assert connections(asking) == before + 1


@pytest.mark.guarantee("PR1")
def test_a_code_made_at_a_terminal_stands_for_its_owner_once_and_for_one_mint(asking: Daemon):
    terms = {
        "name": "coded", "profile": "observer", "entity_scope": "all", "write_approval_mode": "per_call",
        "can_delegate": False, "can_post": False, "ttl_minutes": 5, "surface": "full", "name_style": "dotted",
        "siblings_may_review": False,
    }  # fmt: skip
    with at_terminal([*SOPHIA, "grant", "mint", json.dumps(terms), "--json"], asking.environ) as screen:
        screen.until("to confirm:")
        screen.type("mint coded")
        assert screen.ended() == 0
    code = json.loads(screen.shown[screen.shown.rindex('{"code"') :])["code"]
    mint = ("mint", "--name", "coded", "--profile", "observer", "--ttl", "5", "--grant", code, "--json")
    assert asking.sophia(*mint, "--scope", "").error["code"] == "not_permitted"
    assert asking.sophia(*mint).json["name"] == "coded"
    assert asking.sophia(*mint).error["code"] == "conflict"


@pytest.mark.guarantee("PR1")
def test_a_program_that_is_fed_from_a_pipe_is_refused_at_the_best_of_terminals(asking: Daemon):
    piped = ["/bin/sh", "-c", f"echo mint careful | {shell(MINT)}"]
    with at_terminal(piped, asking.environ) as screen:
        assert screen.ended() == 1
        assert "presence_refused" in screen.shown


@pytest.mark.guarantee("P12")
def test_what_an_agent_wrote_does_not_act_on_the_terminal(asking: Daemon):
    tricky = json.dumps({"kind": "person", "name": "\x1b[2J\u202eevil\u200b"})
    with at_terminal([*SOPHIA, "call", "create_entity", tricky], asking.environ) as screen:
        screen.until("to confirm: ")
        assert "\x1b[2J" not in screen.shown
        assert "\u202e" not in screen.shown
        assert "\\u{202e}evil" in screen.shown
        screen.type("no")
        screen.ended()


@pytest.mark.guarantee("PR1")
def test_a_terminal_without_the_passphrase_is_not_enough(guarded: Daemon):
    before = connections(guarded)
    with at_terminal(MINT, guarded.environ) as screen:
        screen.until("Passphrase: ")
        screen.type("")
        assert screen.ended() == 1
        assert "presence_refused" in screen.shown
    said = Place.sophia(guarded, "mint", "--name", "sly", "--json")
    assert said.error["code"] == "presence_refused"
    assert connections(guarded) == before


@pytest.mark.guarantee("PR1")
def test_the_passphrase_is_good_for_the_session_of_that_terminal_and_is_not_shown(guarded: Daemon):
    with at_terminal(["/bin/sh", "-c", f"{shell(MINT)}; {shell(MINT)}"], guarded.environ) as screen:
        screen.until("Passphrase: ")
        screen.type(PASSPHRASE)
        assert screen.ended() == 0
        assert screen.shown.count("bearer_token") == 2
        assert screen.shown.count("Passphrase: ") == 1
        assert PASSPHRASE not in screen.shown
    with at_terminal(MINT, guarded.environ) as screen:
        screen.until("Passphrase: ")


@pytest.mark.guarantee("PR1")
def test_five_wrong_passphrases_lock_it():
    with under_passphrase() as daemon:
        with at_terminal(["/bin/sh", "-c", "; ".join([shell(MINT)] * 6)], daemon.environ) as screen:
            for wrong in range(5):
                until_count(screen, "Passphrase: ", wrong + 1)
                screen.type("wrong")
            screen.ended()
            assert screen.shown.count("That is not the passphrase.") == 5
            assert "wrong too often" in screen.shown
            assert screen.shown.count("Passphrase: ") == 5
        assert connections(daemon) == 0


def until_count(screen: Screen, text: str, times: int) -> None:
    for _ in range(400):
        if screen.shown.count(text) >= times:
            return
        screen.take(0.05)
    raise AssertionError(screen.shown)


def test_a_look_at_an_empty_state_does_not_use_up_the_first_run():
    with place(SOPHIA_PRESENCE="terminal") as at:
        at.ask("doctor")
        assert at.ask("mint", "--name", "first")["bearer_token"]
        assert at.sophia("mint", "--name", "second", "--json").error["code"] == "presence_refused"


def test_a_passphrase_is_set_at_the_terminal_and_asked_at_the_next_start():
    with place(SOPHIA_PRESENCE="terminal") as at:
        at.ask("call", "create_entity", '{"kind": "person", "name": "Ada"}', SOPHIA_PRESENCE="unattended")
        with at_terminal([*SOPHIA, "passphrase"], at.environ) as screen:
            screen.until("New passphrase: ")
            screen.type(PASSPHRASE)
            screen.until("Once more: ")
            screen.type(PASSPHRASE)
            screen.until("Type `passphrase` to confirm: ")
            screen.type("passphrase")
            assert screen.ended() == 0, screen.shown
        refused = at.sophia("connections")
        assert refused.code == 86
        assert json.loads(refused.err)["details"]["reason"] == "passphrase_needed"
        with at_terminal([*SOPHIA, "connections"], at.environ) as screen:
            screen.until("Passphrase: ")
            screen.type("wrong")
            assert screen.ended() == 86
        with at_terminal([*SOPHIA, "connections"], at.environ) as screen:
            screen.until("Passphrase: ")
            screen.type(PASSPHRASE)
            assert screen.ended() == 0
            assert "There are no connections." in screen.shown


def shell(words: list[str]) -> str:
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
