"""Obsidian vaults: properties, tags, and links that mean a note by the shortest path, whatever their case."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sophia.importers.notes import properties, prose
from sophia.importers.obsidian import Vault
from tests.support.house import House, house
from tests.support.sources import brought, documents


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


NOTES = {
    "Harbour.md": (
        "---\ntags:\n  - place\n  - sea/Port\naliases: [The port, 'Old harbour']\nopened: 1858-05-04\n---\n"
        "# Not a tag\n\nThe pilot is [[people/ada|Ada B.]], see [[Tides#High water|the table]] and ![[chart.png]].\n"
        "![[Tides]] #sea/Port #work #1858 `#code [[Nowhere]]`\n```\n[[Nowhere]] #not\n```\n"
        "[[#Own heading]] [[Missing]]\n"
    ),
    "people/Ada.md": "Ada knows the [[HARBOUR]].\n",
    "Tides.md": "High water at noon.\n",
    "archive/2025/Tides.md": "Old tides, beside [[./Harbour]] no more, and [[archive/2025/Tides]].\n",
}


@pytest.fixture
def vault(home: House) -> Path:
    folder = home.directory / "vault"
    for name, text in NOTES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / ".obsidian").mkdir()
    (folder / ".obsidian" / "app.json").write_text("{}")
    (folder / ".trash").mkdir()
    (folder / ".trash" / "Gone.md").write_text("gone")
    return folder


def linked(home: House) -> dict[tuple[str, str, str], dict[str, Any]]:
    items = home.call(home.owner, "query_knowledge", limit=100)["items"]
    return {(one["entity_name"], one["predicate"], one["object"]): one for one in items}


def test_a_vault_comes_in_with_its_tags_names_and_links(home: House, vault: Path):
    told = brought(home, vault)
    assert told["kinds"] == {str(vault): "obsidian"}
    assert told["documents"] == 4
    found = documents(home)
    assert found["Harbour"]["text"] == NOTES["Harbour.md"]
    assert found["Harbour"]["tags"] == ["place", "sea/Port", "work"]
    facts = linked(home)
    assert {
        ("Harbour", "links_to", "Ada"), ("Harbour", "links_to", "Tides"), ("Harbour", "embeds", "Tides"),
        ("Ada", "links_to", "Harbour"),
    } == {key for key in facts if key[1] in ("links_to", "embeds")}  # fmt: skip
    assert facts["Harbour", "links_to", "Tides"]["quote"] == "[[Tides#High water|the table]]"
    assert facts["Harbour", "opened", "1858-05-04"]["trust_tier"] == "imported"
    assert {one["trust_tier"] for one in facts.values()} <= {"imported", "inferred"}
    harbour = home.call(home.owner, "get_entity", entity_id=facts["Ada", "links_to", "Harbour"]["object_entity_id"])
    assert (harbour["kind"], harbour["aliases"]) == ("note", ["Old harbour", "The port"])
    left_out = {one["path"].rpartition(": ")[2]: one["reason"] for one in told["skipped"]}
    assert left_out == {"[[Missing]]": "unresolved", "[[./Harbour]]": "unresolved"}


def test_importing_a_vault_again_changes_nothing(home: House, vault: Path):
    brought(home, vault)
    before = home.dump()
    assert brought(home, vault)["mutation_seq"] is None
    assert home.dump() == before
    (vault / "Tides.md").write_text("High water at one. See [[Ada]].\n", encoding="utf-8")
    told = brought(home, vault)
    assert (told["documents"], told["entities"], told["facts"]) == (1, 0, 1)


@pytest.mark.parametrize(
    ("target", "origin", "meant"),
    [
        ("tides", "Harbour.md", "Tides.md"),
        ("TIDES.md", "archive/2025/x.md", "Tides.md"),
        ("2025/Tides", "Harbour.md", "archive/2025/Tides.md"),
        ("/Tides", "archive/2025/x.md", "Tides.md"),
        ("../2025/Tides", "archive/2025/x.md", "archive/2025/Tides.md"),
        ("des", "Harbour.md", None),
    ],
)
def test_a_link_means_the_note_of_the_shortest_path(target: str, origin: str, meant: str | None):
    assert Vault.of(["archive/2025/Tides.md", "Tides.md"]).resolved(target, origin) == meant


def test_properties_are_read_in_every_form_they_are_written_in():
    written = 'title: "A: b"\nTags: one, two\nlist:\n- x\n-  y\nempty:\nnested:\n  deep: 1\nlink: "[[Ada]]"\n'
    text = f"---\n{written}---\nbody: no\n"
    found = properties(text)
    assert (found["title"], found["list"], found["link"]) == (["A: b"], ["x", "y"], ["[[Ada]]"])
    assert (found["empty"], "body" in found, "deep" in found) == ([], False, False)
    assert properties("no properties\n---\na: b\n---\n") == {}


def test_code_and_properties_leave_all_else_where_it_stood():
    text = "---\na: [[b]]\n---\nx `[[c]]` y\n~~~\n[[d]]\n~~~\n[[e]]"
    shown = prose(text)
    assert len(shown) == len(text)
    assert shown.index("[[e]]") == text.index("[[e]]")
    assert "[[c]]" not in shown
    assert "[[d]]" not in shown
    assert "[[b]]" not in shown
