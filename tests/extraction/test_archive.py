"""An archive is looked at before it unfolds."""

import io
import zipfile

import pytest

from sophia.extraction.limits import Limits
from tests.support.files import docx_of, with_part, zip_of
from tests.support.reading import read, unread

EMPTY = docx_of(lambda document: document.add_paragraph("x"))


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx", "a.ods"])
def test_what_needs_a_password_is_told(name: str):
    wrapped = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "EncryptedPackage".encode("utf-16-le")
    assert unread(wrapped, name).reason == "encrypted"
    flagged = bytearray(zip_of({"content.xml": b"x"}))
    flagged[flagged.index(b"PK\x01\x02") + 8] |= 1
    assert unread(bytes(flagged), name).reason == "encrypted"


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx", "a.ods"])
def test_what_unfolds_beyond_its_bounds_is_never_unfolded(name: str):
    bomb = zip_of({"content.xml": bytes(20_000_000)})
    assert unread(bomb, name).reason == "too_large"
    assert unread(bomb, name, Limits(ratio=10_000, inflated=19_000_000)).reason == "too_large"
    assert unread(bomb, name, Limits(ratio=10_000)).reason == "corrupt"
    many = zip_of({f"{n}.txt": b"" for n in range(10_001)})
    assert unread(many, name).reason == "too_large"


def test_an_archive_within_its_bounds_is_unfolded():
    padded = with_part(EMPTY, "docProps/padding.txt", bytes(7_000_000))
    assert read(padded, "a.docx").text == "x"


def test_an_archive_that_lies_about_its_sizes_is_not_believed():
    honest = with_part(EMPTY, "word/document.xml", b" " * 1_000_000)
    lying = bytearray(honest)
    at = lying.index(b"word/document.xml", lying.index(b"PK\x01\x02")) - 46
    lying[at + 24 : at + 28] = (100).to_bytes(4, "little")
    assert unread(bytes(lying), "a.docx").reason == "corrupt"


def test_an_older_file_under_a_newer_name_is_told():
    assert unread(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "a.docx").reason == "corrupt"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_parts_that_define_entities_are_refused_in_any_encoding(encoding: str):
    part = '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'.encode(encoding)
    assert "entities" in unread(zip_of({"word/x.xml": part}), "a.docx").message
    with zipfile.ZipFile(io.BytesIO(EMPTY)) as archive:
        assert "word/document.xml" in archive.namelist()
