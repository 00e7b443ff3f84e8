"""Claims of one sentence each, made and told in short."""

from typing import Any

from sophia.core.caller import Caller
from tests.support import shelf
from tests.support.house import House


def verdict(
    home: House, caller: Caller, source: str, entity: str, said: tuple[str, str], quote: str, /, **more: Any
) -> dict[str, Any]:
    """The verdict of one claim: of this entity the predicate and value, in these words of the source."""
    predicate, value = said
    claim = {"id": "c", "entity": entity, "predicate": predicate, "object": value, "quote": quote, **more}
    told: dict[str, Any] = home.call(caller, "submit_claim_graph", source_id=source, claims=[claim])["verdicts"][0]
    return told


def fact(home: House, entity: str, predicate: str, value: str, /, *, origin: str = "owner", **more: Any) -> str:
    """A fact of a source of its own, which says just that; its id."""
    words = f"Somebody wrote that it is {value}."
    source = shelf.put(home, words, origin=origin, entity_ids=[entity])
    told = verdict(home, home.owner, source, entity, (predicate, value), words, **more)
    assert told["accepted"], told
    fact_id: str = told["fact_id"]
    return fact_id


def current(home: House, entity: str, predicate: str, /, **more: Any) -> list[str]:
    """The values that a plain read gives, newest first."""
    told = home.call(home.owner, "query_knowledge", entity=entity, predicate=predicate, **more)
    return [each["object"] for each in told["items"]]
