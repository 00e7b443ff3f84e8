"""A small world with a secret in it: two entities, and everything that can hang on them, the second's all marked.

A third, hidden and marked too, went into the open one.
"""

from dataclasses import dataclass

from tests.support.house import House

CANARY = "kanarienvogel"
"""Stands in every text that belongs to the hidden entity, and in no argument that a test sends."""
LURE = "Quartalsbericht"
"""Stands beside the canary, so that a search for it would bring the canary along."""


@dataclass(frozen=True)
class World:
    """The ids of what is there."""

    open_entity: str
    hidden_entity: str
    ids: dict[str, str]
    """Hidden ids, by what they are of."""

    @property
    def probes(self) -> list[str]:
        """What somebody who should not see the hidden entity might ask for."""
        return [self.hidden_entity, *self.ids.values(), "Hidden Harbour", LURE, f"{LURE} OR 1=1", "%", "*", '" OR "']


def peopled(house: House) -> World:
    """The world, made by the owner through the tools themselves."""
    owner = house.owner
    open_entity = house.entity("Open Orchard")
    hidden = house.call(
        owner, "create_entity", kind=f"place {CANARY}", name="Hidden Harbour", summary=f"{LURE} {CANARY}",
        aliases=[f"Alias {CANARY}"], attributes={"note": CANARY},
    )["entity"]["entity_id"]  # fmt: skip
    house.call(owner, "define_predicate", predicate="states", value_type="text", single_valued=False, reason=CANARY)
    ids: dict[str, str] = {}
    for entity, words in ((open_entity, "apples are ripe in September"), (hidden, f"{LURE} {CANARY} sails at noon")):
        body = f"# Report\n\nThe {LURE} says: {words}.\n"
        document = house.call(
            owner, "add_document", title=f"{LURE} {words}", body=body, collection=f"c {words}", entity_ids=[entity],
            tags=[words.split()[0]],
        )["document"]["document_id"]  # fmt: skip
        verdicts = house.call(
            owner, "submit_claim_graph", source_id=document, reason=words,
            claims=[{"id": "c1", "entity": entity, "predicate": "states", "object": words, "quote": f"says: {words}."}],
        )["verdicts"]  # fmt: skip
        assert verdicts[0]["accepted"], verdicts
        ids = {"document_id": document, "fact_id": verdicts[0]["fact_id"], **recorded(house, words, [entity])}
        ids["page_id"] = _paged(house, words, entity, document)
    twin = house.call(
        owner, "create_entity", kind=f"place {CANARY}", name=f"Twin {CANARY}", aliases=[f"{LURE} twin"]
    )["entity"]["entity_id"]  # fmt: skip
    known = house.call(owner, "remember_fact", entity_id=twin, predicate="note", object=f"{LURE} {CANARY}")["fact"]
    house.call(owner, "link_entities", from_id=twin, predicate="related_to", to_id=hidden)
    house.call(owner, "add_document", title=CANARY, body=f"{LURE} {CANARY}", entity_ids=[twin])
    house.call(owner, "merge_entities", keep_id=open_entity, merge_id=twin, reason=CANARY)
    return World(open_entity, hidden, {**ids, "twin_id": twin, "twin_fact_id": known["fact_id"]})


def _paged(house: House, words: str, entity: str, document: str) -> str:
    """A page that says these words, in its second revision too, and one that links to it; its id."""
    title, links = f"{LURE} {words}", [entity]
    made = house.call(
        house.owner, "write_wiki_page", page=title, body=f"[[{document}]]", entity_ids=links, reason=words
    )
    page: str = made["page"]["page_id"]
    house.call(house.owner, "append_wiki_page", page=page, body=f"{LURE}: {words}")
    house.call(house.owner, "write_wiki_page", page=f"On {title}", body=f"[[{page}]] and [[{title}]]", entity_ids=links)
    return page


def recorded(house: House, words: str, entity_ids: list[str]) -> dict[str, str]:
    """What the owner records about the work, one of each kind, all of it saying these words; the ids."""

    def made(tool: str, noun: str, **arguments: object) -> str:
        answer = house.call(house.owner, tool, entity_ids=entity_ids, **arguments)
        entry_id: str = answer[noun][f"{noun}_id"]
        return entry_id

    goal = made("set_goal", "goal", title=words, body=words)
    ids = {
        "goal_id": goal,
        "decision_id": made("record_decision", "decision", title=words, body=words, alternatives=[words]),
        "question_id": made("ask_question", "question", question=words),
        "interrupt_id": made("raise_interrupt", "interrupt", title=words, urgency="high", body=words),
        "briefing_id": made("save_briefing", "briefing", title=words, body=words, goal_id=goal),
    }
    answered = made("ask_question", "question", question=words)
    house.call(house.owner, "answer_question", question_id=answered, answer=words)
    closed = made("set_goal", "goal", title=words, parent_id=goal)
    house.call(house.owner, "close_goal", goal_id=closed, outcome=words)
    resolved = made("raise_interrupt", "interrupt", title=words, urgency="low")
    house.call(house.owner, "resolve_interrupt", interrupt_id=resolved, note=words)
    return ids
