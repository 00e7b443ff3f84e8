"""The full-text index under every shape of scope: what it finds counts only where the caller's own rows hold it."""

from collections.abc import Iterator

import pytest

from sophia.core.caller import Owner
from sophia.core.scope import Scope
from sophia.search import fts
from tests.support.house import House, house

LURE = "harvest"


@pytest.fixture(scope="module")
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture(scope="module")
def ids(home: House) -> dict[str, str]:
    """One document for each way of being linked to two entities."""
    first, second = home.entity("First"), home.entity("Second")
    made = {"first": first, "second": second}
    linked: dict[str, list[str]] = {
        "of first": [first],
        "of second": [second],
        "of both": [first, second],
        "of none": [],
    }
    for name, entity_ids in linked.items():
        added = home.call(home.owner, "add_document", title=name, body=f"The {LURE} {name}.", entity_ids=entity_ids)
        made[name] = added["document"]["document_id"]
    return made


def found(home: House, scope: Scope, asked: Scope | None = None) -> set[str]:
    """The documents found by somebody of this scope; `asked` is what the index is told to narrow by."""
    caller = Owner(home.owner.user_id, scope)
    with home.databases.state.reading(caller) as db:
        told = [
            {hit.id for hit in fts.best(db, f'"{LURE}"', asked or scope, condition, 100)} for condition in ("1", None)
        ]
        held = {
            condition: set(fts.holding(db, f'"{LURE}"', asked or scope, condition, 100)) for condition in ("1", None)
        }
    assert told[0] == told[1] == held["1"] == held[None]
    return told[0]


def scoped(*entity_ids: str) -> Scope:
    return Scope(frozenset(entity_ids))


MANY = [f"e-other{n:020d}" for n in range(40_000)]


@pytest.mark.guarantee("C2", "C11")
def test_a_document_is_found_by_whoever_sees_all_that_it_is_linked_to(home: House, ids: dict[str, str]):
    documents = {ids[name] for name in ("of first", "of second", "of both", "of none")}
    assert found(home, Scope(None)) == documents
    assert found(home, scoped(ids["first"])) == {ids["of first"]}
    assert found(home, scoped(ids["first"], ids["second"])) == documents - {ids["of none"]}
    assert found(home, scoped("e-unknown")) == set()
    assert found(home, scoped()) == set()


@pytest.mark.guarantee("C10")
def test_a_long_scope_finds_the_same_as_a_short_one(home: House, ids: dict[str, str]):
    assert len(MANY) > fts.SHORT_SCOPE
    assert found(home, scoped(ids["first"], *MANY)) == {ids["of first"]}
    assert found(home, scoped(ids["first"], ids["second"], *MANY)) == found(home, scoped(ids["first"], ids["second"]))


@pytest.mark.guarantee("C4", "C11")
def test_what_the_index_is_asked_to_narrow_by_never_widens_what_is_seen(home: House, ids: dict[str, str]):
    for asked in (Scope(None), scoped(ids["second"]), scoped(ids["first"], ids["second"])):
        assert found(home, scoped(ids["first"]), asked) <= {ids["of first"]}


def test_an_entity_id_is_no_word_of_the_text(home: House, ids: dict[str, str]):
    with home.databases.state.reading(home.owner) as db:
        token = ids["first"].replace("-", "")
        assert fts.best(db, f'"{token}"', Scope(None), "1", 100) == []


@pytest.mark.guarantee("C9")
def test_the_text_of_the_index_cannot_be_read(home: House, ids: dict[str, str]):
    """The positive control is beside it: its rowids can."""
    with home.databases.state.reading(home.owner) as db:
        assert db.rows("SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH :match", match=LURE)
    refused = pytest.raises(Exception, match=r"(?i)not authorized|prohibited")
    for column in ("body", "scope", "*"):
        with home.databases.state.reading(home.owner) as db, refused:
            db.rows(f"SELECT {column} FROM chunk_fts WHERE chunk_fts MATCH :match", match=LURE)
