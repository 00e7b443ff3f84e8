"""What a handler can do to the store at all, whatever its author forgot."""

from collections.abc import Iterator
from typing import Annotated

import pytest
from msgspec import Meta

from sophia.catalog.call import WriteCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.surface import GROUPS
from tests.support.house import House, house

careless: Group[WriteCall] = Group("mutate_careless", Access.WRITE)
WAYS = {
    "rows": "UPDATE main.entity SET summary = 'taken over' WHERE id = :id",
    "row": "UPDATE main.entity SET summary = 'taken over' WHERE id = :id RETURNING id",
    "value": "UPDATE main.entity SET summary = 'taken over' WHERE id = :id",
    "second": "SELECT 1 WHERE :id IS NOT NULL; UPDATE main.entity SET summary = 'taken over'",
    "index": "UPDATE main.entity SET summary = 'taken over' WHERE id = :id",
    "index, hidden": "DELETE FROM main.chunk WHERE id = :id; UPDATE main.entity SET summary = 'taken over'",
    "index of several": "UPDATE main.entity SET summary = 'taken over' WHERE id = ?",
    "fence": "UPDATE main.party SET epoch = 1, ended = 0 WHERE connection_id <> :id",
}


@careless.tool()
def write_by_sql(call: WriteCall, entity_id: str, way: Annotated[str, Meta(max_length=20)]) -> dict[str, int]:
    """Writes as no tool may."""
    act = {"row": call.db.row, "value": call.db.value, "index": call.db.index, "index, hidden": call.db.index}
    if way == "index of several":
        call.db.index_all(WAYS[way], [(entity_id,)])
    else:
        act.get(way, call.db.rows)(WAYS[way], id=entity_id)
    return {"done": 1}


@pytest.fixture(scope="module")
def home() -> Iterator[House]:
    with house((*GROUPS, careless)) as standing:
        yield standing


@pytest.mark.guarantee("C5", "C9")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("scope", ["one", "all"])
def test_the_sql_of_a_tool_cannot_write(home: House, way: str, scope: str) -> None:
    one, other = home.entity("One"), home.entity("Other")
    agent = home.agent("full", scope=[one] if scope == "one" else None)
    before = home.dump()
    assert home.refused(agent, "write_by_sql", entity_id=other, way=way)["code"] == "internal"
    assert home.dump() == before
    # The connection is not left behind unable to write, nor able to write by SQL.
    assert home.call(agent, "update_entity", entity_id=one, summary="mine")["entity"]["summary"] == "mine"


@pytest.mark.guarantee("C5")
def test_what_everybody_shares_is_not_changed_for_a_part_of_it(home: House) -> None:
    one = home.entity("One")
    listed = home.agent("full", scope=[one])
    error = home.refused(listed, "define_predicate", predicate="likes", value_type="number", single_valued=True)
    assert error["code"] == "not_permitted"
    everything = home.agent("full")
    home.call(everything, "define_predicate", predicate="prefers", value_type="text", single_valued=True)
    assert home.call(listed, "list_predicates")["total"] == home.call(everything, "list_predicates")["total"]
