"""DOCX: paragraphs and rows of tables, then notes, headers and footers."""

import io
from collections.abc import Iterator
from typing import Any

import docx
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.part import Part
from docx.oxml.parser import parse_xml

from sophia.extraction.archive import looked_at
from sophia.extraction.composition import Composition
from sophia.extraction.extracted import Extracted
from sophia.extraction.kinds import DOCX
from sophia.extraction.limits import Limits
from sophia.extraction.titles import titled

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_OFFICE_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_UNSEEN = frozenset((
    *(_W + name for name in ("del", "moveFrom", "instrText", "delText", "pPr", "rPr", "tblPr", "trPr", "tcPr",
                             "sectPr", "sdtPr", "fldChar", "annotationRef", "footnoteRef", "endnoteRef")),
    _FALLBACK,
))  # fmt: skip
"""What was struck out, what only says how the rest looks, and what would say the same again."""
_SIGNS = {
    _W + "tab": "\t", _W + "ptab": "\t", _W + "br": "\n", _W + "cr": "\n", _W + "noBreakHyphen": "-",
}  # fmt: skip


def word(data: bytes, name: str, limits: Limits) -> Extracted:
    """The text of a document, called by the title that it gives itself or its first heading."""
    looked_at(data, limits)
    document = docx.Document(io.BytesIO(data))
    composition = Composition(limits)
    heading: str | None = None
    counted = {"p": 0, "tbl": 0}
    for block in _blocks(document.element.body):
        kind = block.tag.removeprefix(_W)
        counted[kind] += 1
        if kind == "tbl":
            for n, row in enumerate(_rows(block)):
                composition.add(row, f"table {counted['tbl']} row {n + 1}", "\n" if n else "\n\n")
            continue
        text = visible(block)
        heading = heading or (text if _is_heading(block) else None)
        composition.add(text, f"paragraph {counted['p']}", "\n\n")
    for place, text in _around(document.part):
        composition.add(text, place, "\n\n")
    return composition.extracted(titled(name, document.core_properties.title, heading), DOCX)


def visible(element: Any) -> str:
    """The text of an element as a reader sees it: without deletions, hidden runs and the codes of fields."""
    return "".join(_texts(element))


def _texts(element: Any) -> Iterator[str]:
    for child in element:
        tag = child.tag
        if tag in _UNSEEN or not isinstance(tag, str) or (tag == _W + "r" and _is_hidden(child)):
            continue
        if tag in (_W + "t", _OFFICE_MATH + "t"):
            yield child.text or ""
        elif tag in _SIGNS:
            yield _SIGNS[tag]
        else:
            yield from _texts(child)
            if tag == _W + "p":  # in a text box
                yield "\n"


def _is_hidden(run: Any) -> bool:
    vanish = run.find(f"{_W}rPr/{_W}vanish")
    return vanish is not None and vanish.get(_W + "val", "true") not in ("0", "false", "off")


def _is_heading(paragraph: Any) -> bool:
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    return style is not None and style.get(_W + "val", "").startswith(("Heading", "Title"))


def _blocks(body: Any) -> Iterator[Any]:
    """Paragraphs and tables in order, those in content controls and insertions too."""
    for child in body:
        if child.tag in (_W + "p", _W + "tbl"):
            yield child
        elif child.tag not in _UNSEEN and isinstance(child.tag, str):
            yield from _blocks(child)


def _rows(table: Any) -> Iterator[str]:
    """The rows of a table, cells apart by tabs; a table in a cell stays in its line."""
    for row in table.iter(_W + "tr"):
        if next(row.iterancestors(_W + "tbl")) is table and row.find(f"{_W}trPr/{_W}del") is None:
            cells = [cell for cell in row.iter(_W + "tc") if next(cell.iterancestors(_W + "tr")) is row]
            yield "\t".join(" ".join(visible(cell).split()) for cell in cells).rstrip("\t")


def _around(part: Part) -> Iterator[tuple[str, str]]:
    """What stands outside of the text: notes, headers and footers, each once."""
    for kind, place in (
        (RELATIONSHIP_TYPE.FOOTNOTES, "footnote"),
        (RELATIONSHIP_TYPE.ENDNOTES, "endnote"),
        (RELATIONSHIP_TYPE.HEADER, "header"),
        (RELATIONSHIP_TYPE.FOOTER, "footer"),
    ):
        said: set[str] = set()
        for relation in part.rels.values():
            if relation.reltype != kind or relation.is_external:
                continue
            root = parse_xml(relation.target_part.blob)
            notes = root.findall(_W + place) or [root]
            for note in notes:
                text = visible(note).strip()
                if text and text not in said:
                    said.add(text)
                    number = note.get(_W + "id")
                    yield f"{place} {number}" if number else place, text
