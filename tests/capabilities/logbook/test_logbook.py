"""What is recorded about the work: by whom, for whom to see, and how it ends."""

from collections.abc import Iterator

import pytest

from sophia.core.caller import Agent
from tests.support.house import House, house
from tests.support.world import recorded

LISTS = {
    "goal": "list_goals",
    "decision": "list_decisions",
    "question": "list_open_questions",
    "interrupt": "list_interrupts",
    "briefing": "list_briefings",
}


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture
def agent(home: House) -> Agent:
    return home.agent("full", name="first")


def test_a_goal_is_open_until_somebody_says_what_came_of_it(home: House, agent: Agent):
    entity = home.entity("Northwind")
    made = home.call(agent, "set_goal", title="  Renew \n the contract ", body="By June.", entity_ids=[entity, entity])
    goal = made["goal"]
    assert goal["goal_id"].startswith("goal-")
    assert (goal["title"], goal["status"], goal["entity_ids"]) == ("Renew the contract", "open", [entity])
    assert goal["author"] == {"connection_id": agent.connection_id, "name": "first", "origin": "agent"}
    assert goal["evidence"] == "asserted"
    part = home.call(home.owner, "set_goal", title="Ask for a price", parent_id=goal["goal_id"])["goal"]
    assert (part["parent_id"], part["author"]["origin"]) == (goal["goal_id"], "owner")
    closed = home.call(home.owner, "close_goal", goal_id=goal["goal_id"], outcome="Signed.")
    assert closed["warning"] == "Open still: 1 of the goals that are parts of it."
    assert (closed["goal"]["outcome"], closed["goal"]["closed_by"]["name"]) == ("Signed.", "owner")
    assert "warning" not in home.call(agent, "close_goal", goal_id=part["goal_id"], outcome="Asked.")
    assert home.call(agent, "list_goals", status="open")["total"] == 0
    assert [each["title"] for each in home.call(agent, "list_goals")["items"]] == ["Ask for a price", goal["title"]]


def test_what_has_ended_ends_once(home: House, agent: Agent):
    goal = home.call(agent, "set_goal", title="t")["goal"]["goal_id"]
    home.call(agent, "close_goal", goal_id=goal, outcome="o")
    assert home.refused(agent, "close_goal", goal_id=goal, outcome="p")["message"] == "This goal is closed already."
    assert home.refused(agent, "set_goal", title="part", parent_id=goal)["code"] == "conflict"
    raised = home.call(agent, "raise_interrupt", title="t", urgency="low")["interrupt"]["interrupt_id"]
    home.call(agent, "resolve_interrupt", interrupt_id=raised)
    assert home.refused(agent, "resolve_interrupt", interrupt_id=raised, note="again")["code"] == "conflict"


def test_a_question_is_answered_with_the_facts_that_the_answer_stands_on(home: House, agent: Agent):
    entity = home.entity("Ada")
    fact = home.call(home.owner, "remember_fact", entity_id=entity, predicate="likes", object="tea")["fact"]["fact_id"]
    asked = home.call(agent, "ask_question", question="What does Ada like?", entity_ids=[entity])["question"]
    assert home.refused(agent, "answer_question", question_id=asked["question_id"], answer="?", fact_ids=["f-0"])
    assert home.call(agent, "list_open_questions")["total"] == 1
    told = home.call(
        home.owner, "answer_question", question_id=asked["question_id"], answer="Tea.", fact_ids=[fact, fact]
    )["question"]  # fmt: skip
    assert (told["answer"], told["fact_ids"], told["answered_by"]["origin"]) == ("Tea.", [fact], "owner")
    assert (
        home.refused(agent, "answer_question", question_id=asked["question_id"], answer="Milk.")["code"] == "conflict"
    )
    assert home.call(agent, "list_open_questions")["total"] == 0
    assert home.call(agent, "list_open_questions", answered=True)["items"] == [told]


def test_an_answers_facts_are_shown_as_far_as_the_reader_sees_them(home: House, agent: Agent):
    seen, hidden = home.entity("Ada"), home.entity("Hidden")
    facts = [
        home.call(home.owner, "remember_fact", entity_id=each, predicate="likes", object="tea")["fact"]["fact_id"]
        for each in (seen, hidden)
    ]
    asked = home.call(agent, "ask_question", question="Who likes tea?", entity_ids=[seen])["question"]["question_id"]
    home.call(agent, "answer_question", question_id=asked, answer="Some.", fact_ids=facts)
    reader = home.agent("observer", scope=[seen])
    assert home.call(reader, "list_open_questions", answered=True)["items"][0]["fact_ids"] == facts[:1]


def test_decisions_and_briefings_are_kept_as_they_were_written(home: House, agent: Agent):
    goal = home.call(agent, "set_goal", title="Choose a database")["goal"]["goal_id"]
    body = "SQLite.\n\nOne file, no server.\n"
    decided = home.call(agent, "record_decision", title="Use SQLite", body=body, alternatives=["PostgreSQL", "files"])
    assert decided["decision"]["body"] == body
    assert home.call(home.owner, "list_decisions")["items"][0]["alternatives"] == ["PostgreSQL", "files"]
    saved = home.call(agent, "save_briefing", title="Where it stands", body=body, goal_id=goal)["briefing"]
    assert home.call(home.owner, "get_briefing", briefing_id=saved["briefing_id"]) | {"_inbox_unread": 0} == (
        saved | {"_inbox_unread": 0}
    )


def test_what_is_too_long_or_says_nothing_is_refused_in_words(home: House, agent: Agent):
    error = home.refused(agent, "save_briefing", title="t", body="é" * 20_000)
    assert (error["code"], "add_document" in error["hint"]) == ("too_large", True)
    for tool, arguments in (
        ("set_goal", {"title": " \n"}), ("ask_question", {"question": "  "}),
        ("record_decision", {"title": "t", "body": "\n"}),
    ):  # fmt: skip
        assert home.refused(agent, tool, **arguments)["code"] == "bad_arguments"
    whole = home.call(agent, "save_briefing", title="t", body="x" * 29_000)["briefing"]["briefing_id"]
    assert len(home.call(agent, "get_briefing", briefing_id=whole)["body"]) == 29_000


def test_lists_go_on_page_by_page_and_by_entity(home: House, agent: Agent):
    entity = home.entity("Northwind")
    for n in range(5):
        home.call(agent, "record_decision", title=f"d{n}", body="b", entity_ids=[entity] if n % 2 else [])
    first = home.call(agent, "list_decisions", limit=3)
    rest = home.call(agent, "list_decisions", limit=3, cursor=first["cursor"])
    assert [each["title"] for each in first["items"] + rest["items"]] == ["d4", "d3", "d2", "d1", "d0"]
    assert "cursor" not in rest
    linked = home.call(agent, "list_decisions", entity_id="northwind", compact=True)
    assert (linked["total"], [each["title"] for each in linked["items"]]) == (2, ["d3", "d1"])


@pytest.mark.guarantee("C12")
@pytest.mark.parametrize("noun", LISTS)
def test_an_entry_is_seen_by_whoever_sees_all_that_it_is_linked_to(home: House, noun: str):
    one, other = home.entity("One"), home.entity("Other")
    for words, linked in (("of one", [one]), ("of both", [one, other]), ("of the other", [other]), ("of none", [])):
        recorded(home, words, linked)
    key = "question" if noun == "question" else "title"
    seen = {}
    for name, scope in (("all", None), ("one", [one]), ("both", [one, other]), ("nothing", [])):
        answer = home.call(home.agent("observer", scope=scope), LISTS[noun])
        assert answer["total"] == len(answer["items"])
        seen[name] = {each[key] for each in answer["items"]}
    assert seen == {
        "all": {"of one", "of both", "of the other", "of none"},
        "one": {"of one"},
        "both": {"of one", "of both", "of the other"},
        "nothing": set(),
    }


@pytest.mark.guarantee("C12")
def test_what_an_entry_refers_to_is_named_only_to_those_who_see_it(home: House):
    one, other = home.entity("One"), home.entity("Other")
    hidden = home.call(home.owner, "set_goal", title="hidden", entity_ids=[other])["goal"]["goal_id"]
    home.call(home.owner, "set_goal", title="part", parent_id=hidden, entity_ids=[one])
    home.call(home.owner, "save_briefing", title="b", body="b", goal_id=hidden, entity_ids=[one])
    blind, seeing = home.agent("observer", scope=[one]), home.agent("observer", scope=[one, other])
    for tool, key in (("list_goals", "parent_id"), ("list_briefings", "goal_id")):
        assert key not in home.call(blind, tool)["items"][0]
        assert home.call(seeing, tool)["items"][0][key] == hidden


def test_a_listed_connection_records_within_its_scope_and_links_what_it_records(home: House):
    one, other = home.entity("One"), home.entity("Other")
    hidden = home.call(home.owner, "set_goal", title="hidden", entity_ids=[other])["goal"]["goal_id"]
    agent = home.agent("full", scope=[one])
    assert home.call(agent, "set_goal", title="t", entity_ids=[one])["goal"]["entity_ids"] == [one]
    before = home.dump()
    unlinked = home.refused(agent, "ask_question", question="q")
    assert (unlinked["code"], "entities it belongs to" in unlinked["hint"]) == ("not_found", True)
    for tool, arguments in (
        ("ask_question", {"question": "q", "entity_ids": [one, other]}),
        ("set_goal", {"title": "t", "entity_ids": [one], "parent_id": hidden}),
        ("save_briefing", {"title": "t", "body": "b", "entity_ids": [one], "goal_id": hidden}),
        ("close_goal", {"goal_id": hidden, "outcome": "o"}),
    ):
        assert home.refused(agent, tool, **arguments)["code"] == "not_found"
    assert home.dump() == before


def test_an_approved_ending_runs_as_it_was_previewed(home: House):
    goal = home.call(home.owner, "set_goal", title="t")["goal"]["goal_id"]
    assistant = home.agent("assistant")
    asked = home.refused(assistant, "close_goal", goal_id=goal, outcome="done")
    home.clock.turn(1)
    home.parts.approvals.approve(asked["details"]["approval_id"], "owner")
    assert home.call(assistant, "close_goal", goal_id=goal, outcome="done")["goal"]["status"] == "closed"


def test_every_entry_is_in_the_journal_and_its_mutation_shows_where_it_does(home: House):
    one = home.entity("One")
    recorded(home, "words", [one])
    seen = home.call(home.agent("observer", scope=[one]), "list_mutations", table="decision")
    assert [each["tool"] for each in seen["items"]] == ["sophia.record_decision"]
    assert home.call(home.agent("observer", scope=[]), "list_mutations", table="decision")["total"] == 0


TABLES = ["question_fact", *(f"{noun}{part}" for noun in LISTS for part in ("", "_entity"))]


@pytest.mark.guarantee("C9", "C12")
@pytest.mark.parametrize("table", TABLES)
def test_no_statement_reads_an_entry_or_a_link_beyond_the_scope(home: House, table: str):
    one, other = home.entity("One"), home.entity("Other")
    for entity in (one, other):
        fact = home.call(home.owner, "remember_fact", entity_id=entity, predicate="likes", object="tea")["fact"]
        recorded(home, "words", [entity])
        asked = home.call(home.owner, "ask_question", question="q", entity_ids=[entity])["question"]["question_id"]
        home.call(home.owner, "answer_question", question_id=asked, answer="a", fact_ids=[fact["fact_id"]])
    counts = []
    for scope in ([one], [one, other], []):
        with home.databases.state.reading(home.agent("observer", scope=scope)) as db:
            counts.append(len(db.rows(f"SELECT id FROM {table}")))
    assert counts[0] > 0
    assert counts == [counts[0], 2 * counts[0], 0]


def test_what_is_full_to_the_brim_can_be_ended(home: House):
    """With as many links as there may be, in the answer too: what cannot be ended stands in orient for ever."""
    linked = [home.entity(f"Entity {n}") for n in range(50)]
    note = "Done. " * 300
    for filler, bytes_each in (("x", 1), ("\u0001", 6), ("\U0001f9ed", 4)):
        full = {"title": "t" * 300, "body": filler * (29_600 // bytes_each), "entity_ids": linked}
        raised = home.call(home.owner, "raise_interrupt", urgency="low", **full)["interrupt"]["interrupt_id"]
        ended = home.call(home.owner, "resolve_interrupt", interrupt_id=raised, note=note)["interrupt"]
        assert (ended["status"], ended["note"]) == ("resolved", note)
        goal = home.call(home.owner, "set_goal", **full)["goal"]["goal_id"]
        assert home.refused(home.owner, "close_goal", goal_id=goal, outcome="\u0001" * 2000)["code"] == "too_large"
        assert home.call(home.owner, "close_goal", goal_id=goal, outcome=note)["goal"]["status"] == "closed"
