"""Contacts of all three versions: folded, quoted-printable, and with birthdays of which the year is not known."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.house import House, house
from tests.support.sources import brought, documents


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


CARDS = (
    b"\xef\xbb\xbfBEGIN:VCARD\r\nVERSION:2.1\r\n"
    b"N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6rg;;;\r\n"
    b"TEL;CELL:+49 30 123456\r\n"
    b"NOTE;ENCODING=QUOTED-PRINTABLE:Sails at noon, =\r\nand at night\r\n"
    b"PHOTO;ENCODING=BASE64;JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD\r\n /9j/more\r\n\r\nEND:VCARD\r\n"
    b"BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada Byron\r\nN:Byron;Ada;;;\r\n"
    b"item1.EMAIL;TYPE=INTERNET:ada@exa\r\n mple.org\r\n"
    b"BDAY:1815-12-10\r\nORG:Harbour\\, Inc.;Pilots\r\n"
    b"ADR;TYPE=home:;;Quay 1;Port;;12345;Utopia\r\nNICKNAME:Countess\r\n"
    b"END:VCARD\r\n"
    b"begin:vcard\nVERSION:4.0\nKIND:org\nFN:Tide Office\nBDAY:--0504\nTEL;VALUE=uri:tel:+1-555-0100\nend:vcard\n"
    b"BEGIN:VCARD\nVERSION:3.0\nTEL:1\nEND:VCARD\n"
    b"BEGIN:VCARD\nFN:Cut off\n"
)


def facts(home: House) -> dict[tuple[str, str, str], dict[str, Any]]:
    found = home.call(home.owner, "query_knowledge", limit=100)["items"]
    return {(one["entity_name"], one["predicate"], one["object"]): one for one in found}


def test_contacts_come_in_with_what_each_line_says(home: House):
    path = home.directory / "all.vcf"
    path.write_bytes(CARDS)
    told = brought(home, path)
    assert told["kinds"] == {str(path): "vcard"}
    assert (told["documents"], told["entities"]) == (1, 3)
    assert [one["path"].rpartition(":")[2] for one in told["skipped"]] == ["29", "33"]
    found = facts(home)
    assert set(found) == {
        ("Jörg Müller", "phone", "+49 30 123456"), ("Jörg Müller", "note", "Sails at noon, and at night"),
        ("Ada Byron", "email", "ada@example.org"), ("Ada Byron", "born_on", "1815-12-10"),
        ("Ada Byron", "organisation", "Harbour, Inc. Pilots"), ("Ada Byron", "address", "Quay 1 Port 12345 Utopia"),
        ("Ada Byron", "also_known_as", "Countess"),
        ("Tide Office", "birthday", "--0504"), ("Tide Office", "phone", "+1-555-0100"),
    }  # fmt: skip
    assert {one["trust_tier"] for one in found.values()} <= {"imported", "inferred"}
    assert found["Ada Byron", "email", "ada@example.org"]["trust_tier"] == "imported"
    (document,) = documents(home).values()
    assert "/9j/" not in document["text"]
    for one in found.values():
        assert document["text"][one["quote_start"] : one["quote_end"]] == one["quote"]
    kinds = {one["name"]: one["kind"] for one in home.call(home.owner, "list_entities")["items"]}
    assert kinds == {"Jörg Müller": "person", "Ada Byron": "person", "Tide Office": "organisation"}


def test_importing_contacts_again_changes_nothing(home: House):
    path = home.directory / "all.vcf"
    path.write_bytes(CARDS)
    brought(home, path)
    before = home.dump()
    assert brought(home, path)["mutation_seq"] is None
    assert home.dump() == before
