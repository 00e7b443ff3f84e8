"""Connections at the owner's desk: exactly what was asked for, or nothing."""

import json
import re
import secrets
from collections.abc import Iterator

import pytest

from sophia.access import bearers
from tests.support.desk import TERMS, AtDesk, desk
from tests.support.house import house


@pytest.fixture(scope="module")
def at() -> Iterator[AtDesk]:
    with house() as one:
        yield desk(one)


@pytest.mark.guarantee("M3", "T9")
@pytest.mark.parametrize("profile", ["observer", "assistant", "full"])
def test_a_mint_is_exactly_what_was_asked_for_and_shows_its_token_once(at: AtDesk, profile: str):
    ada = at.house.entity("Ada")
    told = at.mint(profile=profile, entity_scope=[ada], can_delegate=True, ttl_minutes=30, name=f"one {profile}")
    assert told["bearer_token"].startswith("sophia_")
    assert told["mcp_url"] == "http://127.0.0.1:7342/mcp"
    row = next(one for one in at.ask("connections") if one["connection_id"] == told["connection_id"])
    assert (row["profile"], row["entity_scope"], row["can_delegate"]) == (profile, [ada], True)
    assert (row["created_by"], row["name"], row["delivered"]) == ("owner", f"one {profile}", False)
    agent = at.house.again(told["connection_id"])
    assert agent is not None
    permissions = at.house.call(agent, "get_permissions")
    later = json.dumps([at.ask("connections"), permissions, at.logged("minted"), at.ask("status")])
    assert told["bearer_token"] not in later
    assert told["bearer_token"][7:20] not in later
    at.ask("delivered", {"connection_id": told["connection_id"]})
    assert next(one for one in at.ask("connections") if one["connection_id"] == told["connection_id"])["delivered"]


@pytest.mark.guarantee("M4")
@pytest.mark.parametrize("profile", ["Full", "full ", "admin", "", None, 1, ["full"], "observer\0"])
def test_a_profile_is_named_exactly(at: AtDesk, profile: object):
    assert at.refused("mint", TERMS | {"profile": profile})["code"] == "bad_arguments"


@pytest.mark.guarantee("M4")
@pytest.mark.parametrize("missing", list(TERMS))
def test_nothing_is_taken_for_granted(at: AtDesk, missing: str):
    terms = {name: value for name, value in TERMS.items() if name != missing}
    error = at.refused("mint", terms)
    assert error["code"] == "bad_arguments"
    assert error["argument"] == missing


@pytest.mark.guarantee("M5")
@pytest.mark.parametrize(
    "scope",
    [
        None, "", "ALL", "all ", ["all"], {}, "e1", [""], ["e-1", "e-1"], ["e-a'b"], ["e-a%b"], ["e-a\0b"], ["e-none"],
        [f"e-{n}" for n in range(10_000)], [1], True, [["e-1"]], '["e-1"]',
    ],
    ids=lambda scope: str(scope)[:20],
)  # fmt: skip
def test_only_the_literal_all_is_every_entity(at: AtDesk, scope: object):
    before = len(at.ask("connections"))
    assert at.refused("mint", TERMS | {"entity_scope": scope})["code"] == "bad_arguments"
    assert len(at.ask("connections")) == before


@pytest.mark.guarantee("M6")
@pytest.mark.parametrize(
    "name", ["", " ", "a\u202eb", "a\u200bb", "a\x1b[31m", "x" * 10_000, "Owner", "sоphia", "my Admin", "ro\u00adot"]
)
def test_a_name_that_deceives_is_refused(at: AtDesk, name: str):
    assert at.refused("mint", TERMS | {"name": name})["code"] == "bad_arguments"
    one = at.mint()
    assert at.refused("rename", {"connection_id": one["connection_id"], "name": name})["code"] == "bad_arguments"


@pytest.mark.guarantee("M6")
def test_two_of_one_name_are_told_apart(at: AtDesk):
    at.mint(name="twin")
    at.mint(name="twin")
    twins = [one["connection_short"] for one in at.ask("connections") if one["name"] == "twin"]
    assert len(set(twins)) == 2


def test_only_a_full_connection_can_be_pre_approved(at: AtDesk):
    assert at.refused("mint", TERMS | {"write_approval_mode": "pre_approved"})["code"] == "bad_arguments"
    assert at.mint(profile="full", write_approval_mode="pre_approved")


@pytest.mark.parametrize("ttl", [0, -1, 1.5, "5", 10**9])
def test_an_impossible_lifetime_is_refused(at: AtDesk, ttl: object):
    assert at.refused("mint", TERMS | {"ttl_minutes": ttl})["code"] == "bad_arguments"


def test_a_revoked_connection_ends_and_is_only_listed_where_asked_for(at: AtDesk):
    one = at.mint(name="brief")
    told = at.ask("revoke", {"connection_id": one["connection_short"], "reason": "done"})
    assert told["revoked"] == [one["connection_id"]]
    assert at.house.again(one["connection_id"]) is None
    assert one["connection_id"] not in [row["connection_id"] for row in at.ask("connections")]
    every = {row["connection_id"]: row for row in at.ask("connections", {"include_ended": True})}
    assert every[one["connection_id"]]["status"] == "revoked"
    assert every[one["connection_id"]]["revoke_reason"] == "done"
    assert at.refused("revoke", {"connection_id": one["connection_id"]})["code"] == "not_found"
    assert at.refused("scope", {"connection_id": one["connection_id"], "entity_scope": "all"})["code"] == "not_found"


def test_a_new_scope_holds_from_the_next_call(at: AtDesk):
    ada = at.house.entity("Ada the second")
    one = at.mint(name="narrowed")
    told = at.ask("scope", {"connection_id": one["connection_id"], "entity_scope": [ada]})
    assert (told["was"], told["entity_scope"]) == ("all", [ada])
    agent = at.house.again(one["connection_id"])
    assert agent is not None
    assert at.house.call(agent, "list_entities")["total"] == 1
    unclear = {"connection_id": one["connection_id"], "entity_scope": "ALL"}
    assert at.refused("scope", unclear)["code"] == "bad_arguments"


@pytest.mark.guarantee("C6")
def test_the_owner_is_told_of_a_scope_that_cannot_be_read(at: AtDesk):
    one = at.mint(name="Blinded")
    assert next(check for check in at.ask("doctor")["checks"] if check["check"] == "scopes")["ok"]
    with at.house.databases.ops.writing() as tx:
        tx.run("UPDATE connection SET entity_scope = '{oops' WHERE id = :id", id=one["connection_id"])
    try:
        listed = next(row for row in at.ask("connections") if row["connection_id"] == one["connection_id"])
        assert listed["entity_scope"] == "unreadable: counts as empty"
        check = next(check for check in at.ask("doctor")["checks"] if check["check"] == "scopes")
        assert not check["ok"]
        assert f"Blinded ({one['connection_short']})" in check["told"]
        assert "sophia scope" in check["fix"]
        agent = at.house.again(one["connection_id"])
        assert agent is not None
        assert at.house.call(agent, "list_entities")["total"] == 0
    finally:
        at.ask("scope", {"connection_id": one["connection_id"], "entity_scope": "all"})


@pytest.mark.parametrize(("profile", "granted"), [("observer", False), ("observer", True), ("assistant", False)])
def test_whether_it_may_post_is_told_as_the_connection_itself_is_told(at: AtDesk, profile: str, granted: bool):
    one = at.mint(profile=profile, can_post=granted)
    agent = at.house.again(one["connection_id"])
    assert agent is not None
    listed = next(row for row in at.ask("connections") if row["connection_id"] == one["connection_id"])
    told = at.house.call(agent, "get_permissions")["can_post"]
    assert one["can_post"] == told == listed["can_post"]


def test_a_new_name_is_shown_with_the_old(at: AtDesk):
    one = at.mint(name="before")
    assert at.ask("rename", {"connection_id": one["connection_id"], "name": "after"})["was"] == "before"
    assert at.refused("rename", {"connection_id": "0" * 36, "name": "after"})["code"] == "not_found"


def test_a_rotation_gives_a_new_bearer(at: AtDesk):
    one = at.mint(name="rotated")
    told = at.ask("rotate", {"connection_id": one["connection_id"]})
    assert told["bearer_token"] != one["bearer_token"]
    at.house.tokens[one["connection_id"]] = told["bearer_token"]
    assert at.house.again(one["connection_id"]) is not None


def test_an_expired_connection_is_shown_as_such(at: AtDesk):
    one = at.mint(name="short", ttl_minutes=1)
    at.house.clock.turn(61_000_000)
    every = {row["connection_id"]: row["status"] for row in at.ask("connections", {"include_ended": True})}
    assert every[one["connection_id"]] == "expired"


@pytest.mark.guarantee("M7")
def test_tokens_are_unguessable_unique_and_recognisable():
    asked: list[int] = []

    def entropy(size: int) -> bytes:
        asked.append(size)
        return secrets.token_bytes(size)

    tokens = {bearers.fresh(entropy) for _ in range(10_000)}
    assert len(tokens) == 10_000
    assert set(asked) == {32}, "256 bits each"
    assert all(re.fullmatch(r"sophia_[A-Za-z0-9_-]{43}", token) for token in tokens)


@pytest.mark.guarantee("M10")
def test_what_cannot_be_logged_is_not_minted(at: AtDesk):
    before = at.ask("connections", {"include_ended": True})
    with at.house.databases.ops.writing() as tx:
        tx.run("CREATE TRIGGER full BEFORE INSERT ON security_event BEGIN SELECT raise(ABORT, 'full'); END")
    try:
        assert "bearer_token" not in str(at.refused("mint", TERMS | {"name": "unlogged"}))
    finally:
        with at.house.databases.ops.writing() as tx:
            tx.run("DROP TRIGGER full")
    assert at.ask("connections", {"include_ended": True}) == before


def test_a_worker_passes_for_nobody_by_its_name(at: AtDesk):
    worker, parent = at.mint(name="the captain")["connection_id"], at.mint()["connection_id"]
    with at.house.databases.ops.writing() as tx:
        tx.run("UPDATE connection SET parent_id = :parent WHERE id = :id", parent=parent, id=worker)
    assert at.refused("scope", {"connection_id": "the captain", "entity_scope": "all"})["code"] == "not_found"
    captain = at.mint(name="the captain")["connection_id"]
    assert at.ask("revoke", {"connection_id": "the captain"})["revoked"] == [captain]
    assert at.ask("revoke", {"connection_id": worker})["revoked"] == [worker]


def test_who_confirms_a_scope_reads_whom_it_holds():
    with house() as one:
        sat = desk(one, "terminal")
        ada = one.entity("Ada Lovelace")
        asked = TERMS | {"entity_scope": ["ada lovelace"]}
        assert "only 'Ada Lovelace'" in sat.refused("mint", asked)["details"]["sentence"]
        many = [one.entity(f"Person number {n}") for n in range(6)]
        told = sat.refused("mint", TERMS | {"entity_scope": [ada, *many]})["details"]["sentence"]
        assert "7 entities" in told
