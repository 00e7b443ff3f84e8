"""Entities that are likely one: by name, by likeness, by the addresses that hardly two share."""

from collections.abc import Iterator

import pytest

from sophia.capabilities.entities import pairs
from sophia.capabilities.entities.contacts import contacts
from tests.support.house import House, house


@pytest.fixture(name="home")
def _home() -> Iterator[House]:
    with house() as standing:
        yield standing


def made(home: House, name: str, kind: str = "person", **more: object) -> str:
    entity_id: str = home.call(
        home.owner, "create_entity", kind=kind, name=name, allow_duplicate=True, **more
    )["entity"]["entity_id"]  # fmt: skip
    return entity_id


def test_likely_pairs_are_told_with_the_reason_and_a_merge_settles_them(home: House):
    one, other = made(home, "Ada Lovelace"), made(home, "Lovelace, Ada")
    mail = {"email": "Countess@example.org"}
    first, second = made(home, "Augusta", attributes=mail), made(home, "The Countess", attributes=mail)
    site = made(home, "Engines", "organisation", attributes={"website": "https://www.engines.example/"})
    twin = made(home, "Analytical Co", "organisation", attributes={"url": "engines.example"})
    made(home, "Ada Lovelace", "ship")
    made(home, "Babbage")
    alias = made(home, "Byron", aliases=["Lady B."])
    named = made(home, "Lady B")
    told = home.call(home.agent("observer"), "find_duplicate_entities")
    assert {(each["entity_id"], each["other_id"], each["why"]) for each in told["items"]} == {
        (one, other, "same words"), (first, second, "same e-mail"), (site, twin, "same domain"),
        (alias, named, "same name"),
    }  # fmt: skip
    assert [each["score"] for each in told["items"]] == [1.0, 0.96, 0.95, 0.9]
    assert told["complete"] is True
    assert home.call(home.owner, "find_duplicate_entities", kind="Organisation")["total"] == 1
    for each in told["items"]:
        home.call(home.owner, "merge_entities", keep_id=each["entity_id"], merge_id=each["other_id"])
    assert home.call(home.owner, "find_duplicate_entities")["total"] == 0


def test_folders_of_one_name_are_no_duplicates(home: House):
    for place in ("one", "two"):
        folder = home.directory / place / "notes"
        folder.mkdir(parents=True)
        home.parts.roots.grant(str(folder), "owner")
        home.call(home.owner, "register_folder", path=str(folder))
    assert home.call(home.owner, "list_entities", kind="folder")["total"] == 2
    assert home.call(home.owner, "find_duplicate_entities")["total"] == 0


def test_what_is_said_beforehand_is_what_the_write_refuses(home: House):
    made(home, "Ada Lovelace", attributes={"e-mail": ["mailto:ada@example.org", "a@b.example"]})
    whys = []
    for asked in (
        {"name": "Ada Lovelase"}, {"name": "Countess", "aliases": ["ada lovelace"]},
        {"name": "Countess", "attributes": {"Email": "ADA@example.org "}},
    ):  # fmt: skip
        told = home.call(home.agent("observer"), "check_duplicate", kind="Person", **asked)
        assert told["duplicate"] is True
        assert home.refused(home.owner, "create_entity", kind="person", **asked)["candidates"] == told["candidates"]
        whys.append(told["candidates"][0]["why"])
    assert whys == ["spelling", "name", "same e-mail"]
    told = home.call(home.owner, "check_duplicate", kind="person", name="Countess", attributes={"email": "x@b.example"})
    assert told == {"duplicate": False, "candidates": [], "_inbox_unread": 0}


def test_an_address_that_changed_is_compared_as_it_is_now(home: House):
    ada = made(home, "Ada", attributes={"email": "old@example.org"})
    home.call(home.owner, "update_entity", entity_id=ada, attributes={"email": "new@example.org"})
    for mail, likely in (("old@example.org", False), ("new@example.org", True)):
        asked = {"kind": "person", "name": "Countess", "attributes": {"email": mail}}
        assert home.call(home.owner, "check_duplicate", **asked)["duplicate"] is likely


def test_addresses_are_those_that_hardly_two_share():
    told = contacts({
        "Email": "Ada@Example.org", "website": ["https://www.example.org/", "http://[bad", "example.org/ada/", 7],
        "domain": "not a host", "mail": "ada", "note": "b@example.org", "e_mails": {"x": "c@example.org"},
    })  # fmt: skip
    assert [(each.text, each.why) for each in told] == [
        ("ada@example.org", "same e-mail"), ("example.org", "same domain"), ("example.org/ada", "same domain"),
    ]  # fmt: skip


def test_what_was_not_looked_at_is_said(home: House, monkeypatch: pytest.MonkeyPatch):
    for n in range(4):
        made(home, f"Stone number {'abcd'[n]}", "thing")
    for bound in ("MOST_LOOKED", "MOST_COMPARED", "MOST_EQUAL"):
        made(home, "Same", "thing")
        with monkeypatch.context() as patched:
            patched.setattr(pairs, bound, 1)
            assert home.call(home.owner, "find_duplicate_entities")["complete"] is False
