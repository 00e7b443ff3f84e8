"""Something for every list to show, made through the tools themselves while time goes by."""

from dataclasses import replace

from sophia.core.caller import Agent
from sophia.core.clock import SECOND
from tests.support.house import House
from tests.support.world import recorded

WORD = "buoy"
"""Stands in every text, and names an entity: what a list needs to be asked for finds something by it."""
BATCH = 3
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
        home.entity(name)
        body = f"The {name} is {'very ' * n}red."
        added = home.call(
            home.owner, "add_document", title=name, body=body, collection=name, entity_ids=[entity], tags=[name]
        )
        predicate = f"colour_{batch}_{'cab'[n]}"
        home.call(home.owner, "define_predicate", predicate=predicate, value_type="text", single_valued=False)
        claim = {"id": "c", "entity": entity, "predicate": predicate, "object": f"red as a {WORD}", "quote": body}
        source = added["document"]["document_id"]
        verdicts = home.call(home.owner, "submit_claim_graph", source_id=source, claims=[claim])["verdicts"]
        assert verdicts[0]["accepted"], verdicts
        recorded(home, f"The {name}.", [entity])
        assert home.refused(agent, "create_entity", kind="thing", name=f"New {name}")["code"] == "approval_pending"
        home.call(replace(agent, by_owner=False), "get_entity", entity_id=WORD)
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
