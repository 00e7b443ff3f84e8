"""Living quotes: a source that changes takes its facts along, and says of those it loses."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sophia.core.caller import Caller
from sophia.dispatch import served
from tests.support.desk import desk
from tests.support.house import House, house

FIRST = "# Log\n\nThe Beagle sailed in 1831.\n\nThe Cape is windy.\n"
SAILED, WINDY = "The Beagle sailed in 1831.", "The Cape is windy."


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    with house(directory=tmp_path) as found:
        yield found


class Log:
    """A file of a registered folder with two facts on it, and what becomes of them."""

    def __init__(self, home: House) -> None:
        self.home, self.path = home, home.directory / "notes" / "log.md"
        self.path.parent.mkdir()
        self.path.write_text(FIRST)
        self.imported()
        owner = home.owner
        self.document = home.call(owner, "list_documents")["items"][0]["document_id"]
        self.entity = home.entity("Beagle")
        claims = [
            {"id": "sailed", "entity": self.entity, "predicate": "sailed_in", "object": "1831", "quote": SAILED},
            {"id": "windy", "entity": self.entity, "predicate": "saw", "object": "the Cape", "quote": WINDY},
        ]
        told = home.call(owner, "submit_claim_graph", source_id=self.document, claims=claims)["verdicts"]
        self.sailed, self.windy = (one["fact_id"] for one in told)

    def imported(self) -> None:
        desk(self.home).ask("import", {"paths": [str(self.path.parent)]})

    def becomes(self, text: str) -> None:
        self.path.write_text(text)
        self.imported()

    def fact(self, fact_id: str, caller: Caller | None = None) -> dict[str, Any]:
        found: dict[str, Any] = self.home.call(caller or self.home.owner, "get_fact", fact_id=fact_id)
        return found

    def place(self, fact_id: str) -> str:
        fact = self.fact(fact_id)
        start, length = fact["quote_start"], fact["quote_end"] - fact["quote_start"]
        given = {"document_id": self.document, "start": start, "length": length}
        text: str = self.home.call(self.home.owner, "fetch_document", **given)["text"]
        return text


@pytest.fixture
def log(home: House) -> Log:
    return Log(home)


@pytest.mark.guarantee("V19")
def test_a_quote_that_moved_is_anchored_where_it_stands_now(home: House, log: Log):
    log.becomes("# A preface\n\nSome words before it all.\n\n" + FIRST)
    for fact_id, quote in ((log.sailed, SAILED), (log.windy, WINDY)):
        assert log.place(fact_id) == quote
        assert not log.fact(fact_id).get("stale", False)
        assert home.call(home.owner, "explain_fact", fact_id=fact_id)["verdict"] == "holds"


@pytest.mark.guarantee("V19")
def test_a_quote_that_is_gone_says_so_at_once_and_holds_again_when_it_is_back(home: House, log: Log):
    log.becomes(FIRST.replace(WINDY, "The Cape is calm."))
    assert log.fact(log.windy)["stale"]
    assert home.call(home.owner, "explain_fact", fact_id=log.windy)["verdict"] == "quote_lost"
    assert not log.fact(log.sailed).get("stale", False), "the other one holds"
    told = home.call(home.owner, "orient")["sections"]
    assert told["sync_status"]["facts"]["quotes_lost"] == 1
    assert {"fact_id": log.windy} in [each["arguments"] for each in told["recommended_actions"]["items"]]
    log.becomes(FIRST)
    assert not log.fact(log.windy).get("stale", False)
    assert "quotes_lost" not in home.call(home.owner, "orient")["sections"]["sync_status"]["facts"]


@pytest.mark.guarantee("V19")
def test_whoever_was_shown_a_fact_is_told_once_that_its_quote_is_gone(home: House, log: Log):
    shown, other = home.agent(name="shown"), home.agent(name="other")
    log.fact(log.windy, shown)
    log.fact(log.sailed, other)
    log.becomes("# Log\n\nThe Beagle sailed in 1831.\n")
    assert home.call(shown, "health")["_quotes_lost"] == [log.windy]
    assert "_quotes_lost" not in home.call(shown, "health")
    assert "_quotes_lost" not in home.call(other, "health")


def test_an_error_tells_of_it_too_and_other_rights_hear_nothing(home: House, log: Log):
    shown = home.agent(name="shown")
    narrowed = home.agent(name="narrowed")
    for agent in (shown, narrowed):
        log.fact(log.windy, agent)
    desk(home).ask("scope", {"connection_id": narrowed.connection_id, "entity_scope": [home.entity("Else")]})
    log.becomes("Nothing of it.\n")
    answer = home.answer(shown, "get_fact", {"fact_id": "f-none"})
    assert answer.is_error
    assert f'"_quotes_lost":["{log.windy}"]'.encode() in answer.payload
    again = home.again(narrowed.connection_id)
    assert again is not None
    assert "_quotes_lost" not in home.call(again, "health")


def test_more_than_fit_are_told_one_answer_after_the_other(home: House, log: Log, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(served, "TOLD", 1)
    agent = home.agent()
    for fact_id in (log.sailed, log.windy):
        log.fact(fact_id, agent)
    log.becomes("Nothing of it.\n")
    told = [home.call(agent, "health").get("_quotes_lost") for _ in range(3)]
    assert sorted(one for each in told if each for one in each) == sorted([log.sailed, log.windy])
    assert told[2] is None


def test_only_so_much_is_remembered(home: House, log: Log, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(served, "REMEMBERED", 1)
    monkeypatch.setattr(served, "CONNECTIONS", 1)
    first, second = home.agent(name="first"), home.agent(name="second")
    log.fact(log.windy, first)
    log.fact(log.windy, second)
    log.fact(log.sailed, second)
    log.becomes("Nothing of it.\n")
    assert "_quotes_lost" not in home.call(first, "health")
    assert home.call(second, "health")["_quotes_lost"] == [log.sailed]


@pytest.mark.guarantee("V19")
def test_whoever_changes_a_source_takes_all_its_facts_along_whatever_he_sees(home: House, log: Log):
    """The entity of the facts is out of the scope of the connection that brings the file anew."""
    folder = next(each["entity_id"] for each in home.call(home.owner, "list_entities", kind="folder")["items"])
    narrow = home.agent(scope=[folder])
    assert home.refused(narrow, "get_fact", fact_id=log.windy)["code"] == "not_found"
    log.path.write_text("Before.\n\n" + FIRST.replace(SAILED, ""))
    home.call(narrow, "add_file", path=str(log.path))
    assert log.place(log.windy) == WINDY
    assert log.fact(log.sailed)["stale"]


def test_taking_the_change_back_takes_the_places_back(home: House, log: Log):
    before = log.fact(log.windy)
    log.becomes("Before.\n\n" + FIRST.replace(SAILED, ""))
    seq = home.call(home.owner, "list_mutations", limit=1)["items"][0]["mutation_seq"]
    home.call(home.owner, "revert_mutation", mutation_seq=seq)
    assert log.fact(log.windy) == before
    assert not log.fact(log.sailed).get("stale", False)


def test_what_was_retracted_is_not_followed(home: House, log: Log):
    home.call(home.owner, "retract_fact", fact_id=log.windy, reason="wrong")
    log.becomes("Before.\n\n" + FIRST)
    assert log.place(log.sailed) == SAILED
    assert log.fact(log.windy)["stale"]
