"""basic-memory: observations and relations of notes become facts, grounded in the line that says them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.house import House, house
from tests.support.sources import brought, documents


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


TIDES = """---
title: Tide tables
type: guide
permalink: notes/tide-tables
tags:
- sea
---

# Tide tables

## Observations
- [method] Read the column of the month #tables #how-to (from the pilot)
- [fact] High water is at 14:10
- [ ] Buy a new almanac
- [x] Sharpen the pencil
- plain

```
- [method] Not this
```

## Relations
- belongs to [[Harbour]] (since 1858)
- [[notes/pilots]]
- part_of [[Almanac]]

See also [[Harbour]] and [[Weather]].
"""


@pytest.fixture
def notes(home: House) -> Path:
    folder = home.directory / "notes"
    folder.mkdir()
    (folder / "tides.md").write_text(TIDES, encoding="utf-8")
    (folder / "pilots.md").write_text("---\ntitle: Pilots\ntype: person\npermalink: notes/pilots\n---\nx\n")
    (folder / "harbour.md").write_text("---\ntitle: Harbour\ntype: place\npermalink: h\n---\n- [depth] 4 m\n")
    return folder


def test_observations_and_relations_come_in_grounded(home: House, notes: Path):
    told = brought(home, notes)
    assert told["kinds"] == {str(notes): "basic-memory"}
    assert (told["documents"], told["skipped"]) == (3, [])
    items = home.call(home.owner, "query_knowledge", limit=100)["items"]
    found = {(one["entity_name"], one["predicate"], one["object"]): one for one in items}
    assert set(found) == {
        ("Tide tables", "method", "Read the column of the month"), ("Tide tables", "fact", "High water is at 14:10"),
        ("Tide tables", "belongs_to", "Harbour"), ("Tide tables", "links_to", "Pilots"),
        ("Tide tables", "part_of", "Almanac"), ("Tide tables", "links_to", "Weather"), ("Harbour", "depth", "4 m"),
    }  # fmt: skip
    assert {one["trust_tier"] for one in items} <= {"imported", "inferred"}
    method = found["Tide tables", "method", "Read the column of the month"]
    assert method["quote"] == "- [method] Read the column of the month #tables #how-to (from the pilot)"
    assert found["Tide tables", "belongs_to", "Harbour"]["trust_tier"] == "imported"
    kinds = {one["name"]: one["kind"] for one in home.call(home.owner, "list_entities", limit=100)["items"]}
    assert kinds == {
        "Tide tables": "guide",
        "Harbour": "place",
        "Pilots": "person",
        "Almanac": "note",
        "Weather": "note",
    }
    assert documents(home)["Tide tables"]["tags"] == ["how-to", "sea", "tables"]


def test_importing_the_notes_again_changes_nothing(home: House, notes: Path):
    brought(home, notes)
    before = home.dump()
    assert brought(home, notes)["mutation_seq"] is None
    assert home.dump() == before
