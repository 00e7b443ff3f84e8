"""Taking writes back: exactly, once, never over what came later, and never further than the caller sees."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sophia.importers.paths import import_paths
from sophia.store.journal import Entry
from tests.support.beneath import bare
from tests.support.desk import desk
from tests.support.house import House, house
from tests.support.pictures import differing, picture


@pytest.fixture(scope="module")
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


def told(home: House, seq: int, **more: Any) -> set[tuple[int, str]]:
    """The conflicts of a refused revert: each mutation, and the table of its row."""
    error = home.refused(home.owner, "revert_mutation", mutation_seq=seq, **more)
    assert error["code"] == "conflict", error
    return {(one["mutation_seq"], one["table"]) for one in error["details"]["conflicts"]}


def write(home: House, tool: str, /, **arguments: Any) -> int:
    seq: int = home.call(home.owner, tool, **arguments)["mutation_seq"]
    return seq


@pytest.mark.guarantee("J3")
def test_a_later_change_of_the_row_is_named_and_never_written_over(home: House):
    ada = home.entity("Ada")
    first = write(home, "update_entity", entity_id=ada, summary="one")
    second = write(home, "update_entity", entity_id=ada, name="Ada L.")
    before = picture(home)
    assert told(home, first) == {(second, "entity")}
    check = home.call(home.owner, "check_revert", mutation_seq=first)
    assert not check["possible"]
    assert check["conflicts"] == [{"table": "entity", "row_id": ada, "mutation_seq": second}]
    assert differing(before, picture(home)) == {}

    both = home.call(home.owner, "revert_mutation", mutation_seq=first, cascade=True)
    assert both["reverted"] == [first, second]
    held = home.call(home.owner, "get_entity", entity_id=ada)
    assert (held["name"], "summary" in held) == ("Ada", False)
    home.call(home.owner, "revert_mutation", mutation_seq=both["mutation_seq"])
    assert differing(before, picture(home)) == {}


@pytest.mark.guarantee("J4")
def test_a_creation_names_all_that_hangs_on_it_and_takes_it_along_when_asked(home: House):
    empty = picture(home)
    made = home.call(home.owner, "create_entity", kind="person", name="Augusta", aliases=["The countess"])
    seq, ada = made["mutation_seq"], made["entity"]["entity_id"]
    document = home.call(home.owner, "add_document", title="Log", body="Ada sailed.", entity_ids=[ada], tags=["sea"])
    claim = {"id": "c", "entity": ada, "predicate": "did", "object": "sailed", "quote": "Ada sailed"}
    graph = write(home, "submit_claim_graph", source_id=document["document"]["document_id"], claims=[claim])
    alias = write(home, "add_alias", entity_id=ada, alias="Lovelace")
    goal = write(home, "set_goal", title="Sail", entity_ids=[ada])
    hangs = {
        (document["mutation_seq"], "document_entity"),
        (graph, "fact"),
        (alias, "entity_alias"),
        (goal, "goal_entity"),
    }
    assert told(home, seq) == hangs

    check = home.call(home.owner, "check_revert", mutation_seq=seq, cascade=True)
    every = [seq, document["mutation_seq"], graph, alias, goal]
    assert (check["possible"], check["would_revert"]) == (True, every)
    agent = home.agent("full")
    asked = home.refused(agent, "revert_mutation", mutation_seq=seq, cascade=True)
    with home.databases.ops.reading() as rows:
        preview = rows.value("SELECT preview FROM approval WHERE id = :id", id=asked["details"]["approval_id"])
    assert json.loads(preview)["total"] == check["rows"]
    assert {one["op"] for one in json.loads(preview)["changes"]} == {"delete"}

    whole = picture(home)
    back = home.call(home.owner, "revert_mutation", mutation_seq=seq, cascade=True)
    assert back["reverted"] == every
    assert differing(empty, picture(home)) == {}
    assert home.call(home.owner, "search", query="sailed")["total"] == 0
    home.call(home.owner, "revert_mutation", mutation_seq=back["mutation_seq"])
    assert differing(whole, picture(home)) == {}
    assert home.call(home.owner, "search_documents", query="sailed")["total"] == 1


@pytest.mark.guarantee("J6")
def test_a_write_may_be_taken_back_and_forth_any_number_of_times(home: House):
    ada = home.entity("Ada")
    seq = last = write(home, "update_entity", entity_id=ada, summary="one")
    after = picture(home)
    for times in range(4):
        last = write(home, "revert_mutation", mutation_seq=last)
        assert ("summary" in home.call(home.owner, "get_entity", entity_id=ada)) is (times % 2 == 1)
    assert differing(after, picture(home)) == {}
    # What was taken back and forth since stands in nobody's way.
    again = home.call(home.owner, "revert_mutation", mutation_seq=seq)
    assert again["reverted"] == [seq]
    assert told_once(home, seq) == again["mutation_seq"]


def told_once(home: House, seq: int) -> int:
    error = home.refused(home.owner, "revert_mutation", mutation_seq=seq, cascade=True)
    assert error["code"] == "conflict"
    by: int = error["details"]["reverted_by"]
    return by


@pytest.mark.guarantee("J7")
def test_of_ten_reverts_at_once_one_is_done(home: House):
    ada = home.entity("Ada")
    seq = write(home, "update_entity", entity_id=ada, summary="one")
    before = home.call(home.owner, "list_mutations")["total"]
    answers: list[dict[str, Any]] = []

    def one() -> None:
        answers.append(json.loads(home.answer(home.owner, "revert_mutation", {"mutation_seq": seq}).payload))

    threads = [threading.Thread(target=one) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done = [answer for answer in answers if "mutation_seq" in answer]
    assert len(done) == 1
    refused = [answer["error"] for answer in answers if "error" in answer]
    assert {(one["code"], one["details"]["reverted_by"]) for one in refused} == {("conflict", done[0]["mutation_seq"])}
    assert home.call(home.owner, "list_mutations")["total"] == before + 1


@pytest.mark.guarantee("J9")
@pytest.mark.parametrize(
    ("profile", "mode"), [("full", "pre_approved"), ("full", "per_call"), ("assistant", "per_call")]
)
def test_a_revert_by_an_agent_waits_for_the_owner(home: House, profile: str, mode: str):
    seq = write(home, "update_entity", entity_id=home.entity("Ada"), summary="one")
    agent = home.agent(profile, mode=mode)
    asked = home.refused(agent, "revert_mutation", mutation_seq=seq)
    assert asked["code"] == ("approval_pending" if profile == "full" else asked["code"])
    assert asked["code"] in ("approval_pending", "write_not_permitted")
    if profile == "full":
        home.parts.approvals.approve(asked["details"]["approval_id"], "owner")
        done = home.call(agent, "revert_mutation", mutation_seq=seq)
        listed = home.call(home.owner, "list_mutations")["items"]
        assert (listed[0]["mutation_seq"], listed[0]["actor_name"]) == (done["mutation_seq"], "agent")
    assert home.refused(home.agent("observer"), "revert_mutation", mutation_seq=seq)["code"] == "write_not_permitted"


@pytest.mark.guarantee("J10", "C5")
def test_a_revert_stays_within_the_scope(home: House):
    mine, theirs = home.entity("mine"), home.entity("theirs")
    hidden = write(home, "update_entity", entity_id=theirs, summary="x")
    both = write(home, "remember_fact", entity_id=mine, predicate="knows", object=theirs)
    seen = write(home, "update_entity", entity_id=mine, summary="x")
    agent = home.agent("full", scope=[mine])
    before = picture(home)
    for seq in (hidden, both, 999):
        for tool in ("revert_mutation", "check_revert", "diff_mutation", "get_mutation"):
            error = home.refused(agent, tool, mutation_seq=seq)
            assert (error["code"], error["message"]) == (
                "not_found",
                home.refused(agent, tool, mutation_seq=998)["message"],
            )
    assert differing(before, picture(home)) == {}
    asked = home.refused(agent, "revert_mutation", mutation_seq=seen)
    home.parts.approvals.approve(asked["details"]["approval_id"], "owner")
    assert "summary" not in home.call(agent, "get_entity", entity_id=mine)


@pytest.mark.guarantee("J10")
def test_what_others_hung_on_it_out_of_sight_is_not_taken_along(home: House):
    theirs = home.entity("theirs")
    agent = home.agent("full", scope=[home.entity("mine")])
    asked = home.refused(agent, "create_entity", kind="boat", name="New")
    made = home.parts.approvals.approve(asked["details"]["approval_id"], "owner")
    new = json.loads(made.result or "")
    home.call(home.owner, "add_document", title="t", body="b", entity_ids=[new["entity"]["entity_id"], theirs])
    again = home.again(agent.connection_id)
    assert again is not None
    before = picture(home)
    error = home.refused(again, "revert_mutation", mutation_seq=new["mutation_seq"], cascade=True)
    assert (error["code"], "document" in error["message"]) == ("conflict", False)
    assert differing(before, picture(home)) == {}


@pytest.mark.guarantee("J11")
def test_what_came_into_the_place_of_a_row_is_named(home: House):
    ada = home.entity("Ada")
    home.call(home.owner, "add_alias", entity_id=ada, alias="Countess")
    gone = write(home, "remove_alias", entity_id=ada, alias="Countess")
    anew = write(home, "add_alias", entity_id=ada, alias="countess")
    before = picture(home)
    assert told(home, gone) == {(anew, "entity_alias")}
    assert differing(before, picture(home)) == {}
    back = home.call(home.owner, "revert_mutation", mutation_seq=gone, cascade=True)
    assert back["reverted"] == [gone, anew]
    assert home.call(home.owner, "get_entity", entity_id=ada)["aliases"] == ["Countess"]


@pytest.mark.guarantee("J11")
def test_what_a_row_would_name_and_is_gone_is_named(home: House):
    ada = home.entity("Ada")
    made = home.call(home.owner, "create_entity", kind="ship", name="Beagle")
    document = home.call(home.owner, "add_document", title="t", body="b", entity_ids=[ada])["document"]["document_id"]
    home.call(home.owner, "link_document", document_id=document, add_entity_ids=[made["entity"]["entity_id"]])
    unlinked = write(
        home, "link_document", document_id=document, remove_entity_ids=[made["entity"]["entity_id"]]
    )  # fmt: skip
    away = home.call(home.owner, "revert_mutation", mutation_seq=made["mutation_seq"])
    assert told(home, unlinked) == {(away["mutation_seq"], "entity")}
    home.call(home.owner, "revert_mutation", mutation_seq=unlinked, cascade=True)
    assert len(home.call(home.owner, "get_document", document_id=document)["entity_ids"]) == 2


@pytest.mark.guarantee("J11", "J13")
def test_a_revert_that_breaks_off_at_its_end_changes_nothing(tmp_path: Path):
    with house(directory=tmp_path) as home:
        ada = home.entity("Ada")
        write(home, "add_document", title="t", body="Ada sailed.", entity_ids=[ada])
        write(home, "update_entity", entity_id=ada, summary="x")
    with house(directory=tmp_path, failpoint="before_commit:fail") as home:
        before = picture(home)
        assert home.refused(home.owner, "revert_mutation", mutation_seq=1, cascade=True)["code"] == "unavailable"
        assert differing(before, picture(home)) == {}
    with house(directory=tmp_path) as home:
        assert home.call(home.owner, "revert_mutation", mutation_seq=1, cascade=True)["reverted"] == [1, 2, 3]


def _rewritten(home: House, seq: int, sql: str) -> None:
    """The journal as an earlier release, or the owner's forgetting, would have left it."""
    with bare(home.ownership, home.keys) as db:
        triggers = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            db.execute(f"DROP TRIGGER {name}")
        db.execute(f"UPDATE mutation_change SET {sql} WHERE mutation_seq = {seq}")
        for _, statement in triggers:
            db.execute(str(statement))


@pytest.mark.guarantee("J12")
def test_an_image_of_before_a_column_leaves_it_at_its_default(home: House):
    ada = home.entity("Ada")
    document = home.call(home.owner, "add_document", title="t", body="b", entity_ids=[ada])
    gone = write(home, "revert_mutation", mutation_seq=document["mutation_seq"])
    _rewritten(home, gone, "before = json_remove(before, '$.gone_at', '$.subject_id', '$.status', '$.places')")
    home.call(home.owner, "revert_mutation", mutation_seq=gone)
    held = home.call(home.owner, "get_document", document_id=document["document"]["document_id"])
    assert (held["title"], held["status"]) == ("t", "active")


@pytest.mark.guarantee("J12")
def test_an_image_with_a_column_that_is_no_more_is_refused(home: House):
    seq = write(home, "update_entity", entity_id=home.entity("Ada"), summary="x")
    _rewritten(home, seq, "before = json_set(before, '$.colour', 'red')")
    before = picture(home)
    error = home.refused(home.owner, "revert_mutation", mutation_seq=seq)
    assert (error["code"], "column" in error["message"]) == ("conflict", True)
    assert not home.call(home.owner, "check_revert", mutation_seq=seq)["possible"]
    assert differing(before, picture(home)) == {}


@pytest.mark.parametrize("side", ["before", "after"])
def test_what_was_forgotten_is_not_brought_back(home: House, side: str):
    ada = home.entity("Ada")
    seq = write(home, "update_entity", entity_id=ada, summary="x")
    _rewritten(home, seq, f"{side} = NULL")
    assert home.refused(home.owner, "revert_mutation", mutation_seq=seq)["code"] == "forgotten"
    check = home.call(home.owner, "check_revert", mutation_seq=seq)
    assert (check["possible"], "forgotten" in check["reason"]) == (False, True)


def test_a_row_that_is_not_what_the_journal_says_is_left_alone(home: House):
    ada = home.entity("Ada")
    seq = write(home, "update_entity", entity_id=ada, summary="x")
    _rewritten(home, seq, "after = json_set(after, '$.summary', 'y')")
    assert told(home, seq) == {(seq, "entity")}
    assert home.call(home.owner, "get_entity", entity_id=ada)["summary"] == "x"


def test_several_writes_are_taken_back_as_one(home: House):
    """The commit of an import session takes all of the session along."""
    before = picture(home)

    def kept(tool: str, name: str) -> int:
        entry = Entry("u-owner", "owner", "owner", tool, "call-x", home.clock.now(), None, "imp-1")
        with home.databases.state.writing(home.owner, entry) as unit:
            unit.tx.insert(
                "goal", id=f"goal-{name}", title=name, author_connection_id="owner", author_name="owner",
                created_at=1, updated_at=1,
            )  # fmt: skip
            return unit.seq

    seqs = [kept("sophia.set_goal", "one"), kept("sophia.set_goal", "two"), kept("sophia.commit_import_session", "end")]
    assert home.call(home.owner, "revert_mutation", mutation_seq=seqs[-1])["reverted"] == seqs
    assert differing(before, picture(home)) == {}


@pytest.mark.guarantee("J13")
def test_a_large_import_is_taken_back_as_one(home: House):
    folder = home.directory / "large"
    folder.mkdir()
    for n in range(120):
        (folder / f"{n}.md").write_text(f"# Note {n}\n\nThe zebra of {n}.\n")
    before = picture(home)
    made = import_paths(home.parts.intake, [str(folder)], lambda _stage, _done, _total: None).told()
    assert made["documents"] == 120
    after = picture(home)
    back = home.call(home.owner, "revert_mutation", mutation_seq=made["mutation_seq"])
    assert back["rows"] >= 360
    assert differing(before, picture(home)) == {}
    assert home.call(home.owner, "search_documents", query="zebra")["total"] == 0
    home.call(home.owner, "revert_mutation", mutation_seq=back["mutation_seq"])
    assert differing(after, picture(home)) == {}
    home.call(home.owner, "revert_mutation", mutation_seq=made["mutation_seq"])
    assert differing(before, picture(home)) == {}


def test_what_was_forgotten_stays_forgotten_however_it_is_asked_for(home: House):
    made = home.call(home.owner, "create_entity", kind="person", name="Mallory", summary="a secret")
    entity_id = made["entity"]["entity_id"]
    changed = write(home, "update_entity", entity_id=entity_id, summary="another secret")
    desk(home).ask("forget", {"id": entity_id})
    assert home.refused(home.owner, "revert_mutation", mutation_seq=changed)["code"] in ("forgotten", "conflict")
    assert not home.call(home.owner, "check_revert", mutation_seq=changed, cascade=True)["possible"]
    for told in (
        home.call(home.owner, "diff_mutation", mutation_seq=changed),
        desk(home).ask("timeline", {"what": entity_id}),
        home.answer(
            home.owner, "state_at", {"table": "entity", "row_id": entity_id, "at": "2100-01-01T00:00:00Z"}
        ).payload.decode(),
    ):
        assert "secret" not in str(told)
        assert "Mallory" not in str(told)
    assert home.call(home.owner, "diff_mutation", mutation_seq=changed)["changes"][0]["forgotten"]
