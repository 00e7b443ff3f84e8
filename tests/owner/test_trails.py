"""The owner looks up who touched what."""

from collections.abc import Iterator

import pytest

from tests.support.desk import AtDesk, desk
from tests.support.house import house


@pytest.fixture(scope="module")
def at() -> Iterator[AtDesk]:
    with house() as one:
        yield desk(one)


def test_the_trail_of_all_of_a_connection_and_over_an_entity(at: AtDesk):
    ada, bob = at.house.entity("Ada"), at.house.entity("Bob")
    first, second = at.house.agent("observer", name="first"), at.house.agent("observer", name="Ada")
    for agent, entity_id in ((first, ada), (second, ada), (second, bob)):
        at.house.call(agent, "get_entity", entity_id=entity_id)

    def shown(of: str | None, **more: int) -> list[tuple[str, str]]:
        told = at.ask("trail", {"of": of, **more})
        return sorted((item["connection_name"], item["entity_name"]) for item in told["items"])

    assert shown(None) == [("Ada", "Ada"), ("Ada", "Bob"), ("first", "Ada")]
    assert shown("first") == shown(first.connection_id) == shown(first.connection_short) == [("first", "Ada")]
    assert shown("Bob") == shown(bob) == [("Ada", "Bob")]
    assert shown("Ada") == [("Ada", "Ada"), ("Ada", "Bob")], "a name of both is the connection's"
    assert shown(ada) == [("Ada", "Ada"), ("first", "Ada")]
    assert len(shown(None, limit=1)) == 1
    at.ask("revoke", {"connection_id": first.connection_id})
    assert shown(first.connection_id) == [("first", "Ada")], "a trail outlives its connection"
    assert at.refused("trail", {"of": "nobody"})["code"] == "not_found"


def test_what_the_owner_reads_through_a_connections_eyes_is_not_the_connections(at: AtDesk):
    carl = at.house.entity("Carl")
    agent = at.house.agent("observer", name="looked through")
    reading = {"tool": "get_entity", "arguments": {"entity_id": carl}, "as_connection": agent.connection_id}
    assert at.ask("call", reading)["name"] == "Carl"
    assert at.ask("trail", {"of": carl})["items"] == []
    stats = at.ask("call", {"tool": "usage_stats"})
    assert "looked through" not in {row["connection_name"] for row in stats["by_connection"]}
