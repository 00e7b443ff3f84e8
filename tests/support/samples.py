"""One call of every tool that writes, which changes something the first time."""

from typing import Any

from sophia.catalog.tool import Tool
from sophia.core.access import Access
from sophia.surface import GROUPS
from tests.support.house import House
from tests.support.imports import imported

WRITES: dict[str, Tool] = {
    tool.short: tool for group in GROUPS for tool in group.tools if tool.access not in (Access.READ, Access.COORDINATE)
}
"""The tools that write what is journaled, by name."""
AGENTS_OWN = frozenset({"begin_import_session"})
"""What only agents call: the owner needs nobody's approval."""
UNJOURNALED = frozenset({"rescan_folder"})
"""What only gives work to do behind the calls."""


def samples(home: House) -> dict[str, dict[str, Any]]:
    """The arguments of each of these tools, in a house in which what they need was just made."""
    ada, other = home.entity("Ada", "person"), home.entity("Other", "person")
    home.call(home.owner, "add_alias", entity_id=other, alias="The other")
    text = "Ada sailed in 1858.\n"
    made = home.call(home.owner, "add_document", title="Log", body=text, entity_ids=[ada], tags=["land"])
    document = made["document"]["document_id"]
    known = home.call(home.owner, "remember_fact", entity_id=ada, predicate="likes", object="tea")["fact"]["fact_id"]
    later = home.call(home.owner, "remember_fact", entity_id=ada, predicate="likes", object="milk")["fact"]["fact_id"]
    link = {"from_id": ada, "predicate": "likes", "to_id": other}
    linked = home.call(home.owner, "link_entities", **link)["fact"]["fact_id"]
    third = home.entity("Third", "person")
    home.call(home.owner, "merge_entities", keep_id=other, merge_id=third)
    folder = home.directory / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n")
    (folder / "b.md").write_text("# B\n")
    home.parts.roots.grant(str(folder), "owner")
    registered = home.call(home.owner, "register_folder", path=str(folder), name="Registered")["entity_id"]
    home.call(home.owner, "write_wiki_page", page="Logs", body="Of 1858.")
    home.call(home.owner, "write_wiki_page", page="Sails", body="White.")
    claim = {"id": "c", "entity": ada, "predicate": "note", "object": "1858", "quote": "sailed in 1858"}
    found = {"id": "d", "entity": "The Cape", "predicate": "note", "object": "1858", "quote": "sailed in 1858"}
    goal = home.call(home.owner, "set_goal", title="Sail", entity_ids=[ada])["goal"]["goal_id"]
    question = home.call(home.owner, "ask_question", question="When?", entity_ids=[ada])["question"]["question_id"]
    interrupt = home.call(home.owner, "raise_interrupt", title="Fog", urgency="high")["interrupt"]["interrupt_id"]
    last = home.call(home.owner, "update_entity", entity_id=other, summary="Somebody")["mutation_seq"]
    writer = home.agent("full", name="aborts")
    committed, aborted = imported(home, home.agent("full", name="commits"), "a log"), imported(home, writer, "a log")
    home.call(writer, "add_document", title="Of the log", body="Ada sailed again.\n", entity_ids=[ada])
    return {
        "begin_import_session": {"source": "a log", "kind": "log", "max_rows": 9},
        "commit_import_session": {"import_session_id": committed},
        "abort_import_session": {"import_session_id": aborted},
        "create_entity": {"kind": "ship", "name": "Beagle", "aliases": ["HMS Beagle"]},
        "update_entity": {"entity_id": ada, "name": "Ada L.", "summary": "A sailor"},
        "add_alias": {"entity_id": ada, "alias": "The sailor"},
        "remove_alias": {"entity_id": other, "alias": "The other"},
        "archive_entity": {"entity_id": other},
        "submit_claim_graph": {
            "source_id": document, "claims": [claim, found], "entities": [{"name": "The Cape", "kind": "place"}],
        },
        "remember_fact": {"entity_id": ada, "predicate": "likes", "object": "rum"},
        "retract_fact": {"fact_id": known, "reason": "No more"},
        "correct_fact": {"fact_id": known, "object": "cocoa", "reason": "It was cocoa"},
        "supersede_fact": {"fact_id": known, "by_fact_id": later, "reason": "No more"},
        "reject_fact": {"fact_id": known, "reason": "Never"},
        "reject_value": {"entity_id": ada, "predicate": "likes", "object": "Tea", "reason": "Never"},
        "link_entities": {"from_id": ada, "predicate": "knows", "to_id": other},
        "unlink_entities": {"fact_id": linked},
        "merge_entities": {"keep_id": ada, "merge_id": other},
        "unmerge_entities": {"entity_id": third},
        "define_predicate": {"predicate": "sails", "value_type": "text", "single_valued": True},
        "set_goal": {"title": "Arrive", "parent_id": goal, "entity_ids": [ada, other]},
        "close_goal": {"goal_id": goal, "outcome": "Reached"},
        "record_decision": {"title": "Sail", "body": "Because of the wind", "entity_ids": [ada]},
        "ask_question": {"question": "Where?", "entity_ids": [ada]},
        "answer_question": {"question_id": question, "answer": "In 1858", "fact_ids": [known]},
        "raise_interrupt": {"title": "Storm", "urgency": "high", "entity_ids": [ada]},
        "resolve_interrupt": {"interrupt_id": interrupt, "note": "Gone"},
        "save_briefing": {"title": "So far", "body": "At sea", "goal_id": goal, "entity_ids": [ada]},
        "revert_mutation": {"mutation_seq": last},
        "add_document": {"title": "Another", "body": "Of Ada.\n", "entity_ids": [ada], "tags": ["sea"]},
        "add_file": {"path": str(folder / "b.md")},
        "register_folder": {"path": str(folder), "name": "Renamed", "include": ["*.md"]},
        "rescan_folder": {"entity_id": registered},
        "tag_document": {"document_id": document, "add_tags": ["sea"], "remove_tags": ["land"]},
        "link_document": {"document_id": document, "add_entity_ids": [other], "remove_entity_ids": [ada]},
        "archive_document": {"document_id": document},
        "write_wiki_page": {"page": "Logs", "body": "Of 1858 and 1859.", "base_revision": 1, "entity_ids": [ada]},
        "append_wiki_page": {"page": "Logs", "body": "And of [[Sails]]."},
        "rename_wiki_page": {"page": "Logs", "title": "Log books"},
        "link_wiki_page": {"page": "Logs", "add_entity_ids": [ada]},
        "archive_wiki_page": {"page": "Sails"},
    }  # fmt: skip
