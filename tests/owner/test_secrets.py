"""What was kept out as a secret: listed by kind and end, and one value allowed by its hit."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sophia.importers.paths import import_paths
from tests.support.desk import AtDesk, desk
from tests.support.house import House, house
from tests.support.kept import kept
from tests.support.planted import SHAPED, armoured, drawn

SECRET = "Zx9!kk22" + "aB#7"


@pytest.fixture(name="home")
def _home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture(name="at")
def _at(home: House) -> AtDesk:
    return desk(home)


@pytest.fixture(name="notes")
def _notes(home: House) -> Path:
    folder = home.directory / "notes"
    folder.mkdir()
    (folder / "router.md").write_text(
        f"# Router {drawn(4)}\n\nThe password is {SECRET} here.\n\n{armoured()}\n\nSet on 12 March 2026.\n", "utf-8"
    )
    (folder / "plain.md").write_text("# Plain\n\nThe avocet wades.\n", encoding="utf-8")
    return folder


def imported(home: House, *given: Path) -> dict[str, Any]:
    return import_paths(home.parts.intake, [str(path) for path in given], lambda _stage, _done, _of: None).told()


def router(home: House) -> str:
    found = home.call(home.owner, "search_documents", query="router")["items"]
    text: str = home.call(home.owner, "fetch_document", document_id=found[0]["document_id"])["text"]
    return text


def test_an_import_keeps_secrets_out_and_says_how_many(home: House, at: AtDesk, notes: Path):
    assert imported(home, notes)["masked"] == 2
    assert SECRET not in kept(home)
    assert armoured().splitlines()[1] not in kept(home)
    listed = at.ask("secrets list")
    assert {hit["kind"] for hit in listed} == {"password", "private_key"}
    assert all(hit["found_in"] == "sophia import" and not hit["allowed"] for hit in listed)
    assert {hit["hit_id"] for hit in listed} == {hit["hit_id"] for hit in listed if hit["hit_id"] in router(home)}


def test_importing_again_changes_nothing(home: House, at: AtDesk, notes: Path):
    imported(home, notes)
    before, listed = home.dump(), at.ask("secrets list")
    again = imported(home, notes)
    assert (again["documents"], again["masked"]) == (0, 0)
    assert home.dump() == before
    assert at.ask("secrets list") == listed


def test_no_digest_of_the_bytes_lets_anybody_try_values(home: House, notes: Path):
    imported(home, notes)
    assert hashlib.sha256((notes / "router.md").read_bytes()).hexdigest() not in kept(home)
    assert hashlib.sha256((notes / "plain.md").read_bytes()).hexdigest() in kept(home)


def test_an_allowed_value_is_kept_by_the_next_import_and_the_next_write(home: House, at: AtDesk, notes: Path):
    imported(home, notes)
    hit = next(one for one in at.ask("secrets list") if one["kind"] == "password")
    told = at.ask("secrets allow", {"hit_id": hit["hit_id"]})
    assert told["allowed"]
    assert [(one["about"], one["who"]) for one in at.logged("secret_allowed")] == [(hit["hit_id"], "owner")]
    assert imported(home, notes)["documents"] == 1
    text = router(home)
    assert SECRET in text
    assert "[secret private_key" in text
    agent = home.agent("full")
    written = home.call(agent, "add_document", title="t", body=f"password: {SECRET}\napi_key: {drawn(40)}")
    assert "api_key" in written["warning"]
    assert "password" not in written["warning"]
    before = home.dump()
    assert imported(home, notes)["documents"] == 0
    assert home.dump() == before
    at.ask("secrets allow", {"hit_id": hit["hit_id"]})
    assert len(at.logged("secret_allowed")) == 1


def test_an_allowance_is_taken_back(home: House, at: AtDesk, notes: Path):
    imported(home, notes)
    hit = next(one for one in at.ask("secrets list") if one["kind"] == "password")["hit_id"]
    at.ask("secrets allow", {"hit_id": hit})
    assert not at.ask("secrets disallow", {"hit_id": hit})["allowed"]
    told = home.call(home.agent("full"), "add_document", title="t", body=f"password: {SECRET}")
    assert hit in told["warning"]
    assert len(at.logged("secret_disallowed")) == 1


def test_allowing_needs_the_owner_and_shows_no_value(home: House, notes: Path):
    imported(home, notes)
    careful = desk(home, "terminal")
    hit = next(one for one in careful.ask("secrets list") if one["kind"] == "password")["hit_id"]
    details = careful.refused("secrets allow", {"hit_id": hit})["details"]
    assert hit in details["type"]
    assert SECRET not in str(details)
    assert home.parts.secrets.found(hit)["allowed"] is False


@pytest.mark.parametrize(("hit", "code"), [("hit-0000000000", "not_found"), ("all", "bad_arguments")])
def test_only_a_hit_that_is_there_is_allowed(at: AtDesk, hit: str, code: str):
    assert at.refused("secrets allow", {"hit_id": hit})["code"] == code


def test_what_the_owner_says_is_kept_without_secrets_too(home: House, at: AtDesk):
    agent = home.agent("assistant")
    pending = home.refused(agent, "create_entity", kind="thing", name="x")["details"]["approval_id"]
    denied = at.ask("deny", {"approval_id": pending, "reason": f"the password is {SECRET}"})
    assert "password (hit-" in denied["warning"]
    at.ask("call", {"tool": "create_entity", "arguments": {"kind": "thing", "name": "y", "summary": SHAPED[0].secret}})
    at.refused("grant", {"command": "call", "arguments": {"tool": "create_entity", "arguments": {"kind": SECRET}}})
    at.mint(name=f"agent {SHAPED[0].secret}")
    assert SECRET not in kept(home)
    assert SHAPED[0].secret not in kept(home)
    assert len(at.ask("secrets list")) == 2


def test_a_file_whose_path_holds_a_secret_is_left_out(home: House, notes: Path):
    (notes / f"{SHAPED[0].secret}.md").write_text("# Named badly", encoding="utf-8")
    told = imported(home, notes)
    assert told["folders"][0]["passed_over"] == {"secret_in_path": 1}
    lone = imported(home, notes / f"{SHAPED[0].secret}.md")
    assert [one["reason"] for one in lone["skipped"]] == ["secret_in_path"]
    assert SHAPED[0].secret not in kept(home)


def test_a_file_that_an_agent_adds_is_told_with_what_was_kept_out(home: House, at: AtDesk, notes: Path):
    at.ask("folders grant", {"path": str(notes)})
    agent = home.agent("assistant")
    pending = home.refused(agent, "add_file", path=str(notes / "router.md"))["details"]["approval_id"]
    assert at.ask("secrets list") == []
    assert home.parts.approvals.approve(pending, "owner").status == "approved"
    told = home.call(agent, "add_file", path=str(notes / "router.md"))
    assert "password (hit-" in told["warning"]
    assert len(at.ask("secrets list")) == 2
    assert SECRET not in kept(home)
    again = home.call(home.agent("full"), "add_file", path=str(notes / "router.md"))
    assert "Nothing was changed" in again["warning"]
    assert "password (hit-" in again["warning"]


def test_a_watched_folder_keeps_secrets_out_knows_moved_files_and_reads_anew_what_was_allowed(
    home: House, at: AtDesk, notes: Path
):
    folder = imported(home, notes)["folders"][0]["entity_id"]
    (notes / "later.md").write_text(f"# Later\n\npassword: {SECRET}\n\nzanzibar", encoding="utf-8")
    home.call(home.owner, "rescan_folder", entity_id=folder)
    assert home.parts.chores.settle(10)
    found = home.call(home.owner, "search_documents", query="zanzibar")["items"]
    assert len(found) == 1
    assert SECRET not in kept(home)
    (notes / "later.md").rename(notes / "moved.md")
    home.call(home.owner, "rescan_folder", entity_id=folder)
    assert home.parts.chores.settle(10)
    again = home.call(home.owner, "search_documents", query="zanzibar")["items"]
    assert [one["document_id"] for one in again] == [one["document_id"] for one in found]
    hit = next(one for one in at.ask("secrets list") if one["kind"] == "password")["hit_id"]
    at.ask("secrets allow", {"hit_id": hit})
    assert home.parts.chores.settle(10)
    text = home.call(home.owner, "fetch_document", document_id=found[0]["document_id"])["text"]
    assert SECRET in text
    assert SECRET in router(home)


def test_pages_and_cells_are_where_they_were_once_a_secret_is_gone(home: House, notes: Path):
    (notes / "list.csv").write_text(f"name,password\nada,{SECRET}\nbob,zanzibar\n", encoding="utf-8")
    imported(home, notes)
    document = home.call(home.owner, "search_documents", query="zanzibar")["items"][0]["document_id"]
    with home.databases.state.reading(home.owner) as db:
        row = db.row("SELECT t.text, t.places FROM document_text t WHERE t.id = :id", id=document)
    assert row is not None
    assert SECRET not in row["text"]
    places = json.loads(row["places"])
    lines = {row["text"][start:end].strip() for start, end, _place in places}
    assert any("zanzibar" in line and "ada" not in line for line in lines)
