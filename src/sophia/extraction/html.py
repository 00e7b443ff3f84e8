"""HTML: the words that a reader of the page sees, a line for each block."""

import codecs
import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from sophia.extraction.composition import Composition
from sophia.extraction.encodings import decoded
from sophia.extraction.extracted import Extracted, Refused
from sophia.extraction.kinds import HTML
from sophia.extraction.limits import Limits
from sophia.extraction.titles import titled

_UNSEEN = frozenset(
    ("head", "script", "style", "template", "noscript", "iframe", "object", "embed", "canvas", "audio", "video", "svg",
     "math", "datalist", "dialog", "noframes", "noembed")
)  # fmt: skip
_PARAGRAPHS = frozenset(
    ("address", "article", "aside", "blockquote", "body", "dl", "fieldset", "figure", "footer", "form", "h1", "h2",
     "h3", "h4", "h5", "h6", "header", "hr", "main", "nav", "ol", "p", "pre", "section", "table", "ul")
)  # fmt: skip
_LINES = frozenset(
    ("br", "caption", "center", "dd", "details", "div", "dt", "figcaption", "legend", "li", "menu", "option", "select",
     "summary", "textarea", "tr")
)  # fmt: skip
_CELLS = frozenset(("td", "th"))
_AS_WRITTEN = frozenset(("pre", "textarea"))
_CELL, _LINE, _PARAGRAPH = "\0c", "\0l", "\0p"
"""Seams between words: no text of a page holds a NUL."""
_SPACE, _TAB = "\0s", "\0t"
"""White space that is shown as it is written."""
_WHITE = re.compile(r"[ \t\n\r\f]+")
_BETWEEN_CELLS = re.compile(r" ?\0c ?")
_NO_SIGHT = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)"
    r"|(?:font-size|opacity)\s*:\s*0(?:\.0+)?(?:[a-z]{2,3}|%)?\s*(?:;|!|$))",
    re.IGNORECASE,
)
_CHARSET = re.compile(rb"""<meta\s[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)
_ON_THE_WEB = {"iso8859-1": "cp1252", "ascii": "cp1252"}
"""What browsers take the names of some encodings for."""


def html(data: bytes, name: str, limits: Limits) -> Extracted:
    """What a page shows, called by its title or its first heading."""
    page = parsed(_characters(data))
    composition = Composition(limits)
    composition.add(shown(page, limits), "page")
    said = [node.text() for node in (page.css_first("title"), page.css_first("h1")) if node]
    found = composition.extracted(titled(name, *said), HTML)
    return Extracted(found.text, found.title, found.mime)  # a page has no parts that a person could look up


def parsed(written: str) -> LexborHTMLParser:
    """The page that these characters make: any do, so that only a lack of memory can fail it."""
    try:
        return LexborHTMLParser(written)
    except SelectolaxError as error:
        raise MemoryError from error


def shown(page: LexborHTMLParser, limits: Limits) -> str:
    """The text of a page as it is laid out: blocks on lines of their own, cells of a row apart by tabs."""
    lines: list[str] = []
    words: list[str] = []
    length = 0
    for part in _parts(page.body, limits.depth):
        length += len(part)
        if length > 4 * limits.characters:
            raise Refused("too_large", f"Its text is longer than {limits.characters} characters.")
        if part not in (_LINE, _PARAGRAPH):
            words.append(part)
            continue
        line = _laid_out(words)
        words.clear()
        if line:
            lines.append(line)
        if part == _PARAGRAPH and lines and lines[-1]:
            lines.append("")
    return "\n".join([*lines, _laid_out(words)])


def _laid_out(words: list[str]) -> str:
    """The words of one line, white space between them counted once."""
    line = _BETWEEN_CELLS.sub("\t", _WHITE.sub(" ", "".join(words))).strip(" \t")
    return line.replace(_SPACE, " ").replace(_TAB, "\t").rstrip()


def _parts(body: LexborNode | None, deepest: int) -> Iterator[str]:
    """The texts that are seen, and the seams between them. `Refused` where the page is nested deeper."""
    left: list[tuple[LexborNode, int, bool]] = [(body, 0, False)] if body else []
    written = 0
    while left:
        node, depth, leaving = left.pop()
        tag = node.tag or ""
        if node.is_text_node:
            yield from _as_written(node.text_content or "") if written else (node.text_content or "",)
        elif leaving:
            written -= tag in _AS_WRITTEN
            yield "" if tag in _CELLS else _seam(tag)
        elif node.is_element_node and tag not in _UNSEEN and not _hidden(node):
            if depth > deepest:
                raise Refused("corrupt", f"Its parts are nested deeper than {deepest} times.")
            written += tag in _AS_WRITTEN
            yield _seam(tag)
            left.append((node, depth, True))
            left += [(child, depth + 1, False) for child in _children(node)][::-1]


def _as_written(text: str) -> Iterator[str]:
    """A text with its own line ends and its own white space."""
    for n, line in enumerate(text.split("\n")):
        if n:
            yield _LINE
        yield line.replace(" ", _SPACE).replace("\t", _TAB)


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.first_child
    while child is not None:
        yield child
        child = child.next


def _seam(tag: str) -> str:
    if tag in _PARAGRAPHS:
        return _PARAGRAPH
    if tag in _LINES:
        return _LINE
    return _CELL if tag in _CELLS else ""


def _hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    return "hidden" in attributes or bool(_NO_SIGHT.search(attributes.get("style") or ""))


def _characters(data: bytes) -> str:
    """The characters of a page: in UTF-8 or UTF-16, or in the encoding that it names."""
    named = _CHARSET.search(data[:2048])
    if named is None or data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return decoded(data)
    try:
        encoding = codecs.lookup(named[1].decode("ascii")).name
        return data.decode(_ON_THE_WEB.get(encoding, encoding))
    except (LookupError, UnicodeDecodeError) as error:
        raise Refused("not_text", "It is not written in the encoding that it names.") from error
