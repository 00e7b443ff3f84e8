"""One-time codes: presence for one act, given ahead."""

from collections.abc import Iterator

import pytest

from sophia.core.clock import MINUTE
from tests.support.desk import TERMS, AtDesk, desk
from tests.support.house import house

FULL = TERMS | {"profile": "full", "can_delegate": True}


@pytest.fixture(scope="module")
def at() -> Iterator[AtDesk]:
    with house() as one:
        yield desk(one, "terminal")


def code_for(at: AtDesk, arguments: dict[str, object]) -> str:
    granting = {"command": "mint", "arguments": arguments}
    typed = at.refused("grant", granting)["details"]["type"]
    told = at.ask("grant", granting, presence={"typed": typed})
    code: str = told["code"]
    assert len(code) == 8
    assert "Mint the connection 'worker'" in told["for"]
    return code


def minted(at: AtDesk) -> int:
    return len(at.ask("connections"))


@pytest.mark.guarantee("M11")
def test_one_code_makes_one_connection(at: AtDesk):
    code, before = code_for(at, FULL), minted(at)
    at.ask("mint", FULL, pid=999, presence={"grant": code})
    assert at.refused("mint", FULL, pid=999, presence={"grant": code})["code"] == "conflict"
    assert minted(at) == before + 1


def test_a_code_is_bound_to_the_exact_parameters(at: AtDesk):
    code, before = code_for(at, FULL), minted(at)
    for other in (FULL | {"name": "other"}, FULL | {"write_approval_mode": "pre_approved"}, TERMS):
        assert at.refused("mint", other, pid=999, presence={"grant": code})["code"] == "not_permitted"
    assert at.refused("scope", {"connection_id": "x" * 36, "entity_scope": "all"}, presence={"grant": code})
    assert minted(at) == before
    at.ask("mint", FULL, pid=999, presence={"grant": code.upper()})


def test_a_code_is_good_for_five_minutes_whatever_the_wall_clock_says(at: AtDesk):
    code, clock = code_for(at, FULL), at.house.clock
    clock.set_wall(clock.now() - 60 * MINUTE)
    clock.turn(5 * MINUTE)
    assert at.refused("mint", FULL, pid=999, presence={"grant": code})["code"] == "not_permitted"
    code = code_for(at, FULL)
    clock.reboot()
    assert at.refused("mint", FULL, pid=999, presence={"grant": code})["code"] == "not_permitted"
    clock.turn(5 * MINUTE)


def test_five_wrong_tries_end_a_code(at: AtDesk):
    code = code_for(at, FULL)
    for _ in range(5):
        assert at.refused("mint", FULL, pid=999, presence={"grant": "aaaaaaaa"})["code"] == "not_permitted"
    assert at.refused("mint", FULL, pid=999, presence={"grant": code})["code"] == "not_permitted"
    assert len(at.logged("grant_refused")) >= 6


def test_the_code_itself_is_kept_nowhere(at: AtDesk):
    code = code_for(at, FULL)
    with at.house.databases.ops.reading() as rows:
        kept = str(rows.rows("SELECT * FROM grant_code")) + str(rows.rows("SELECT * FROM security_event"))
    assert code not in kept


@pytest.mark.parametrize("command", ["status", "grant", "nothing"])
def test_there_is_no_code_for_what_asks_for_nothing(at: AtDesk, command: str):
    assert at.refused("grant", {"command": command, "arguments": {}})["code"] == "bad_arguments"


def test_a_read_needs_no_code(at: AtDesk):
    granting = {"command": "call", "arguments": {"tool": "list_entities"}}
    assert at.refused("grant", granting)["code"] == "bad_arguments"
