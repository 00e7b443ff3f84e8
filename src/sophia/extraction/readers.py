"""Who reads which of the risky kinds. Only the child imports this: the libraries are heavy."""

from functools import partial
from types import MappingProxyType

from sophia.extraction import kinds
from sophia.extraction.extracted import Reader
from sophia.extraction.html import html
from sophia.extraction.mail import mail
from sophia.extraction.pdf import pdf
from sophia.extraction.slides import slides
from sophia.extraction.table import comma_separated, tab_separated
from sophia.extraction.word import word
from sophia.extraction.workbook import workbook

READERS: MappingProxyType[str, Reader] = MappingProxyType(
    {
        kinds.CSV: comma_separated,
        kinds.DOCX: word,
        kinds.EML: mail,
        kinds.HTML: html,
        kinds.PDF: pdf,
        kinds.PPTX: slides,
        kinds.TSV: tab_separated,
    }
    | {kind: partial(workbook, mime=kind) for kind in (kinds.XLSX, kinds.XLSM, kinds.XLSB, kinds.XLS, kinds.ODS)}
)
"""The readers by kind: each is asked for files of its kind only."""
