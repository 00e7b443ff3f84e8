"""Every write that says that repeating it changes nothing: the second time it leaves no entry in the journal."""

from collections.abc import Iterator
from typing import Any

import pytest

from sophia.core.access import Access
from sophia.surface import GROUPS
from tests.support.house import House, house
from tests.support.imports import imported

REPEATABLE = [
    tool for group in GROUPS for tool in group.tools if tool.access is not Access.READ and tool.traits.idempotent
]


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


def calls(home: House) -> dict[str, dict[str, Any]]:
    """One call of each of these tools that changes something the first time."""
    ada, other = home.entity("Ada", "person"), home.entity("Other", "person")
    text = "Ada sailed in 1858.\n"
    made = home.call(home.owner, "add_document", title="Log", body=text, entity_ids=[ada])
    document = made["document"]["document_id"]
    known = home.call(home.owner, "remember_fact", entity_id=ada, predicate="likes", object="tea")["fact"]["fact_id"]
    folder = home.directory / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n")
    (folder / "b.md").write_text("# B\n")
    home.parts.roots.grant(str(folder), "owner")
    registered = home.call(home.owner, "register_folder", path=str(folder), name="Registered")["entity_id"]
    session = imported(home, home.agent("full"), "a log")
    claim = {"id": "c", "entity": ada, "predicate": "note", "object": "1858", "quote": "sailed in 1858"}
    return {
        "update_entity": {"entity_id": ada, "summary": "A sailor"},
        "add_alias": {"entity_id": ada, "alias": "The sailor"},
        "archive_entity": {"entity_id": other},
        "submit_claim_graph": {"source_id": document, "claims": [claim]},
        "remember_fact": {"entity_id": ada, "predicate": "likes", "object": "rum"},
        "retract_fact": {"fact_id": known, "reason": "No more"},
        "define_predicate": {"predicate": "sails", "value_type": "text", "single_valued": True},
        "add_file": {"path": str(folder / "b.md")},
        "register_folder": {"path": str(folder), "name": "Renamed"},
        "rescan_folder": {"entity_id": registered},
        "tag_document": {"document_id": document, "add_tags": ["sea"], "remove_tags": ["land"]},
        "link_document": {"document_id": document, "add_entity_ids": [other]},
        "archive_document": {"document_id": document},
        "commit_import_session": {"import_session_id": session},
    }


@pytest.mark.guarantee("J15")
@pytest.mark.parametrize("tool", [tool.short for tool in REPEATABLE])
def test_what_changes_nothing_leaves_no_entry(home: House, tool: str):
    asked = calls(home)[tool]
    first = home.call(home.owner, tool, **asked)
    before = home.call(home.owner, "list_mutations")["total"]
    home.clock.turn(60_000_000)
    again = home.call(home.owner, tool, **asked)
    assert home.call(home.owner, "list_mutations")["total"] == before
    assert "mutation_seq" not in again
    for row in {"entity", "document", "fact"} & first.keys() & again.keys():
        assert again[row] == first[row]
