"""A write stays within the scope of whoever writes, as a whole, and leaves nothing behind where it does not."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest

from sophia.core.caller import Agent
from sophia.core.errors import Conflict, NotFound, Unauthenticated
from sophia.core.scope import Scope
from sophia.store.journal import Entry
from sophia.store.tx import Tx
from tests.support.house import House, house

AT = 1_000


@dataclass
class World:
    """Two entities, and an agent that may touch the first."""

    home: House
    mine: str
    theirs: str
    agent: Agent

    def write(self, act: Callable[[Tx], object]) -> None:
        entry = Entry("u-owner", self.agent.connection_id, "agent", "t", "call-1", AT)
        with self.home.databases.state.writing(self.agent, entry) as unit:
            act(unit.tx)

    def alias(self, alias_id: str, entity_id: str) -> dict[str, object]:
        return {"id": alias_id, "entity_id": entity_id, "alias": alias_id, "alias_key": alias_id, "created_at": AT}


def entity(entity_id: str) -> dict[str, object]:
    return {"id": entity_id, "kind": "k", "name": "n", "name_key": "n", "created_at": AT, "updated_at": AT}


def fact(fact_id: str, entity_id: str, other: str | None = None) -> dict[str, object]:
    return {
        "id": fact_id, "entity_id": entity_id, "predicate": "p", "object": "o", "object_key": "o",
        "object_entity_id": other, "value_type": "text", "recorded_at": AT, "observer_connection_id": "c",
        "observer_name": "n", "trust_tier": "owner", "trust_rank": 1, "source_kind": "word",
    }  # fmt: skip


@pytest.fixture
def world() -> Iterator[World]:
    with house() as home:
        mine, theirs = home.entity("mine"), home.entity("theirs")
        agent = home.agent("full", scope=[mine])
        made = World(home, mine, theirs, agent)
        made.home.call(home.owner, "list_entities")
        with home.databases.state.writing(home.owner, Entry("u-owner", "owner", "owner", "t", "c", AT)) as unit:
            unit.tx.insert("entity_alias", **made.alias("al-theirs", theirs))
            unit.tx.insert("entity_alias", **made.alias("al-mine", mine))
        yield made


OUTSIDE: dict[str, Callable[[World, Tx], object]] = {
    "update what is not mine": lambda w, tx: tx.update("entity", w.theirs, name="x"),
    "delete what is not mine": lambda _, tx: tx.delete("entity_alias", "al-theirs"),
    "insert below what is not mine": lambda w, tx: tx.insert("entity_alias", **w.alias("al-new", w.theirs)),
    "insert several, the last below what is not mine": lambda w, tx: tx.insert_all(
        "entity_alias", [w.alias("al-one", w.mine), w.alias("al-two", w.theirs)]
    ),
    "move mine to what is not mine": lambda w, tx: tx.update("entity_alias", "al-mine", entity_id=w.theirs),
    "relate mine to what is not mine": lambda w, tx: tx.insert("fact", **fact("f-1", w.mine, w.theirs)),
    "give mine to another user": lambda w, tx: tx.update("entity", w.mine, user_id="u-other"),
    "name what is not there": lambda _, tx: tx.update("entity", "e-none", name="x"),
    "insert what nobody could see": lambda _, tx: tx.insert(
        "document", id="doc-1", title="t", mime="m", origin="agent", content_sha256="s", bytes=1, chars=1,
        tier="scanned", connection_id="c", created_at=AT, updated_at=AT,
    ),
}  # fmt: skip


@pytest.mark.guarantee("C5")
@pytest.mark.parametrize("act", OUTSIDE.values(), ids=OUTSIDE.keys())
def test_a_write_outside_of_the_scope_takes_all_with_it(world: World, act: Callable[[World, Tx], object]):
    before = world.home.dump()

    def several(tx: Tx) -> None:
        tx.update("entity", world.mine, name="changed first")
        tx.insert("entity_alias", **world.alias("al-first", world.mine))
        act(world, tx)
        tx.update("entity", world.mine, name="changed last")

    with pytest.raises(NotFound):
        world.write(several)
    assert world.home.dump() == before
    world.write(lambda tx: tx.update("entity", world.mine, name="allowed"))
    assert world.home.dump() != before


@pytest.mark.guarantee("C3")
def test_what_is_out_of_scope_is_refused_like_what_is_not_there(world: World):
    told = []
    for row_id in (world.theirs, "e-none"):
        with pytest.raises(NotFound) as refused:
            world.write(lambda tx, row_id=row_id: tx.update("entity", row_id, name="x"))  # type: ignore[misc]
        told.append(refused.value.wire("id"))
    assert told[0] == told[1]


def test_an_entity_of_its_own_making_joins_the_scope(world: World):
    def both(tx: Tx) -> None:
        tx.insert("entity", **entity("e-new"))
        tx.insert("entity_alias", **world.alias("a", "e-new"))

    world.write(both)
    world.home.parts.mint.join(world.agent.connection_id, world.agent.epoch, ["e-new"])
    again = world.home.again(world.agent.connection_id)
    assert again is not None
    assert again.scope == Scope(frozenset({world.mine, "e-new"}))


@pytest.mark.guarantee("C7")
def test_what_joins_late_does_not_bring_back_the_scope_that_the_owner_took_away(world: World):
    mint = world.home.parts.mint
    mint.rescope(world.agent.connection_id, Scope(frozenset()), "owner")
    assert not mint.join(world.agent.connection_id, world.agent.epoch, ["e-new"])
    again = world.home.again(world.agent.connection_id)
    assert again is not None
    assert again.scope == Scope(frozenset())


def test_two_entities_made_at_once_both_join(world: World):
    for entity_id in ("e-a", "e-b"):  # both calls began with the same scope
        assert world.home.parts.mint.join(world.agent.connection_id, world.agent.epoch, [entity_id])
    again = world.home.again(world.agent.connection_id)
    assert again is not None
    assert again.scope == Scope(frozenset({world.mine, "e-a", "e-b"}))


def test_rows_that_are_written_at_once_are_there_each_and_join_the_scope(world: World):
    def all_of_them(tx: Tx) -> None:
        tx.insert_all("entity", [entity("e-a"), entity("e-b")])
        tx.insert_all("fact", [fact("f-1", "e-a", "e-b"), fact("f-2", "e-b")])
        tx.insert_all("fact", [])

    world.write(all_of_them)
    with world.home.databases.state.reading(world.home.owner) as db:
        assert db.rows("SELECT f.id, f.object_entity_id AS other FROM fact f ORDER BY f.id") == [
            {"id": "f-1", "other": "e-b"}, {"id": "f-2", "other": None},
        ]  # fmt: skip
        changes = db.rows("SELECT c.row_id FROM mutation_change c ORDER BY c.n DESC LIMIT 4")
        assert [row["row_id"] for row in changes] == ["f-2", "f-1", "e-b", "e-a"]
        joined = {row["id"] for row in db.rows("SELECT e.id FROM entity e")}
    assert {"e-a", "e-b"} <= joined


def test_a_second_row_of_an_id_is_a_conflict_and_leaves_the_first(world: World):
    before = world.home.dump()
    with pytest.raises(Conflict):
        world.write(lambda tx: tx.insert("entity_alias", **world.alias("al-mine", world.mine)))
    with pytest.raises(Conflict):
        world.write(lambda tx: tx.delete("entity", world.mine))  # its alias refers to it
    assert world.home.dump() == before


def test_a_row_that_is_deleted_leaves_nothing_to_settle(world: World):
    def both(tx: Tx) -> None:
        tx.update("entity_alias", "al-mine", alias="x")
        tx.delete("entity_alias", "al-mine")

    world.write(both)
    assert all(row[0] != "al-mine" for row in world.home.dump()["entity_alias"])


def test_an_index_is_written_beside_the_rows(world: World):
    sql = "INSERT INTO main.chunk_fts (rowid, body, scope) VALUES (:n, :text, '')"
    world.write(lambda tx: tx.index(sql, n=1, text="hello"))
    several = "INSERT INTO main.chunk_fts (rowid, body, scope) VALUES (?, ?, '')"
    world.write(lambda tx: tx.index_all(several, [(2, "hello again"), (3, "goodbye")]))
    with world.home.databases.state.reading(world.agent) as rows:
        assert rows.value("SELECT count(*) FROM chunk_fts WHERE chunk_fts MATCH 'hello'") == 2


def test_a_connection_that_is_no_longer_there_writes_nothing(world: World):
    world.agent = replace(world.agent, connection_id="gone")
    with pytest.raises(Unauthenticated):
        world.write(lambda tx: tx.update("entity", world.mine, name="x"))
