"""Of a Word file, what a reader of it sees is read."""

import io
import zipfile

import pytest
from docx.document import Document

from tests.support.files import WORD, docx_of, docx_with, with_part
from tests.support.reading import places, read, unread


def test_paragraphs_rows_headers_and_footers_know_where_they_stood():
    def write(document: Document) -> None:
        document.add_heading("The e\u0301 heading", 1)
        document.add_paragraph("")
        document.add_paragraph("ﬁ 日本語\xa0שלום")
        table = document.add_table(2, 2)
        for row, words in zip(table.rows, (("name", "sum"), ("Ann", "1\n2")), strict=True):
            for cell, word in zip(row.cells, words, strict=True):
                cell.text = word
        document.sections[0].header.paragraphs[0].text = "on every page"
        document.sections[0].footer.paragraphs[0].text = "below"

    found = read(docx_of(write), "d.docx")
    assert places(found) == [
        ("The é heading", "paragraph 1"),
        ("ﬁ 日本語\xa0שלום", "paragraph 3"),
        ("name\tsum", "table 1 row 1"),
        ("Ann\t1 2", "table 1 row 2"),
        ("on every page", "header"),
        ("below", "footer"),
    ]
    assert found.title == "The é heading"


def test_a_document_is_called_by_its_title():
    def write(document: Document) -> None:
        document.core_properties.title = "Its title"
        document.add_heading("Heading")

    assert read(docx_of(write), "d.docx").title == "Its title"
    assert read(docx_of(lambda document: document.add_paragraph("x")), "My letter.docx").title == "My letter"


def p(inner: str) -> str:
    return f"<w:p>{inner}</w:p>"


def r(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


BOX = (
    '<w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
    "<mc:Choice><w:txbxContent>{}</w:txbxContent></mc:Choice>"
    "<mc:Fallback><w:txbxContent>{}</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r>"
)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (p(r("seen ") + r("secret", "<w:vanish/>") + r("too", '<w:vanish w:val="0"/>')), "seen too"),
        (p(r("old") + "<w:del>" + "<w:r><w:delText>secret</w:delText></w:r>" + "</w:del>"), "old"),
        (p("<w:ins>" + r("inserted") + "</w:ins>"), "inserted"),
        (p("<w:r><w:instrText>secret</w:instrText></w:r><w:hyperlink>" + r("link") + "</w:hyperlink>"), "link"),
        (p(r("a") + "<w:r><w:tab/><w:t>b</w:t><w:br/><w:noBreakHyphen/><w:t>c</w:t></w:r>"), "a\tb\n-c"),
        ("<w:sdt><w:sdtPr><w:alias/></w:sdtPr><w:sdtContent>" + p(r("control")) + "</w:sdtContent></w:sdt>", "control"),
        (p(BOX.format(p(r("box")), p(r("box")))), "box"),
        (p(r("a")) + "<!-- secret -->" + p("<!-- secret -->" + r("b")), "a\n\nb"),
        ("<w:tbl><w:tr><w:tc>" + p(r("outer")) + "<w:tbl><w:tr><w:tc>" + p(r("inner")) + "</w:tc></w:tr></w:tbl></w:tc>"
         "<w:tc>" + p(r("next")) + "</w:tc></w:tr></w:tbl>", "outer inner\tnext"),
    ],
    ids=["hidden", "deleted", "inserted", "field", "signs", "control", "box", "comment", "nested table"],
)  # fmt: skip
def test_what_is_hidden_or_struck_out_is_no_text_and_what_is_seen_is(body: str, text: str):
    assert read(docx_with(body), "d.docx").text == text


def test_remarks_beside_the_text_are_not_its_text():
    def write(document: Document) -> None:
        run = document.add_paragraph("the text").runs[0]
        document.add_comment(run, text="secret remark", author="A", initials="A")

    assert read(docx_of(write), "d.docx").text == "the text"


ENTITIES = '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize(
    "data",
    [
        docx_with(p(r("x")), ENTITIES),
        docx_with("<w:p>"),
        docx_with("<w:sdt>" * 5000 + "</w:sdt>" * 5000),
        with_part(docx_of(lambda _: None), "word/document.xml", b""),
        with_part(docx_of(lambda _: None), "[Content_Types].xml", b"<x/>"),
        docx_of(lambda _: None)[:9000],
        b"PK\x05\x06" + bytes(18),
        b"",
    ],
    ids=["entities", "unclosed", "deep", "empty part", "no types", "cut off", "empty archive", "empty"],
)
def test_a_damaged_document_is_told(data: bytes):
    assert unread(data, "d.docx").reason == "corrupt"


def test_a_document_without_words_has_no_text():
    assert unread(docx_of(lambda document: document.add_paragraph(" ")), "d.docx").reason == "no_text"


def test_notes_are_read_with_their_numbers():
    def write(document: Document) -> None:
        document.add_paragraph("the text")

    data = docx_of(write)
    notes = f'<w:footnotes {WORD}><w:footnote w:id="2"><w:p>{r("a note")}</w:p></w:footnote></w:footnotes>'
    data = with_part(data, "word/footnotes.xml", notes.encode())
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    known = f'<Override PartName="/word/footnotes.xml" ContentType="{kind}"/></Types>'
    data = with_end(data, "[Content_Types].xml", "</Types>", known)
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    related = f'<Relationship Id="n1" Type="{office}/footnotes" Target="footnotes.xml"/></Relationships>'
    data = with_end(data, "word/_rels/document.xml.rels", "</Relationships>", related)
    assert places(read(data, "d.docx"))[-1] == ("a note", "footnote 2")


def with_end(data: bytes, part: str, old: str, new: str) -> bytes:
    """The archive with another end of one of its parts."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        content = archive.read(part)
    assert content.endswith(old.encode())
    return with_part(data, part, content.removesuffix(old.encode()) + new.encode())
