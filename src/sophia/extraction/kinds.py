"""Which kinds of files are read, what their names say, and which of them are read in a process of their own."""

from pathlib import PurePath
from types import MappingProxyType

from sophia.extraction.extracted import Extracted, Reader, Refused, Unextracted
from sophia.extraction.limits import Limits
from sophia.extraction.markdown import markdown
from sophia.extraction.plain import plain

HTML = "text/html"
CSV = "text/csv"
TSV = "text/tab-separated-values"
EML = "message/rfc822"
PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
XLSM = "application/vnd.ms-excel.sheet.macroenabled.12"
XLSB = "application/vnd.ms-excel.sheet.binary.macroenabled.12"
XLS = "application/vnd.ms-excel"
ODS = "application/vnd.oasis.opendocument.spreadsheet"

PLAIN: MappingProxyType[str, Reader] = MappingProxyType({"text/markdown": markdown, "text/plain": plain})
"""What is read where it is asked for: a text as it stands, in a bounded loop over its characters."""
RISKY = frozenset({HTML, CSV, TSV, EML, PDF, DOCX, PPTX, XLSX, XLSM, XLSB, XLS, ODS})
"""What only the child reads: formats whose parsers can be made to crash, to go on forever, or to fill the memory."""
MIMES: MappingProxyType[str, str] = MappingProxyType(
    dict.fromkeys((".md", ".markdown", ".mdown", ".mkd"), "text/markdown")
    | dict.fromkeys((".txt", ".text", ".log", ".rst", ".org", ".adoc", ""), "text/plain")
    | dict.fromkeys((".html", ".htm", ".xhtml"), HTML)
    | {".csv": CSV, ".tsv": TSV, ".tab": TSV, ".eml": EML, ".pdf": PDF, ".docx": DOCX, ".pptx": PPTX}
    | {".xlsx": XLSX, ".xlsm": XLSM, ".xlsb": XLSB, ".xls": XLS, ".ods": ODS}
)
"""Which kind a name's ending says."""


def mime_of(name: str) -> str | None:
    """The kind that a name's ending says; `None` where it says none that is known."""
    stem, dot, ending = name.rpartition("/")[2].rpartition(".")
    return MIMES.get(dot + ending.lower() if stem and ending else "")


def kind_of(name: str, mime: str | None) -> str | None:
    """The kind of a file: `mime`, without its parameters, where it is given, else what its name's ending says."""
    return mime.partition(";")[0].strip().lower() if mime else mime_of(name)


def extracted(data: bytes, name: str, mime: str | None = None) -> Extracted | Unextracted:
    """The text of a file of a plain kind; `unsupported_type` for every other."""
    kind = kind_of(name, mime)
    reader = PLAIN.get(kind or "")
    if reader is None:
        return unsupported(name, kind)
    try:
        return reader(data, name, Limits())
    except Refused as refused:
        return refused.unextracted


def unsupported(name: str, kind: str | None) -> Unextracted:
    """What is said of a file that nothing here reads."""
    return Unextracted("unsupported_type", f"Files of the type {kind or PurePath(name).suffix or '?'} are not read.")
