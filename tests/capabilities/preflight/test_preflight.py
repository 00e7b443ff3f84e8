import json
from collections.abc import Iterator

import pytest

from tests.support import shelf
from tests.support.house import House, house


@pytest.fixture(name="home")
def _home() -> Iterator[House]:
    with house() as standing:
        yield standing


def foreseen(home: House, caller: object, tool: str, **arguments: object) -> dict[str, object]:
    before = home.dump()
    told: dict[str, object] = json.loads(
        home.answer(caller, "check_write", {"tool": tool, "arguments": arguments}).payload  # type: ignore[arg-type]
    )
    assert home.dump() == before, "asking first writes nothing"
    return {name: value for name, value in told.items() if not name.startswith("_")}


def test_a_write_is_foreseen_as_it_would_go(home: House):
    ada, bob = home.entity("Ada Lovelace", "person"), home.entity("Bob Stone", "person")
    full, assistant, observer = (home.agent(profile) for profile in ("full", "assistant", "observer"))
    go = {"allowed": True, "needs_approval": False, "in_scope": True, "conflicts": []}
    ask = {**go, "needs_approval": True}
    assert foreseen(home, full, "update_entity", entity_id=ada, name="Ada") == go
    assert foreseen(home, assistant, "updateEntity", entity_id=ada, name="Ada") == ask
    assert foreseen(home, full, "create_entity", kind="person", name="Zoe") == ask
    assert foreseen(home, observer, "create_entity", kind="person", name="Zoe")["code"] == "write_not_permitted"
    narrow = home.agent("full", scope=[bob])
    hidden = foreseen(home, narrow, "update_entity", entity_id=ada, name="Ada")
    assert (hidden["allowed"], hidden["in_scope"], hidden["code"]) == (False, False, "not_found")
    conflict = foreseen(home, full, "create_entity", kind="person", name="Ada Lovelac")
    assert (conflict["allowed"], conflict["code"]) == (False, "conflict")
    assert ada in str(conflict["conflicts"])
    assert foreseen(home, full, "update_entity", nonsense=1)["code"] == "bad_arguments"
    assert home.refused(full, "check_write", arguments={})["code"] == "bad_arguments"


def test_entities_in_a_graph_are_foreseen_to_need_the_owner(home: House):
    document, full = shelf.put(home, "Ada likes tea."), home.agent("full")
    claims = [{"id": "c", "entity": "Ada", "predicate": "likes", "object": "tea", "quote": "Ada likes tea"}]
    plain = foreseen(home, full, "submit_claim_graph", source_id=document, claims=claims)
    assert plain["needs_approval"] is False
    made = foreseen(
        home,
        full,
        "submit_claim_graph",
        source_id=document,
        claims=claims,
        entities=[{"name": "Ada", "kind": "person"}],
    )
    assert (made["allowed"], made["needs_approval"]) == (True, True)


def test_a_quote_is_shown_at_every_place_where_it_stands(home: House):
    document, agent = shelf.put(home, "tea, tea and TEA"), home.agent("observer")
    told = home.call(agent, "check_quote", source_id=document, quote="tea")
    assert (told["holds"], told["quote_match"]) == (True, "exact")
    assert told["occurrences"] == [{"start": 0, "end": 3}, {"start": 5, "end": 8}]
    lost = home.call(agent, "check_quote", source_id=document, quote="coffee")
    assert (lost["holds"], lost["occurrences"]) == (False, [])
    assert lost["hint"]
    assert home.call(agent, "check_quote", source_id="post-1", quote="tea")["holds"] is False
    many = shelf.put(home, "ab " * 150)
    assert "more than these 100" in home.call(agent, "check_quote", source_id=many, quote="ab")["hint"]
