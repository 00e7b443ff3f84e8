"""Something for every list to show, made through the tools themselves while time goes by."""

from dataclasses import replace

from sophia.core.caller import Agent
from sophia.core.clock import SECOND
from tests.support.house import House
from tests.support.imports import imported
from tests.support.world import recorded

WORD = "buoy"
"""Stands in every text, and names an entity: what a list needs to be asked for finds something by it."""
BATCH = 3
STAGE = "stage"
"""The predicate of a fact that is corrected again and again."""


def chained(home: House) -> str:
    """The id of the fact that was corrected most often: it has a history to list."""
    (fact,) = home.call(home.owner, "query_knowledge", predicate=STAGE)["items"]
    fact_id: str = fact["fact_id"]
    return fact_id


SECTIONED = "sectioned"
"""The tag of a document with several sections, of each of which a fact is known."""


def sectioned(home: House) -> str:
    """The id of that document."""
    (document,) = home.call(home.owner, "list_documents", tag=SECTIONED)["items"]
    document_id: str = document["document_id"]
    return document_id


def stocked(home: House, agent: Agent, batch: int = 0) -> None:
    """A few more rows for every list, two of each of one time and one of another; the agent's writes are asked for."""
    entity = home.entity(WORD if batch == 0 else f"{WORD} of batch {batch}")
    if batch == 0:
        _in_sections(home, entity)
    for n in range(BATCH):
        name = f"{WORD} {batch} {'cab'[n]}"
        named = home.entity(name)
        body = f"The {name} is {'very ' * n}red."
        added = home.call(
            home.owner, "add_document", title=name, body=body, collection=name, entity_ids=[entity], tags=[name]
        )
        predicate = f"colour_{batch}_{'cab'[n]}"
        home.call(home.owner, "define_predicate", predicate=predicate, value_type="text", single_valued=False)
        claims = [
            {"id": said, "entity": entity, "predicate": said, "object": f"red as a {WORD}", "quote": body}
            for said in (predicate, f"not_{predicate}")
        ]
        source = added["document"]["document_id"]
        verdicts = home.call(home.owner, "submit_claim_graph", source_id=source, claims=claims)["verdicts"]
        assert all(verdict["accepted"] for verdict in verdicts), verdicts
        if batch == n == 0:
            home.call(home.owner, "remember_fact", entity_id=entity, predicate=STAGE, object="first")
        for stage in range(2 if batch == 0 else 0):
            home.call(home.owner, "correct_fact", fact_id=chained(home), object=f"{name} {stage}", reason=WORD)
        recorded(home, f"The {name}.", [entity])
        for link in ("related_to", "uses") if batch == 0 else ():
            home.call(home.owner, "link_entities", from_id=entity, predicate=link, to_id=named)
        citing = f"The {name} is red, as [[{WORD}]] has it. [[f-{'0' * 26}]]"
        home.call(home.owner, "write_wiki_page", page=name, body=citing, entity_ids=[entity])
        if batch == 0:
            tool = "append_wiki_page" if n else "write_wiki_page"
            home.call(home.owner, tool, page=WORD, body=f"So is {name}.")
            home.call(home.owner, "append_wiki_page", page=WORD, body=f"And so was {name}.")
        assert home.refused(agent, "create_entity", kind="thing", name=f"New {name}")["code"] == "approval_pending"
        home.call(replace(agent, by_owner=False), "get_entity", entity_id=WORD)
        session = imported(home, agent, f"{WORD} from {name}", WORD)
        home.call(agent, "commit_import_session", import_session_id=session)
        home.clock.turn(n * SECOND)
    # What was made first is what was changed last.
    home.call(home.owner, "update_entity", entity_id=entity, summary=f"A {WORD}")
    home.clock.turn(SECOND)


def _in_sections(home: House, entity: str) -> None:
    lines = [f"The {WORD} number {n} is red." for n in range(6)]
    body = "".join(f"# Section {n}\n\n{line}\n\n" for n, line in enumerate(lines))
    added = home.call(home.owner, "add_document", title=f"The {WORD}", body=body, entity_ids=[entity], tags=[SECTIONED])
    claims = [
        {"id": str(n), "entity": entity, "predicate": f"number_{n}", "object": str(n), "quote": line}
        for n, line in enumerate(lines)
    ]
    source = added["document"]["document_id"]
    assert home.call(home.owner, "submit_claim_graph", source_id=source, claims=claims)["accepted"] == len(claims)
