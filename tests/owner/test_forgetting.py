"""What the owner has forgotten is gone everywhere, stays out, and leaves a tombstone that says so."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sophia.core.errors import Unavailable
from sophia.opening import opened
from sophia.owner.commands import COMMANDS
from sophia.settings import Settings
from sophia.store import journal
from sophia.store.forgetlist import ForgetList
from tests.support import shelf
from tests.support.backups import made, put_back
from tests.support.beneath import bare, faults, offline
from tests.support.desk import AtDesk, desk
from tests.support.house import House, house

CANARY = "kanarienvogel"
SIBLING = "sperling"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    with house(directory=tmp_path) as found:
        yield found


@contextmanager
def standing(place: Path) -> Iterator[House]:
    """A data directory as a daemon opens it, with all that a start makes whole."""
    there = opened(Settings(data_dir=place / "data", key_dir=place / "keys", keyring=False))
    try:
        clock: Any = there.parts.clock
        yield House(there.parts, clock, there.ownership, there.keys, place)
    finally:
        there.close()


def document(home: House, word: str, entity_ids: list[str]) -> str:
    added = home.call(
        home.owner, "add_document", title=f"The {word}", body=f"# {word}\n\nThe {word} sings at noon.\n",
        entity_ids=entity_ids, tags=[word], reason=f"about the {word}",
    )  # fmt: skip
    source: str = added["document"]["document_id"]
    return source


def fact(home: House, word: str, entity: str, source: str) -> str:
    claim = {"id": "c", "entity": entity, "predicate": "sings_at", "object": f"noon, the {word}",
             "quote": f"The {word} sings at noon."}  # fmt: skip
    told = home.call(home.owner, "submit_claim_graph", source_id=source, claims=[claim], reason=f"{word}, said it")
    fact_id: str = told["verdicts"][0]["fact_id"]
    return fact_id


def peopled(home: House) -> dict[str, str]:
    """A bird that is to go, and a sibling of it that is to stay."""
    ids: dict[str, str] = {}
    for word in (CANARY, SIBLING):
        entity = home.call(
            home.owner, "create_entity", kind="bird", name=word, aliases=[f"old {word}", f"dear {word}"],
            summary=f"the {word}", reason=f"the {word} came",
        )["entity"]["entity_id"]  # fmt: skip
        home.call(home.owner, "remove_alias", entity_id=entity, alias=f"old {word}")
        source = document(home, word, [entity])
        ids |= {f"e-{word}": entity, f"doc-{word}": source, f"f-{word}": fact(home, word, entity, source)}
    return ids


def pages(home: House) -> bytes:
    """Every byte of both databases, without their encryption."""
    home.databases.state.checkpoint()
    found = b""
    for name in ("state", "ops"):
        with bare(home.ownership, home.keys, name) as db:
            found += db.serialize("main")
    return found


def whole(home: House) -> list[object]:
    with bare(home.ownership, home.keys) as db:
        return faults(db, home.keys.seal)


def found(home: House, word: str) -> dict[str, list[Any]]:
    """Where the word is still found by asking."""
    return {
        "search": home.call(home.owner, "search", query=word)["items"],
        "facts": home.call(home.owner, "query_knowledge", query=word, history=True)["items"],
        "entities": home.call(home.owner, "resolve_entity", name=word)["candidates"],
    }


def both(home: House) -> tuple[AtDesk, dict[str, str]]:
    ids = peopled(home)
    return desk(home), ids


def test_what_is_forgotten_is_in_no_answer_no_index_no_image_and_no_page(home: House):
    at, ids = both(home)
    assert CANARY.encode() in pages(home), "the control is found"
    told = [at.ask("forget", {"id": ids[f"{noun}-{CANARY}"]}) for noun in ("doc", "e")]
    assert CANARY not in json.dumps(told)
    assert CANARY.encode() not in pages(home)
    assert found(home, CANARY) == {"search": [], "facts": [], "entities": []}
    assert all(found(home, SIBLING).values()), "the sibling is found"
    for key in ("e", "doc", "f"):
        assert at.refused("show", {"id": ids[f"{key}-{CANARY}"]})["code"] == "not_found"
    assert whole(home) == [], "the journal and its rows are still what was written"
    stones = at.ask("forgotten list")
    assert [stone["forgotten_id"] for stone in stones] == [ids[f"e-{CANARY}"], ids[f"doc-{CANARY}"]]
    assert all(stone["rows"] > 0 and stone["changes"] >= stone["rows"] and stone["refused"] for stone in stones)


def test_the_certificate_says_where_the_name_still_stands(home: House):
    at, ids = both(home)
    told = at.ask("forget plan", {"id": ids[f"e-{CANARY}"]})
    assert told["rows"]["fact"] == 1
    assert {"table": "document", "id": ids[f"doc-{CANARY}"]} in told["still_named_in"]
    assert home.call(home.owner, "get_entity", entity_id=ids[f"e-{CANARY}"]), "a plan changes nothing"
    assert at.ask("forget", {"id": ids[f"e-{CANARY}"]})["still_named_in"] == told["still_named_in"]


def test_what_was_forgotten_is_refused_until_the_owner_allows_it(home: House):
    at, ids = both(home)
    stones = {noun: at.ask("forget", {"id": ids[f"{noun}-{CANARY}"]})["tombstone_id"] for noun in ("doc", "e")}
    agent = home.agent()
    body = f"# {CANARY}\n\nThe {CANARY} sings at noon.\n"
    again = {"title": "Another", "body": body}
    renamed = {"entity_id": ids[f"e-{SIBLING}"], "name": CANARY.upper()}
    alias = {"entity_id": ids[f"e-{SIBLING}"], "alias": f"Dear {CANARY}"}
    anew = {"kind": "other", "name": CANARY}
    for caller, tool, arguments in (
        (agent, "add_document", again), (home.owner, "add_document", again), (home.owner, "create_entity", anew),
        (agent, "update_entity", renamed), (agent, "add_alias", alias),
    ):  # fmt: skip
        assert home.refused(caller, tool, **arguments)["code"] == "forgotten", tool
    claims = [{"id": "c", "entity": CANARY, "predicate": "is", "object": "a bird", "quote": "sings"}]
    graph = {"source_id": ids[f"doc-{SIBLING}"], "claims": claims, "entities": [{"name": CANARY, "kind": "bird"}]}
    assert home.refused(home.owner, "submit_claim_graph", **graph)["code"] == "forgotten"
    home.call(agent, "add_alias", entity_id=ids[f"e-{SIBLING}"], alias="a neighbour")

    for stone in stones.values():
        at.ask("forgotten allow", {"tombstone_id": stone})
    home.call(agent, "add_document", **again)
    home.call(home.owner, "create_entity", **anew)
    assert at.refused("forgotten allow", {"tombstone_id": "gone-none"})["code"] == "not_found"


def test_a_folder_that_offers_it_again_is_told_and_the_rest_is_taken_in(home: House, tmp_path: Path):
    at = desk(home)
    (tmp_path / "notes").mkdir()
    for word in (CANARY, SIBLING):
        (tmp_path / "notes" / f"{word[0]}.md").write_text(f"# Bird\n\nThe {word} sings. owner: {word}@birds.org\n")
    at.ask("import", {"paths": [str(tmp_path / "notes")]})
    documents = home.call(home.owner, "list_documents")["items"]
    gone = next(one["document_id"] for one in documents if one["location"].endswith("k.md"))
    stone = at.ask("forget", {"id": gone})["tombstone_id"]
    (tmp_path / "notes" / "copy.md").write_bytes((tmp_path / "notes" / "k.md").read_bytes())
    (tmp_path / "notes" / "new.md").write_text("Another one.\n")
    told = at.ask("import", {"paths": [str(tmp_path / "notes")]})
    assert "forgotten" in json.dumps(told)
    titles = {one["location"].rpartition("/")[2] for one in home.call(home.owner, "list_documents")["items"]}
    assert titles == {"s.md", "new.md"}
    failed = home.call(home.owner, "ingest_status")["failed"]
    assert {(one["path"], one["reason"]) for one in failed} == {("k.md", "forgotten"), ("copy.md", "forgotten")}
    at.ask("forgotten allow", {"tombstone_id": stone})
    at.ask("import", {"paths": [str(tmp_path / "notes")]})
    assert len(home.call(home.owner, "list_documents")["items"]) == 4


def test_mining_makes_no_entity_of_a_forgotten_name(home: House, tmp_path: Path):
    at, ids = both(home)
    at.ask("forget", {"id": ids[f"e-{CANARY}"]})
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text(f"---\ntitle: {CANARY}\nstatus: open\n---\n\nIt sings.\n")
    (tmp_path / "notes" / "b.md").write_text("---\nstatus: open\n---\n\nIt sings, too.\n")
    at.ask("import", {"paths": [str(tmp_path / "notes")]})
    mining = next(chore for chore in home.parts.chores.chores if chore.name == "mining")
    while mining.step() == 0:
        pass
    tiers = {one["tier"] for one in home.call(home.owner, "list_documents")["items"] if one.get("location")}
    assert tiers == {"indexed"}
    names = {one["name"] for one in home.call(home.owner, "list_entities", limit=200)["items"]}
    assert not any(CANARY in name.lower() for name in names)


def test_a_backup_from_before_is_rid_of_it_when_it_is_put_back(home: House, tmp_path: Path):
    at, ids = both(home)
    made(home, tmp_path / "b", "pass")
    at.ask("forget", {"id": ids[f"e-{CANARY}"]})
    at.ask("forget", {"id": ids[f"doc-{CANARY}"]})
    (tmp_path / "again").mkdir()
    told = put_back(tmp_path / "b", tmp_path / "again", "pass", keys=tmp_path / "keys")
    assert (told["ok"], told["forgotten_again"]) == (True, 2)
    there = Settings(data_dir=tmp_path / "again" / "data", key_dir=tmp_path / "keys", keyring=False)
    restored = opened(there)
    try:
        answer = restored.parts.dispatcher.call(restored.parts.owner, "search", {"query": f"{CANARY} {SIBLING}"})
        titles = {one["title"] for one in json.loads(answer.payload)["items"]}
        assert any(SIBLING in title for title in titles)
        assert not any(CANARY in title for title in titles)
        body = {"title": "t", "body": f"# {CANARY}\n\nThe {CANARY} sings at noon.\n"}
        again = restored.parts.dispatcher.call(restored.parts.owner, "add_document", body)
        assert json.loads(again.payload)["error"]["code"] == "forgotten"
    finally:
        restored.close()


class Plugged:
    """The power goes at the next `before_commit`, or `after_commit`, once something is on the list."""

    def __init__(self, name: str, listed: ForgetList) -> None:
        self.name, self.listed = name, listed

    def reach(self, name: str) -> None:
        if name == self.name and self.listed.entries():
            raise RuntimeError("the plug was pulled")


@pytest.mark.parametrize("failpoint", ["before_commit", "after_commit"])
def test_a_forgetting_that_was_broken_off_is_finished_by_the_next_start(tmp_path: Path, failpoint: str):
    with standing(tmp_path) as home:
        ids = peopled(home)
        plug: Any = Plugged(failpoint, ForgetList(tmp_path / "keys", home.keys.seal))
        home.databases.state._failpoints = plug
        assert desk(home).refused("forget", {"id": ids[f"e-{CANARY}"]})["code"] == "internal"
    with standing(tmp_path) as home:
        assert found(home, CANARY)["entities"] == []
        assert found(home, SIBLING)["entities"]
        assert [one["forgotten_id"] for one in desk(home).ask("forgotten list")] == [ids[f"e-{CANARY}"]]
        assert whole(home) == []


@pytest.mark.guarantee("C8")
def test_forgetting_shows_nobody_more_than_they_saw(home: House):
    at, ids = both(home)
    shared = document(home, "both", [ids[f"e-{CANARY}"], ids[f"e-{SIBLING}"]])
    agent = home.agent(scope=[ids[f"e-{SIBLING}"]])
    assert home.refused(agent, "get_document", document_id=shared)["code"] == "not_found"
    told = at.ask("forget", {"id": ids[f"e-{CANARY}"]})
    assert told["seen_by_fewer_now"] == 1
    assert home.refused(agent, "get_document", document_id=shared)["code"] == "not_found"
    assert home.call(home.owner, "get_document", document_id=shared)
    assert home.call(agent, "get_document", document_id=ids[f"doc-{SIBLING}"])


def test_a_page_that_was_linked_to_it_is_seen_and_found_by_nobody_more(home: House):
    gone, stays = home.entity("Gone"), home.entity("Stays")
    home.call(home.owner, "write_wiki_page", page="Both", body="zanzibar", entity_ids=[gone, stays])
    told = desk(home).ask("forget", {"id": gone})
    assert (told["seen_by_fewer_now"], told["rows"]["page_entity"]) == (1, 2)
    assert home.call(home.agent(scope=[stays]), "search_wiki", query="zanzibar")["total"] == 0
    assert home.call(home.owner, "search_wiki", query="zanzibar")["total"] == 1
    with home.databases.state.reading(home.owner) as db:
        assert db.rows("SELECT rowid FROM page_fts WHERE page_fts MATCH :word", word=stays.replace("-", "")) == []


def test_requests_that_hold_it_are_emptied_and_those_that_wait_are_void(home: House):
    at, ids = both(home)
    asking = home.agent("assistant")
    home.refused(asking, "update_entity", entity_id=ids[f"e-{CANARY}"], summary="loud")
    home.refused(asking, "create_entity", kind="bird", name=f"{CANARY} the second")
    home.refused(asking, "update_entity", entity_id=ids[f"e-{SIBLING}"], summary="quiet")
    told = at.ask("forget", {"id": ids[f"e-{CANARY}"]})
    assert told["approvals_emptied"] == 2
    statuses = sorted(one["status"] for one in home.call(asking, "list_approvals")["items"])
    assert statuses == ["pending", "void", "void"]


def test_nothing_else_and_nobody_else_is_forgotten(home: House):
    at, ids = both(home)
    assert at.refused("forget", {"id": "e-none"})["code"] == "not_found"
    assert at.refused("forget", {"id": "doc-none"})["code"] == "not_found"
    assert at.refused("forget", {"id": ids[f"f-{CANARY}"]})["code"] == "bad_arguments"
    assert COMMANDS["forget"].confirmed is not None
    absent = desk(home, "terminal")
    assert absent.refused("forget", {"id": ids[f"e-{CANARY}"]}, pid=9)["code"] == "presence_refused"
    assert absent.refused("forget", {"id": ids[f"e-{CANARY}"]})["code"] == "presence_required"


def test_an_image_that_no_tombstone_accounts_for_is_a_break(tmp_path: Path):
    with house(directory=tmp_path) as home:
        ids = peopled(home)
        seq = home.call(home.owner, "update_entity", entity_id=ids[f"e-{CANARY}"], summary="x", reason="why")
        number = seq["mutation_seq"]
    with offline(tmp_path) as (db, keys):
        for column, value in (("before", None), ("reason", None)):
            table = "mutation" if column == "reason" else "mutation_change"
            where = "seq" if column == "reason" else "mutation_seq"
            was = db.execute(f"SELECT {column} FROM {table} WHERE {where} = ?", (number,)).get
            db.execute(f"UPDATE {table} SET {column} = ? WHERE {where} = ?", (value, number))
            assert next(journal.broken(db, keys.seal), None) == number, column
            db.execute(f"UPDATE {table} SET {column} = ? WHERE {where} = ?", (was, number))
        made_up = (
            "UPDATE mutation_change SET before = NULL, after = NULL, forgotten_by = 'gone-x' WHERE mutation_seq = ?"
        )
        db.execute(made_up, (number,))
        assert next(journal.broken(db, keys.seal), None) == number


def test_a_list_that_sophia_did_not_write_is_said_and_stops_the_start(tmp_path: Path):
    with standing(tmp_path) as home:
        ids = peopled(home)
        desk(home).ask("forget", {"id": ids[f"doc-{CANARY}"]})
        listed = ForgetList(tmp_path / "keys", home.keys.seal)
        assert CANARY.encode() not in listed.path.read_bytes()
        written = json.loads(listed.path.read_bytes())
    for wrong in (b"{", json.dumps({**written, "entries": []}).encode()):
        listed.path.write_bytes(wrong)
        with pytest.raises(Unavailable, match="is not one that Sophia wrote"):
            listed.entries()
        with pytest.raises(Unavailable):
            opened(Settings(data_dir=tmp_path / "data", key_dir=tmp_path / "keys", keyring=False))
    listed.path.unlink()
    listed.path.mkdir()
    with pytest.raises(Unavailable, match="cannot be read"):
        listed.entries()


def test_nobody_with_a_list_reaches_below_the_scope(home: House):
    agent = home.agent(scope=[home.entity("one")])
    entry = journal.Entry(agent.user_id, agent.connection_id, agent.name, "t", "c", 1)
    with (
        pytest.raises(PermissionError),
        home.databases.state.writing(agent, entry),
        home.databases.state.erasing(),
    ):
        pass


def test_what_was_merged_goes_with_what_it_went_into_and_what_goes_alone_leaves_the_other(home: House):
    ids, at = peopled(home), desk(home)
    bird, sibling = ids[f"e-{CANARY}"], ids[f"e-{SIBLING}"]
    home.call(home.owner, "merge_entities", keep_id=sibling, merge_id=bird)
    at.ask("forget", {"id": bird})
    told = home.call(home.owner, "get_entity", entity_id=sibling)
    assert (told["status"], told.get("merged_ids")) == ("active", None)
    assert home.call(home.owner, "query_knowledge", entity=sibling)["total"] == 1
    other = home.entity("third", "bird")
    home.call(home.owner, "merge_entities", keep_id=other, merge_id=sibling)
    at.ask("forget", {"id": other})
    assert home.refused(home.owner, "get_entity", entity_id=sibling)["code"] == "not_found"
    assert SIBLING not in str(home.call(home.owner, "query_knowledge", history=True))
    assert home.dump()["entity_merge"] == []


def test_a_document_that_is_forgotten_lets_go_what_was_merged_into_the_entity_that_it_is(home: House):
    noted = shelf.put(home, "Due: 12 March 2026", title="Of a bird")
    home.parts.chores.settle(30)
    (itself,) = home.call(home.owner, "list_entities", kind="document")["items"]
    bird = home.entity("Bird", "bird")
    home.call(home.owner, "merge_entities", keep_id=itself["entity_id"], merge_id=bird)
    desk(home).ask("forget", {"id": noted})
    assert home.call(home.owner, "get_entity", entity_id=bird)["status"] == "active"
