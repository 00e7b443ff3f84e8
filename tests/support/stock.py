"""Something for every list to show, made through the tools themselves while time goes by."""

from sophia.core.caller import Agent
from sophia.core.clock import SECOND
from tests.support.house import House
from tests.support.imports import imported
from tests.support.world import recorded

WORD = "buoy"
"""Stands in every text, and names an entity: what a list needs to be asked for finds something by it."""
BATCH = 3


def stocked(home: House, agent: Agent, batch: int = 0) -> None:
    """A few more rows for every list, two of each of one time and one of another; the agent's writes are asked for."""
    entity = home.entity(WORD if batch == 0 else f"{WORD} of batch {batch}")
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
        session = imported(home, agent, f"{WORD} from {name}", WORD)
        home.call(agent, "commit_import_session", import_session_id=session)
        home.clock.turn(n * SECOND)
    # What was made first is what was changed last.
    home.call(home.owner, "update_entity", entity_id=entity, summary=f"A {WORD}")
    home.clock.turn(SECOND)
