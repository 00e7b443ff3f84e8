"""orient on 100,000 facts, with documents and what was recorded about the work: in one process, without the wire."""

import json
import shutil
import time
from pathlib import Path
from typing import Any

from benchmarks.bench import ROOT, Bench
from benchmarks.figures import Figure, percentile
from benchmarks.ground import COLUMNS, FACTS_EACH, entity_id, facts
from benchmarks.serving.house import minted, settings
from sophia.core.caller import Caller
from sophia.core.scope import EVERYTHING, Scope
from sophia.opening import Opened, opened
from sophia.search import entity_names, fact_words
from sophia.store.journal import Entry

FACTS = 100_000
ENTITIES = FACTS // FACTS_EACH
DOCUMENTS = 5_000
ENTRIES = 500
"""Of each kind that is recorded about the work; every second one is linked."""
CALLS = 60
GOAL = "Prepare the report on Entity 17 and what somebody once said of it"
KB = 1000


def measured(bench: Bench) -> list[Figure]:
    """p95 in milliseconds for three scopes, without a goal and with one, and the largest answer."""
    house = _house(bench)
    try:
        callers = {
            "all": _agent(house, EVERYTHING),
            "of 20 entities": _agent(house, Scope(frozenset(entity_id(n) for n in range(20)))),
            "of 5,000 entities": _agent(house, Scope(frozenset(entity_id(4 * n) for n in range(5_000)))),
        }
        figures, largest = [], 0
        for scope, caller in callers.items():
            for told, arguments in (("", {}), (", with a goal", {"goal": GOAL})):
                bench.say(f"orient, scope {scope}{told}")
                rounds = [_called(house, caller, arguments) for _ in range(bench.rounds + 1)][1:]
                middle = percentile([percentile(times, 0.5) for times, _ in rounds], 0.5)
                figures.append(
                    Figure(
                        f"orient, {FACTS:,} facts, scope {scope}{told}, p95", "ms",
                        [percentile(times, 0.95) for times, _ in rounds], f"its own p50, {middle:.1f} ms", at_most=50,
                    )
                )  # fmt: skip
                largest = max(largest, *(size for _, size in rounds))
    finally:
        house.close()
    return [*figures, Figure("orient, the largest of these answers", "bytes", [largest], at_most=24 * KB)]


def _called(house: Opened, caller: Caller, arguments: dict[str, Any]) -> tuple[list[float], int]:
    times, size = [], 0
    for _ in range(CALLS):
        began = time.perf_counter_ns()
        answer = house.parts.dispatcher.call(caller, "sophia.orient", arguments)
        times.append((time.perf_counter_ns() - began) / 1e6)
        assert not answer.is_error, answer.payload
        size = max(size, len(answer.payload))
    return times, size


def _agent(house: Opened, scope: Scope) -> Caller:
    front = house.parts.front(None, 0)  # type: ignore[arg-type]
    agent = front.authenticate(minted(house.parts, scope).encode())
    assert agent is not None
    return agent


def _house(bench: Bench) -> Opened:
    """The house; made once and kept."""
    place = ROOT / "build" / f"orient-{FACTS}"
    if not (place / "whole").exists():
        bench.say(f"recording {FACTS:,} facts, {DOCUMENTS:,} documents and {5 * ENTRIES:,} entries")
        shutil.rmtree(place, ignore_errors=True)
        _fill(place)
        (place / "whole").touch()
    return opened(settings(place))


def _fill(place: Path) -> None:
    """Everything as it is written by calls: a mutation for each entity, document and entry."""
    house = opened(settings(place))
    try:
        rows = facts(ENTITIES)
        for n in range(ENTITIES):
            _recorded(house, n, [next(rows) for _ in range(FACTS_EACH)])
        for n in range(DOCUMENTS):
            body = f"# Report {n}\n\n" + f"Somebody once said of Entity {n} that a report was due on day {n}. " * 20
            _call(house, "add_document", title=f"Report {n}", body=body, entity_ids=[entity_id(n * 3)])
        for n in range(ENTRIES):
            _entries(house, n, {"entity_ids": [entity_id(n * 7)]} if n % 2 else {})
    finally:
        house.close()


def _recorded(house: Opened, n: int, told: list[tuple[str, str, str, str, str, int]]) -> None:
    owner, now = house.parts.owner, house.parts.clock.now()
    entry = Entry(owner.user_id, owner.connection_id, owner.name, "sophia.bench", f"call-{n}", now)
    name = f"Entity {n}"
    with house.parts.databases.state.writing(owner, entry) as unit:
        unit.tx.insert(
            "entity", id=entity_id(n), kind="thing", name=name, name_key=name.casefold(), created_at=now,
            updated_at=now,
        )  # fmt: skip
        entity_names.index(unit.tx, entity_id(n), [name.casefold()])
        for row in told:
            fact: dict[str, Any] = dict(zip(COLUMNS, row, strict=True))
            unit.tx.insert(
                "fact", **fact, object_key=fact["object"], value_type="text", observer_connection_id="owner",
                observer_name="owner", trust_rank=3, source_kind="word",
            )  # fmt: skip
            said = f"{name}\n{fact['predicate'].replace('_', ' ')}\n{fact['object']}"
            fact_words.index(unit.tx, fact["id"], said, None, None)


def _entries(house: Opened, n: int, linked: dict[str, Any]) -> None:
    body = f"What is to be said of it, number {n}. " * 30
    goal = _call(house, "set_goal", title=f"Goal {n}", body=body, **linked)["goal"]["goal_id"]
    question = _call(house, "ask_question", question=f"What of number {n}?", **linked)["question"]["question_id"]
    raised = _call(house, "raise_interrupt", title=f"Look at {n}", urgency=("low", "normal", "high")[n % 3], **linked)
    _call(house, "record_decision", title=f"Decision {n}", body=body, alternatives=["another"], **linked)
    _call(house, "save_briefing", title=f"Briefing {n}", body=body, goal_id=goal, **linked)
    if n % 4 == 0:
        _call(house, "close_goal", goal_id=goal, outcome="reached")
        _call(house, "answer_question", question_id=question, answer="so many")
        _call(house, "resolve_interrupt", interrupt_id=raised["interrupt"]["interrupt_id"])


def _call(house: Opened, tool: str, /, **arguments: Any) -> Any:
    answer = house.parts.dispatcher.call(house.parts.owner, f"sophia.{tool}", arguments)
    assert not answer.is_error, answer.payload
    return json.loads(answer.payload)
