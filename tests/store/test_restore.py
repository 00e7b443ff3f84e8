"""Rows are brought back to what they were within the same bounds as any write."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import apsw
import pytest

from sophia.core.caller import Agent, Caller
from sophia.core.errors import Conflict, NotFound, NotPermitted
from sophia.store.journal import Entry
from sophia.store.tx import Tx
from tests.support.beneath import bare
from tests.support.house import House, house

AT = 1_000
Rows = Mapping[str, Mapping[str, Any] | None]


def alias(alias_id: str, entity_id: str, **more: Any) -> dict[str, Any]:
    row = {"id": alias_id, "user_id": "u-owner", "entity_id": entity_id, "alias": alias_id, "alias_key": alias_id}
    return {**row, "created_at": AT, **more}


def entity(entity_id: str, **more: Any) -> dict[str, Any]:
    row = {"id": entity_id, "user_id": "u-owner", "kind": "k", "name": "n", "name_key": "n"}
    return {**row, "created_at": AT, "updated_at": AT, **more}


@dataclass
class World:
    """Two entities with an alias each, and an agent that may touch the first."""

    home: House
    mine: str
    theirs: str
    agent: Agent

    def write(self, act: Callable[[Tx], object], caller: Caller | None = None) -> None:
        entry = Entry("u-owner", "c", "n", "t", "call-1", AT)
        with self.home.databases.state.writing(caller or self.home.owner, entry) as unit:
            act(unit.tx)

    def restore(self, table: str, rows: Rows, caller: Caller | None = None) -> None:
        self.write(lambda tx: tx.restore(table, rows), caller)

    def rows(self, table: str) -> dict[str, dict[str, Any]]:
        with self.home.databases.state.reading(self.home.owner) as db:
            return {row["id"]: row for row in db.rows(f"SELECT * FROM {table}")}


@pytest.fixture
def world() -> Iterator[World]:
    with house() as home:
        mine, theirs = home.entity("mine"), home.entity("theirs")
        made = World(home, mine, theirs, home.agent("full", scope=[mine]))
        made.restore("entity_alias", {"al-mine": alias("al-mine", mine), "al-theirs": alias("al-theirs", theirs)})
        yield made


def test_rows_come_change_and_go_and_their_times_are_those_of_then(world: World):
    after = {
        "al-mine": None,
        "al-theirs": alias("al-theirs", world.theirs, alias="other"),
        "al-new": alias("al-new", world.mine),
    }
    world.restore("entity_alias", after)
    found = world.rows("entity_alias")
    assert found.keys() == {"al-theirs", "al-new"}
    assert found["al-theirs"]["alias"] == "other"
    assert found["al-new"]["created_at"] == AT
    assert world.home.call(world.home.owner, "list_mutations")["items"][0]["rows"] == 3


def test_columns_that_an_image_does_not_know_take_their_defaults_or_stay(world: World):
    old = {name: value for name, value in entity("e-old").items() if name not in ("attributes", "status", "summary")}
    world.restore("entity", {"e-old": old})
    assert world.rows("entity")["e-old"]["status"] == "active"
    world.restore("entity", {world.mine: {"id": world.mine, "name": "then"}})
    assert (world.rows("entity")[world.mine]["name"], world.rows("entity")[world.mine]["kind"]) == ("then", "thing")


OUTSIDE: dict[str, tuple[str, Callable[[World], Rows]]] = {
    "a row that I cannot see": ("entity", lambda w: {w.theirs: entity(w.theirs)}),
    "a row that I cannot see, away": ("entity_alias", lambda _: {"al-theirs": None}),
    "a row that is not there, away": ("entity_alias", lambda _: {"al-none": None}),
    "a row to where I cannot see it": ("entity_alias", lambda w: {"al-mine": alias("al-mine", w.theirs)}),
    "a row that I could not see": ("entity", lambda _: {"e-new": entity("e-new")}),
    "a row of another user": ("entity_alias", lambda w: {"al-mine": alias("al-mine", w.mine, user_id="u-other")}),
}  # fmt: skip


@pytest.mark.guarantee("J10")
@pytest.mark.parametrize(("table", "rows"), OUTSIDE.values(), ids=OUTSIDE.keys())
def test_nothing_is_restored_out_of_scope(world: World, table: str, rows: Callable[[World], Rows]):
    before = world.home.dump()
    with pytest.raises((NotFound, Conflict)):
        world.restore(table, rows(world), world.agent)
    assert world.home.dump() == before
    world.restore("entity_alias", {"al-mine": alias("al-mine", world.mine, alias="allowed")}, world.agent)


def test_what_is_shared_by_all_is_restored_by_whoever_sees_all(world: World):
    predicate = {"id": "p", "user_id": "u-owner", "value_type": "text", "single_valued": 1, "created_at": AT}
    with pytest.raises(NotPermitted):
        world.restore("predicate", {"p": predicate}, world.agent)
    world.restore("predicate", {"p": predicate})
    assert "p" in world.rows("predicate")


@pytest.mark.guarantee("J11")
@pytest.mark.parametrize(
    ("table", "rows", "told"),
    [
        ("entity", lambda w: {w.mine: None}, "hangs on"),
        ("entity_alias", lambda _: {"al-new": alias("al-new", "e-none")}, "what is gone"),
        ("entity_alias", lambda w: {"al-new": alias("al-new", w.mine, alias_key="al-mine")}, "in the place"),
    ],
)  # fmt: skip
def test_what_cannot_be_says_why_and_nothing_is_changed(
    world: World, table: str, rows: Callable[[World], Rows], told: str
):
    before = world.home.dump()

    def both(tx: Tx) -> None:
        tx.restore("entity", {world.mine: entity(world.mine, name="changed")})
        tx.restore(table, rows(world))

    with pytest.raises(Conflict, match=told):
        world.write(both)
    assert world.home.dump() == before


def test_a_reference_out_of_scope_is_refused_though_its_row_is_within(world: World):
    fact = {
        "id": "f-1", "user_id": "u-owner", "entity_id": world.mine, "predicate": "p", "object": "o", "object_key": "o",
        "object_entity_id": None, "value_type": "text", "recorded_at": AT, "observer_connection_id": "c",
        "observer_name": "n", "trust_tier": "owner", "trust_rank": 1, "source_kind": "word", "source_id": None,
    }  # fmt: skip
    hidden = world.home.call(world.home.owner, "add_document", title="t", body="b", entity_ids=[world.theirs])
    with pytest.raises(NotFound):
        world.restore("fact", {"f-1": {**fact, "source_id": hidden["document"]["document_id"]}}, world.agent)
    world.restore("fact", {"f-1": fact}, world.agent)
    assert "f-1" in world.rows("fact")


def test_what_a_write_reverts_is_kept_with_it_and_only_grows(world: World):
    def both(tx: Tx) -> None:
        tx.restore("entity", {world.mine: entity(world.mine, name="then")})
        tx.reverts([1], whole=True)
        tx.reverts([2], whole=False)

    world.write(both)
    seq = world.home.databases.state.head.seq
    with bare(world.home.ownership, world.home.keys) as db:
        kept = db.execute(
            "SELECT mutation_seq, reverts_seq, whole FROM mutation_revert ORDER BY reverts_seq"
        ).fetchall()
        assert kept == [(seq, 1, 1), (seq, 2, 0)]
        for sql in ("UPDATE mutation_revert SET whole = 0", "DELETE FROM mutation_revert"):
            with pytest.raises(apsw.ConstraintError, match="append only"):
                db.execute(sql)


def test_what_fits_no_column_is_refused_like_in_any_write(world: World):
    before = world.home.dump()
    with pytest.raises(Conflict, match="collides"):
        world.restore("entity", {world.mine: entity(world.mine, status="lost")})
    assert world.home.dump() == before


@pytest.mark.guarantee("J10")
def test_a_row_of_another_user_is_restored_by_nobody(world: World):
    before = world.home.dump()
    with pytest.raises(NotFound):
        world.restore("entity_alias", {"al-mine": alias("al-mine", world.mine, user_id="u-other")})
    assert world.home.dump() == before
