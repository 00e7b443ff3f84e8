"""What agents ask of the owner, at the owner's desk."""

import hashlib
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sophia.broker.protocol import framed
from sophia.core.caller import Agent
from sophia.core.clock import MINUTE
from sophia.owner import elided
from tests.support.desk import AtDesk, desk
from tests.support.house import house


@pytest.fixture(scope="module")
def at() -> Iterator[AtDesk]:
    with house() as one:
        yield desk(one)


@pytest.fixture
def agent(at: AtDesk) -> Agent:
    return at.house.agent("assistant", name="Scribe")


@pytest.fixture
def ada(at: AtDesk) -> str:
    return at.house.entity("Ada")


def filed(at: AtDesk, agent: Agent, entity_id: str, name: str = "Ada L.") -> str:
    error = at.house.refused(agent, "update_entity", entity_id=entity_id, name=name)
    assert error["code"] == "approval_pending", error
    approval_id: str = error["details"]["approval_id"]
    return approval_id


def test_a_request_is_listed_with_all_that_the_owner_has_to_know(at: AtDesk, agent: Agent, ada: str):
    approval_id = filed(at, agent, ada)
    one = next(one for one in at.ask("approvals") if one["approval_id"] == approval_id)
    assert one["connection_id"] == agent.connection_id
    assert one["connection_name"] == "Scribe"
    assert one["tool"] == "sophia.update_entity"
    assert one["arguments"] == {"entity_id": ada, "name": "Ada L."}
    assert one["preview"]["changes"][0]["after"]["name"] == "Ada L."
    assert one["preview"]["changes"][0]["before"]["name"] == "Ada"
    assert len(one["arguments_sha256"]) == 64
    assert one["arguments_bytes"] > 10
    assert one["expires_at"].endswith("Z")
    assert {"approval_id", "connection_id", "tool", "arguments", "preview", "expires_at"} <= one.keys()


def test_an_approval_runs_what_was_asked_and_wakes_who_waits(at: AtDesk, agent: Agent, ada: str, monkeypatch: Any):
    approval_id, woken = filed(at, agent, ada), list[str]()
    monkeypatch.setattr(at.house.parts.waiting, "decide", woken.append)
    told = at.ask("approve", {"approval_id": approval_id})
    assert told["status"] == "approved"
    assert told["result"]["entity"]["name"] == "Ada L."
    assert woken == [approval_id]
    assert at.refused("approve", {"approval_id": approval_id})["code"] == "conflict"
    assert at.house.call(agent, "update_entity", entity_id=ada, name="Ada L.")["mutation_seq"]


def test_a_denial_reaches_the_agent_with_its_reason(at: AtDesk, agent: Agent, ada: str):
    approval_id = filed(at, agent, ada)
    assert at.ask("deny", {"approval_id": approval_id, "reason": "not hers"})["status"] == "denied"
    error = at.house.refused(agent, "update_entity", entity_id=ada, name="Ada L.")
    assert (error["code"], error["details"]["reason"]) == ("approval_denied", "not hers")
    at.house.clock.turn(11 * MINUTE)
    again = filed(at, agent, ada)
    shown = next(one for one in at.ask("approvals") if one["approval_id"] == again)
    assert shown["preview"]["denied_before"]["reason"] == "not hers"


@pytest.mark.guarantee("P10")
def test_a_request_that_no_longer_holds_is_void(at: AtDesk, agent: Agent, ada: str):
    changed, narrowed = filed(at, agent, ada), filed(at, agent, ada, "Ada N.")
    at.house.call(at.house.owner, "update_entity", entity_id=ada, name="Ada King")
    error = at.refused("approve", {"approval_id": changed})
    assert (error["code"], error["details"]["status"]) == ("preview_changed", "void")
    at.ask("scope", {"connection_id": agent.connection_id, "entity_scope": [ada]})
    assert at.refused("approve", {"approval_id": narrowed})["code"] == "approval_void"
    assert at.house.call(at.house.owner, "get_entity", entity_id=ada)["name"] == "Ada King"


def test_the_status_of_every_request_can_be_listed(at: AtDesk, agent: Agent, ada: str):
    approval_id = filed(at, agent, ada)
    at.ask("deny", {"approval_id": approval_id})
    assert approval_id in [one["approval_id"] for one in at.ask("approvals", {"status": "denied"})]
    assert approval_id not in [one["approval_id"] for one in at.ask("approvals")]
    assert approval_id in [one["approval_id"] for one in at.ask("approvals", {"status": None})]


def test_a_tool_is_allowed_for_a_while(at: AtDesk, agent: Agent, ada: str):
    allowed = {"tool": "updateEntity", "connection_id": agent.connection_id, "minutes": 5}
    told = at.ask("allow", allowed)
    assert told["tool"] == "sophia.update_entity"
    assert at.house.call(agent, "update_entity", entity_id=ada, name="Ada A.")["mutation_seq"]
    other = at.house.agent("assistant")
    assert at.house.refused(other, "update_entity", entity_id=ada, name="Ada B.")["code"] == "approval_pending"
    at.house.clock.turn(5 * MINUTE)
    assert at.house.refused(agent, "update_entity", entity_id=ada, name="Ada C.")["code"] == "approval_pending"
    assert json.loads(at.logged("allowed")[-1]["details"]) == {"minutes": 5, "tool": "sophia.update_entity"}


@pytest.mark.parametrize(
    ("tool", "code"),
    [("create_entity", "not_permitted"), ("list_entities", "not_permitted"), ("no_such_tool", "not_found")],
)
def test_what_is_elevated_is_never_allowed_ahead(at: AtDesk, agent: Agent, tool: str, code: str):
    assert at.refused("allow", {"tool": tool, "connection_id": agent.connection_id, "minutes": 5})["code"] == code


@pytest.mark.parametrize("minutes", [0, -5, 100_000, "5", None])
def test_an_allowance_has_an_end(at: AtDesk, agent: Agent, minutes: object):
    allowed = {"tool": "update_entity", "connection_id": agent.connection_id, "minutes": minutes}
    assert at.refused("allow", allowed)["code"] == "bad_arguments"


def test_what_is_confirmed_names_who_asked_for_what(at: AtDesk, agent: Agent):
    asked = at.house.refused(agent, "create_entity", kind="person", name="Long", summary="A" * 900)
    approval_id = asked["details"]["approval_id"]
    careful = desk(at.house, "terminal")
    details = careful.refused("approve", {"approval_id": approval_id})["details"]
    assert "'Scribe'" in details["sentence"]
    assert agent.connection_short in details["sentence"]
    assert "sophia.create_entity" in details["sentence"]
    assert "SHA-256" in details["sentence"]
    assert len(details["sentence"]) < 700
    assert details["type"] == f"approve {approval_id[-6:]}"


@pytest.mark.guarantee("P9")
def test_twenty_repeats_at_once_get_the_one_result_of_the_one_run(at: AtDesk, agent: Agent, ada: str):
    approval_id = filed(at, agent, ada)
    before = at.ask("status")["mutations"]
    asking = {"entity_id": ada, "name": "Ada L."}
    with ThreadPoolExecutor(8) as pool:
        approving = pool.submit(at.answer, "approve", {"approval_id": approval_id})
        repeats = list(pool.map(lambda _n: at.house.answer(agent, "update_entity", asking), range(20)))
        assert "ok" in approving.result()
    ran = [json.loads(answer.payload) for answer in repeats if not answer.is_error]
    waited = [json.loads(answer.payload)["error"]["code"] for answer in repeats if answer.is_error]
    ran.append(at.house.call(agent, "update_entity", **asking))
    assert {told["mutation_seq"] for told in ran} == {before + 1}
    assert set(waited) <= {"approval_pending"}
    assert at.ask("status")["mutations"] == before + 1


@pytest.mark.guarantee("P11")
def test_a_request_expires_by_time_that_no_wall_clock_moves(at: AtDesk, agent: Agent, ada: str):
    approval_id, clock = filed(at, agent, ada), at.house.clock
    clock.turn(10 * MINUTE)
    clock.set_wall(clock.now() - 60 * MINUTE)
    assert approval_id not in [one["approval_id"] for one in at.ask("approvals")]
    assert at.refused("approve", {"approval_id": approval_id})["code"] == "conflict"
    fresh = filed(at, agent, ada)
    assert fresh != approval_id
    clock.reboot()
    assert at.refused("approve", {"approval_id": fresh})["code"] == "conflict"


@pytest.mark.guarantee("P13")
def test_a_flood_of_requests_stops_at_twenty_and_the_list_stays_usable(at: AtDesk, agent: Agent, ada: str):
    for n in range(20):
        filed(at, agent, ada, f"Ada {n}")
    for n in range(20, 40):
        assert at.house.refused(agent, "update_entity", entity_id=ada, name=f"Ada {n}")["code"] == "limit_reached"
    listed = [one for one in at.ask("approvals") if one["connection_id"] == agent.connection_id]
    assert len(listed) == 20
    other = filed(at, at.house.agent("assistant"), ada, "Ada of another")
    at.ask("approve", {"approval_id": other})


@pytest.mark.guarantee("P15")
def test_no_column_makes_a_connection_the_owner(at: AtDesk):
    full = at.house.agent("full", mode="pre_approved")
    with at.house.databases.ops.writing() as tx:
        names = [row["name"] for row in tx.rows("SELECT name FROM pragma_table_info('connection')")]
        assert "is_portal" not in names
        tx.run("ALTER TABLE connection ADD COLUMN is_portal INTEGER NOT NULL DEFAULT 1")
    try:
        again = at.house.again(full.connection_id)
        assert again is not None
        asked = at.house.refused(again, "create_entity", kind="person", name="Nobody's child")
        assert asked["code"] == "approval_pending"
    finally:
        with at.house.databases.ops.writing() as tx:
            tx.run("ALTER TABLE connection DROP COLUMN is_portal")


@pytest.mark.guarantee("P16")
def test_a_denial_holds_for_ten_minutes_and_is_shown_to_the_owner_after(at: AtDesk, agent: Agent, ada: str):
    first = filed(at, agent, ada)
    at.ask("deny", {"approval_id": first, "reason": "not hers"})
    for _ in range(3):
        at.house.clock.turn(3 * MINUTE)
        error = at.house.refused(agent, "update_entity", entity_id=ada, name="Ada L.")
        assert (error["code"], error["details"]["approval_id"]) == ("approval_denied", first)
    at.house.clock.turn(2 * MINUTE)
    again = filed(at, agent, ada)
    shown = next(one for one in at.ask("approvals") if one["approval_id"] == again)
    assert shown["preview"]["denied_before"] == {"approval_id": first, "reason": "not hers"}


LONG = 3_900_000


def asked_at_length(at: AtDesk, agent: Agent, n: int, body: str) -> dict[str, Any]:
    fitting = f"{n} {body}".encode()[:LONG].decode(errors="ignore")
    return at.house.refused(agent, "add_document", title=f"T{n}", body=fitting)


@pytest.mark.guarantee("P13")
def test_what_is_long_is_cut_in_the_list_and_whole_by_its_id(at: AtDesk, agent: Agent):
    body = "word " * 1_000
    approval_id = asked_at_length(at, agent, 1, body)["details"]["approval_id"]
    brief = next(one for one in at.ask("approvals") if one["approval_id"] == approval_id)
    whole = at.ask("approval", {"approval_id": approval_id})
    assert brief.keys() == whole.keys()
    assert whole["arguments"]["body"] == f"1 {body}"
    cut = brief["arguments"]["body"]
    assert cut.startswith("1 word")
    assert len(cut) < 600
    assert f"({len(body) + 2} characters, SHA-256 {hashlib.sha256(f'1 {body}'.encode()).hexdigest()})" in cut
    assert brief["preview"]["total"] == whole["preview"]["total"]
    assert brief["arguments"]["title"] == "T1"


@pytest.mark.guarantee("P13")
def test_a_list_of_the_longest_requests_fits_in_a_frame(at: AtDesk, agent: Agent):
    for n in range(3):
        assert asked_at_length(at, agent, n, "漢 " * LONG)["code"] == "approval_pending"
    listed = at.ask("approvals")
    framed({"ok": listed})
    for one in listed[:3]:
        assert one["preview"]["changes"], "what would change is shown, however long it is"
        framed({"ok": at.ask("approval", {"approval_id": one["approval_id"]})})


def test_many_small_values_are_cut_too():
    claims = [{"id": str(n), "quote": "q" * 40} for n in range(5_000)]
    told = elided.arguments({"source_id": "doc-1", "claims": claims}, elided.BRIEF)
    assert told["source_id"] == "doc-1"
    assert isinstance(told["claims"], str)
    assert len(told["claims"]) < 600
    changes = [{"table": "fact", "op": "insert", "row_id": f"new-{n}", "before": None, "after": {"a": "b" * 300}}
               for n in range(50)]  # fmt: skip
    wide = {**changes[0], "after": {f"c{n}": "b" * 300 for n in range(99)}}
    shown = elided.preview({"changes": [wide, *changes], "total": 9_000}, elided.Bounds(400, 5_000))
    assert shown["total"] == 9_000
    assert 1 < len(shown["changes"]) < 50
    assert isinstance(shown["changes"][0]["after"], str)
    assert elided.size(shown) < 6_000


@pytest.mark.guarantee("P13")
def test_what_one_connection_may_have_waiting_is_bounded_in_bytes():
    with house() as home:
        agent, at = home.agent("assistant"), desk(home)
        answers = [asked_at_length(at, agent, n, "word " * LONG) for n in range(9)]
        assert [error["code"] for error in answers] == ["approval_pending"] * 8 + ["limit_reached"]
        assert answers[-1]["details"]["limit"] == 32_000_000
        assert asked_at_length(at, home.agent("assistant"), 0, "word " * LONG)["code"] == "approval_pending"
        at.ask("deny", {"approval_id": answers[0]["details"]["approval_id"]})
        assert asked_at_length(at, agent, 10, "word " * LONG)["code"] == "approval_pending"


def test_a_request_is_found_by_its_status_however_many_came_after(at: AtDesk, agent: Agent, ada: str):
    first = filed(at, agent, ada, "the first")
    at.ask("deny", {"approval_id": first, "reason": "no"})
    with at.house.databases.ops.writing() as tx:
        row = next(iter(tx.rows("SELECT * FROM approval WHERE id = :id", id=first)))
        for n in range(250):
            more = {**row, "id": f"appr-x{n:03}", "created_at": row["created_at"] + 1 + n // 2, "status": "pending",
                    "boot_id": "another boot", "arguments_sha256": str(n)}  # fmt: skip
            tx.run(
                f"INSERT INTO approval ({', '.join(more)}) VALUES ({', '.join(f':{name}' for name in more)})", **more
            )
    try:
        assert first in [one["approval_id"] for one in at.ask("approvals", {"status": "denied"})]
        told = at.house.call(agent, "list_approvals", status="denied")
        assert [one["approval_id"] for one in told["items"]] == [first]
        seen, cursor = list[str](), None
        while True:
            told = at.house.call(agent, "list_approvals", status="expired", limit=90, cursor=cursor)
            assert told["total"] == 250
            seen += [one["approval_id"] for one in told["items"]]
            if (cursor := told.get("cursor")) is None:
                break
        assert sorted(seen) == [f"appr-x{n:03}" for n in range(250)]
        refused = at.house.refused(agent, "list_approvals", status="expire")
        assert (refused["code"], refused["argument"]) == ("bad_arguments", "status")
        assert refused["valid"] == ["approved", "denied", "expired", "failed", "pending", "void"]
    finally:
        with at.house.databases.ops.writing() as tx:
            tx.run("DELETE FROM approval WHERE id GLOB 'appr-x*'")
