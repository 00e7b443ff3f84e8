"""PDF: the text of each page."""

import pypdfium2
from pypdfium2 import raw

from sophia.extraction.archive import encrypted
from sophia.extraction.composition import Composition
from sophia.extraction.extracted import Extracted, Refused
from sophia.extraction.kinds import PDF
from sophia.extraction.limits import Limits
from sophia.extraction.titles import titled

_MAGIC_WITHIN = 1024
_HYPHENS = str.maketrans({"\x02": "-", "\ufffe": "-", "\r": None})
"""What pdfium writes for a hyphen at the end of a line."""


def pdf(data: bytes, name: str, limits: Limits) -> Extracted:
    """The text of the pages that have some, called by the title that the file gives itself."""
    if b"%PDF-" not in data[:_MAGIC_WITHIN]:
        raise Refused("corrupt", "It is no PDF file, whatever its name says.")
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
            raise encrypted() from error
        raise Refused("corrupt", "This PDF file is damaged.") from error
    try:
        return _extracted(document, name, limits)
    finally:
        document.close()


def _extracted(document: pypdfium2.PdfDocument, name: str, limits: Limits) -> Extracted:
    composition = Composition(limits)
    unread = 0
    pages = len(document)
    if pages > limits.pieces:
        raise Refused("too_large", f"It has {pages} pages, more than {limits.pieces}.")
    for n in range(pages):
        try:
            composition.add(_page_text(document, n), f"page {n + 1}", "\n\n")
        except pypdfium2.PdfiumError:
            unread += 1
    if unread == pages:
        raise Refused("corrupt", "None of its pages can be read.")
    return composition.extracted(titled(name, document.get_metadata_value("Title")), PDF)


def _page_text(document: pypdfium2.PdfDocument, n: int) -> str:
    page = document[n]
    try:
        text = page.get_textpage()
        try:
            return str(text.get_text_bounded()).translate(_HYPHENS)
        finally:
            text.close()
    finally:
        page.close()
