"""PPTX: the text of each slide that is shown, with its notes."""

import io
from collections.abc import Iterator
from typing import Any

import pptx

from sophia.extraction.archive import looked_at
from sophia.extraction.composition import Composition
from sophia.extraction.extracted import Extracted
from sophia.extraction.kinds import PPTX
from sophia.extraction.limits import Limits
from sophia.extraction.titles import titled


def slides(data: bytes, name: str, limits: Limits) -> Extracted:
    """The text of the slides, called by the title that the file gives itself or that of the first slide."""
    looked_at(data, limits)
    presentation = pptx.Presentation(io.BytesIO(data))
    composition = Composition(limits)
    heading: str | None = None
    for n, slide in enumerate(presentation.slides, 1):
        if slide.element.get("show") in ("0", "false"):
            continue
        title = slide.shapes.title
        heading = heading or (title.text_frame.text if title is not None else None)
        composition.add("\n".join(_texts(slide.shapes)), f"slide {n}", "\n\n")
        if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame) is not None:
            composition.add(_lines(notes.text), f"slide {n} notes", "\n\n")
    return composition.extracted(titled(name, presentation.core_properties.title, heading), PPTX)


def _texts(shapes: Any) -> Iterator[str]:
    """The texts of shapes in their order, of groups and tables too; hidden ones are left out."""
    for shape in shapes:
        if shape._element.xpath("boolean(./*/p:cNvPr[@hidden='1' or @hidden='true'])"):  # noqa: SLF001 - no other way
            continue
        if shape.has_text_frame:
            text = _lines(shape.text_frame.text)
            if text.strip():
                yield text
        elif getattr(shape, "has_table", False):
            for row in shape.table.rows:
                yield "\t".join(" ".join(cell.text_frame.text.split()) for cell in row.cells).rstrip("\t")
        elif hasattr(shape, "shapes"):
            yield from _texts(shape.shapes)


def _lines(text: str) -> str:
    return text.replace("\v", "\n")
