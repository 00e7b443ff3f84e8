"""Files of the kinds that are read, written for a test and as they come in the wild."""

import io
import struct
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import docx
import pptx
import xlsxwriter
from docx.document import Document
from pptx.presentation import Presentation

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def docx_of(write: Callable[[Document], object]) -> bytes:
    """A Word file as `write` left it."""
    document = docx.Document()
    document.core_properties.title = ""
    write(document)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def docx_with(body: str, prologue: str = "") -> bytes:
    """A Word file whose body is this XML."""
    xml = f'<?xml version="1.0" encoding="UTF-8"?>{prologue}<w:document {WORD}><w:body>{body}</w:body></w:document>'
    return with_part(docx_of(lambda _: None), "word/document.xml", xml.encode())


def pptx_of(write: Callable[[Presentation], object]) -> bytes:
    """A deck as `write` left it."""
    deck = pptx.Presentation()
    deck.core_properties.title = ""
    write(deck)
    out = io.BytesIO()
    deck.save(out)
    return out.getvalue()


def xlsx_of(write: Callable[[Any], object], **options: Any) -> bytes:
    """A workbook as `write` left it."""
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, options)
    write(book)
    book.close()
    return out.getvalue()


def ods_of(rows: Sequence[Sequence[str]]) -> bytes:
    """An OpenDocument sheet named `Data`."""
    names = ("office", "table", "text")
    spaces = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in names)
    cell = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
    lines = ("".join(map(cell.format, row)) for row in rows)
    cells = "".join(f"<table:table-row>{line}</table:table-row>" for line in lines)
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {spaces}><office:body><office:spreadsheet>'
        f'<table:table table:name="Data">{cells}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    return zip_of(
        {"mimetype": b"application/vnd.oasis.opendocument.spreadsheet", "content.xml": content.encode(),
         "META-INF/manifest.xml": b"<manifest/>"}
    )  # fmt: skip


def zip_of(parts: Mapping[str, bytes]) -> bytes:
    """An archive of these parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def with_part(data: bytes, name: str, content: bytes) -> bytes:
    """The archive with this part in place of its own."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    return zip_of(parts | {name: content})


def pdf_of(pages: Sequence[str], title: str = "", encrypted: bool = False) -> bytes:
    """A PDF with these lines on its pages, in any script: its font says which character each sign stands for."""
    signs = {sign: n for n, sign in enumerate(sorted(set("".join(pages)) - {"\n"}), 1)}
    mapped = "\n".join(f"<{n:04x}> <{sign.encode('utf-16-be').hex()}>" for sign, n in signs.items())
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        "1 begincodespacerange <0000> <ffff> endcodespacerange\n"
        f"{len(signs)} beginbfchar\n{mapped}\nendbfchar\nendcmap end end"
    )
    kids = " ".join(f"{8 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type0 /BaseFont /X/Encoding /Identity-H/ToUnicode 5 0 R /DescendantFonts [4 0 R]>>",
        b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /DW 600 /CIDSystemInfo 6 0 R >>",
        _stream(cmap.encode()),
        b"<< /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>",
        b"<< /Title <feff" + title.encode("utf-16-be").hex().encode() + b"> >>",
    ]
    for n, page in enumerate(pages):
        lines = ["".join(f"{signs[sign]:04x}" for sign in line) for line in page.split("\n")]
        drawn = "".join(f"<{line}> Tj 0 -14 Td " for line in lines) if page else ""
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {9 + 2 * n} 0 R"
            " /Resources << /Font << /F 3 0 R >> >> >>".encode()
        )
        objects.append(_stream(f"BT /F 10 Tf 50 800 Td {drawn} ET".encode()))
    trailer = "/Root 1 0 R /Info 7 0 R"
    if encrypted:
        objects.append(b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <" + b"11" * 32 + b"> /U <" + b"22" * 32 + b"> >>")
        trailer += f" /Encrypt {len(objects)} 0 R /ID [<{'00' * 16}> <{'00' * 16}>]"
    return _pdf(objects, trailer)


def _stream(content: bytes) -> bytes:
    return b"<< /Length %d >> stream\n%s\nendstream" % (len(content), content)


def _pdf(objects: Sequence[bytes], trailer: str) -> bytes:
    out = io.BytesIO()
    out.write(b"%PDF-1.7\n")
    places = []
    for n, content in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (n, content))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    for place in places:
        out.write(b"%010d 00000 n \n" % place)
    out.write(f"trailer << /Size {len(objects) + 1} {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode())
    return out.getvalue()


def xls_of(rows: Sequence[Sequence[str | float]], sheet: str = "Old") -> bytes:
    """A workbook as Excel wrote it before 2007: records (BIFF8) in a compound file."""

    def record(kind: int, body: bytes) -> bytes:
        return struct.pack("<HH", kind, len(body)) + body

    def begin(what: int) -> bytes:
        return record(0x0809, struct.pack("<HHHHII", 0x0600, what, 0, 0, 0, 0))

    cells = b""
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            at = struct.pack("<HHH", y, x, 0)
            if isinstance(cell, str):
                cells += record(0x0204, at + struct.pack("<HB", len(cell), 1) + cell.encode("utf-16-le"))
            else:
                cells += record(0x0203, at + struct.pack("<d", cell))
    end = record(0x000A, b"")
    name = struct.pack("<BB", len(sheet), 0) + sheet.encode("latin-1")
    before = len(begin(5)) + 4 + 6 + len(name) + len(end)
    book = begin(5) + record(0x0085, struct.pack("<IBB", before, 0, 0) + name) + end + begin(16) + cells + end
    return _compound("Workbook", book.ljust(4096, b"\0"))


def _compound(name: str, content: bytes) -> bytes:
    """A compound file (OLE) of one stream: its table of sectors, its directory, the stream."""
    sectors = -(-len(content) // 512)
    free, last = 0xFFFFFFFF, 0xFFFFFFFE
    chain = [0xFFFFFFFD, last, *range(3, 2 + sectors), last]
    table = struct.pack("<128I", *chain, *[free] * (128 - len(chain)))

    def entry(called: str, kind: int, child: int, start: int, size: int) -> bytes:
        spelled = called.encode("utf-16-le") + b"\0\0" if called else b""
        return (
            spelled.ljust(64, b"\0")
            + struct.pack("<HBBIII", len(spelled), kind, 1, free, free, child)
            + bytes(36)
            + struct.pack("<IQ", start, size)
        )

    directory = (
        entry("Root Entry", 5, 1, last, 0) + entry(name, 2, free, 2, len(content)) + entry("", 0, free, 0, 0) * 2
    )
    header = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
        + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
        + struct.pack("<IIIIIIIII", 0, 1, 1, 0, 4096, last, 0, last, 0)
        + struct.pack("<109I", 0, *[free] * 108)
    )  # fmt: skip
    return header + table + directory + content.ljust(sectors * 512, b"\0")
