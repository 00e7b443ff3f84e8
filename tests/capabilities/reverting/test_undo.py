"""Undoing an agent comes to what a replay of the journal without it does, and leaves to others what they changed."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from sophia.core.caller import Caller
from sophia.core.clock import SECOND, rfc3339
from sophia.store.rules import RULES
from tests.support.beneath import bare, faults
from tests.support.desk import AtDesk, desk
from tests.support.house import House, house
from tests.support.pictures import differing, picture

Row = tuple[str, str]
JOURNALED = [name for name, rule in RULES.items() if rule.journaled]


@pytest.fixture(scope="module")
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture(scope="module")
def at(home: House) -> AtDesk:
    return desk(home)


def rows(home: House) -> dict[Row, dict[str, Any]]:
    """Every journaled row as it is."""
    found: dict[Row, dict[str, Any]] = {}
    with home.databases.state.reading(home.owner) as db:
        for name in JOURNALED:
            for row in db.rows(f"SELECT * FROM {name}"):
                row.pop("rowid_")
                found[name, row["id"]] = row
    return found


def journal(home: House, after: int) -> list[dict[str, Any]]:
    """Every change after a mutation, in order."""
    with home.databases.state.reading(home.owner) as db:
        return db.rows(
            "SELECT c.*, m.connection_id FROM mutation_change c JOIN mutation m ON m.seq = c.mutation_seq"
            " WHERE m.seq > :after ORDER BY c.n",
            after=after,
        )


def replayed(home: House, start: dict[Row, dict[str, Any]], after: int, without: set[str]) -> dict[Row, Any]:
    """The rows as they would be had only the others written; what was taken back since counts for nothing."""
    listed = home.call(home.owner, "list_mutations", limit=200)["items"]
    who = {one["mutation_seq"]: one["connection_id"] for one in listed}
    by = {one["mutation_seq"]: one["reverted_by"] for one in listed if one.get("reverted_by")}
    old = {by[seq] for seq in by if seq <= after}
    passed: set[int] = set()
    for seq, reverter in by.items():
        if reverter not in old and (who[reverter] not in without or who[seq] in without):
            passed |= {seq, reverter}
    made: dict[Row, Any] = dict(start)
    for change in journal(home, after):
        place = (change["table_name"], change["row_id"])
        if change["connection_id"] in without or change["mutation_seq"] in passed:
            made.setdefault(place, None)
        else:
            made[place] = None if change["after"] is None else json.loads(change["after"])
    return {place: row for place, row in made.items() if row is not None}


@dataclass
class Actors:
    """Some who write at random, through the tools."""

    home: House
    dice: random.Random
    entities: list[str]
    facts: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    goals: list[str] = field(default_factory=list)
    seqs: list[int] = field(default_factory=list)

    def act(self, caller: Caller) -> None:
        """One write of anything, which may be refused."""
        self.home.clock.turn(SECOND)
        tool, arguments = self._any()
        told = self._asked(caller, tool, arguments)
        if "mutation_seq" in told:
            self.seqs.append(told["mutation_seq"])
        for noun, known in (
            ("entity", self.entities),
            ("fact", self.facts),
            ("document", self.documents),
            ("goal", self.goals),
        ):
            if noun in told:
                known.append(told[noun][f"{noun}_id"])

    def _asked(self, caller: Caller, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.home.answer(caller, tool, arguments).payload)
        if told.get("error", {}).get("code") == "approval_pending":
            ended = self.home.parts.approvals.approve(told["error"]["details"]["approval_id"], "owner")
            told = json.loads(ended.result or "{}")
        return told

    def _any(self) -> tuple[str, dict[str, Any]]:
        one, n = self.dice.choice, self.dice.randrange(1000)
        entity, other = one(self.entities), one(self.entities)
        parent = {"parent_id": one(self.goals)} if self.goals else {}
        calls: list[tuple[str, dict[str, Any]]] = [
            ("create_entity", {"kind": "thing", "name": f"Thing {n}", "aliases": [f"It {n}"], "allow_duplicate": True}),
            ("update_entity", {"entity_id": entity, "summary": f"of {n}"}),
            ("add_alias", {"entity_id": entity, "alias": f"Alias {n % 5}"}),
            ("remove_alias", {"entity_id": entity, "alias": f"Alias {n % 5}"}),
            ("remember_fact", {"entity_id": entity, "predicate": "likes", "object": f"tea {n}"}),
            ("remember_fact", {"entity_id": entity, "predicate": "knows", "object": other}),
            ("add_document", {"title": f"Log {n}", "body": f"Tea {n} was had.", "entity_ids": [entity], "tags": ["a"]}),
            ("set_goal", {"title": f"Goal {n}", "entity_ids": [entity], **parent}),
        ]  # fmt: skip
        if self.documents:
            document = one(self.documents)
            calls += [
                ("tag_document", {"document_id": document, "add_tags": [f"t{n % 3}"], "remove_tags": ["a"]}),
                ("link_document", {"document_id": document, "add_entity_ids": [entity], "remove_entity_ids": [other]}),
                ("archive_document", {"document_id": document}),
            ]
        if self.facts:
            calls.append(("retract_fact", {"fact_id": one(self.facts), "reason": "no"}))
        if self.goals:
            calls.append(("close_goal", {"goal_id": one(self.goals), "outcome": "done"}))
        if self.seqs:
            calls += [("revert_mutation", {"mutation_seq": one(self.seqs), "cascade": n % 2 == 0})] * 3
        return one(calls)


@pytest.mark.parametrize("seed", range(8))
def test_undoing_an_agent_comes_to_a_replay_without_it(home: House, at: AtDesk, seed: int):
    dice = random.Random(seed)
    undone, other = home.agent("full", name=f"undone {seed}"), home.agent("full", name=f"other {seed}")
    crowd = Actors(home, dice, [home.entity(f"Ground {seed}"), home.entity(f"Sky {seed}")])
    for _ in range(6):
        crowd.act(dice.choice([home.owner, undone, other]))
    home.clock.turn(SECOND)
    since, after, start, first = home.clock.now(), home.databases.state.head.seq, rows(home), picture(home)
    alone = seed % 4 == 0
    for _ in range(24):
        crowd.act(undone if alone else dice.choice([home.owner, undone, undone, other]))
    mine = {undone.connection_id}
    before, there = picture(home), rows(home)
    touched = {(one["table_name"], one["row_id"]) for one in journal(home, after) if one["connection_id"] in mine}
    expected = replayed(home, start, after, mine)

    foreseen = at.ask("undo", {"connection_id": undone.connection_id, "since": rfc3339(since), "dry_run": True})
    assert differing(before, picture(home)) == {}
    told = at.ask("undo", {"connection_id": undone.connection_id, "since": rfc3339(since)})
    assert {name: told[name] for name in ("rows", "undone", "undone_in_part", "kept")} == {
        name: foreseen[name] for name in ("rows", "undone", "undone_in_part", "kept")
    }
    kept = {(one["table"], one["row_id"]) for one in told["kept"]}
    now = rows(home)
    assert kept <= touched
    assert {place for place in there.keys() | now.keys() if there.get(place) != now.get(place)} <= touched
    for place in (expected.keys() | now.keys()) - kept:
        assert now.get(place) == expected.get(place), place
    if alone:
        assert not kept
        assert differing(first, picture(home)) == {}
    with bare(home.ownership, home.keys) as db:
        assert faults(db, home.keys.seal) == []

    if "mutation_seq" in told:
        home.call(home.owner, "revert_mutation", mutation_seq=told["mutation_seq"])
        assert differing(before, picture(home)) == {}
        again = at.ask("undo", {"connection_id": undone.connection_id, "since": rfc3339(since)})
        assert rows(home) == now
        assert again["kept"] == told["kept"]


def test_what_its_workers_did_is_undone_with_it_and_nobody_elses(home: House, at: AtDesk):
    ground = home.entity("Ground of the workers")
    boss = home.agent("full", name="boss", can_delegate=True)
    worker, stranger = home.agent("full", name="worker"), home.agent("full", name="stranger")
    with home.databases.ops.writing() as tx:
        tx.run(
            "UPDATE connection SET parent_id = :boss WHERE id = :id", boss=boss.connection_id, id=worker.connection_id
        )
    before = picture(home)
    home.clock.turn(SECOND)
    for agent in (boss, worker):
        home.call(agent, "record_decision", title=f"By {agent.name}", body="x", entity_ids=[ground])
    stays = home.call(stranger, "record_decision", title="By a stranger", body="x", entity_ids=[ground])
    told = at.ask("undo", {"connection_id": "boss", "since": "1s"})
    assert told["connection_ids"] == [boss.connection_id, worker.connection_id]
    assert (len(told["undone"]), told["kept"]) == (2, [])
    home.call(home.owner, "revert_mutation", mutation_seq=stays["mutation_seq"])
    assert differing(before, picture(home)) == {}
    assert [one["about"] for one in at.logged("undone")][-1] == boss.connection_id


def test_what_others_built_on_stays_whole_and_is_named(home: House, at: AtDesk):
    agent, ground = home.agent("full", name="builder"), home.entity("Ground of the builder")
    made = home.call(agent, "add_document", title="Plan", body="The wall is red.", entity_ids=[ground], tags=["plan"])
    document = made["document"]["document_id"]
    claim = {"id": "c", "entity": ground, "predicate": "colour", "object": "red", "quote": "The wall is red."}
    home.call(agent, "submit_claim_graph", source_id=document, claims=[claim])
    tagged = home.call(home.owner, "tag_document", document_id=document, add_tags=["mine"])["mutation_seq"]
    told = at.ask("undo", {"connection_id": "builder", "since": "1h"})
    assert {(one["table"], one["why"], one["mutation_seq"]) for one in told["kept"]} == {
        ("document", "changed later", tagged),
        ("document_text", "changed later", tagged),
        ("document_entity", "made together with what stays", made["mutation_seq"]),
        ("document_tag", "made together with what stays", made["mutation_seq"]),
    }
    held = home.call(home.owner, "get_document", document_id=document)
    assert (held["tags"], held["entity_ids"]) == (["mine", "plan"], [ground])
    assert home.call(home.owner, "fetch_document", document_id=document)["text"] == "The wall is red."
    assert home.call(home.owner, "query_knowledge", entity=ground)["total"] == 0


def test_what_was_mined_of_it_goes_with_it(home: House, at: AtDesk):
    folder = home.directory / "mined"
    folder.mkdir()
    (folder / "note.md").write_text("# Invoice\n\nTotal: 1,200.50 EUR\nContact: Ada Li <ada@example.org>\n")
    home.parts.roots.grant(str(folder), "owner")
    home.parts.chores.settle(10)
    before = picture(home)
    agent = home.agent("full", name="reader")
    document = home.call(agent, "add_file", path=str(folder / "note.md"))["document"]["document_id"]
    home.parts.chores.settle(10)
    assert home.call(home.owner, "query_knowledge", source_id=document)["total"] > 0
    assert at.ask("undo", {"connection_id": "reader", "since": "1h"})["kept"] == []
    assert differing(before, picture(home)) == {}


def test_nothing_is_undone_where_nothing_was_done(home: House, at: AtDesk):
    home.agent("full", name="idle")
    head = home.databases.state.head
    told = at.ask("undo", {"connection_id": "idle", "since": "1h"})
    assert (told["rows"], told["undone"], "mutation_seq" in told) == (0, [], False)
    assert home.databases.state.head == head


@pytest.mark.parametrize("since", ["yesterday", "2026-01-01", "2026-01-01T00:00:00", "5", "2999-01-01T00:00:00Z"])
def test_a_time_that_is_none_is_refused(home: House, at: AtDesk, since: str):
    error = at.refused("undo", {"connection_id": home.agent("observer").connection_id, "since": since})
    assert (error["code"], error["argument"]) == ("bad_arguments", "since")
