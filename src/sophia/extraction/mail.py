"""EML: who wrote to whom, when and about what, the text of the message, and the names of what is attached."""

from collections.abc import Iterator
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32

from sophia.extraction.composition import Composition
from sophia.extraction.extracted import Extracted, Refused
from sophia.extraction.html import parsed, shown
from sophia.extraction.kinds import EML
from sophia.extraction.limits import Limits
from sophia.extraction.titles import titled

HEADERS = ("From", "To", "Cc", "Date", "Subject")
MAX_PARTS = 1_000


def mail(data: bytes, name: str, limits: Limits) -> Extracted:
    """A message: its header, the text of its parts as they are shown, and what is attached, by name."""
    message = BytesParser(policy=compat32).parsebytes(data)
    said = {field: value for field in HEADERS if (value := _header(message, field))}
    if not said.keys() & {"From", "To", "Date", "Subject"}:
        raise Refused("corrupt", "It is no message: it has no header.")
    composition = Composition(limits)
    for field, value in said.items():
        composition.add(f"{field}: {value}", f"header {field}")
    for n, part in enumerate(_parts(message), 1):
        if n > MAX_PARTS:
            raise Refused("too_large", f"It has more than {MAX_PARTS} parts.")
        attached = _attachment(part)
        if attached is not None:
            composition.add(f"Attachment: {attached}", f"part {n} {part.get_content_type()}")
        else:
            composition.add(_text(part, limits), f"part {n} {part.get_content_type()}", "\n\n")
    return composition.extracted(titled(name, said.get("Subject")), EML)


def _parts(message: "Message[str, str]") -> Iterator["Message[str, str]"]:
    """The parts in the order in which they are shown: of alternatives the plain one, where it says anything."""
    if not message.is_multipart() or message.get_content_maintype() != "multipart":
        yield message
        return
    inner: list[Message[str, str]] = [part for part in message.get_payload() if isinstance(part, Message)]
    if message.get_content_subtype() == "alternative" and inner:
        plain = (part for part in inner if part.get_content_type() == "text/plain" and _payload(part).strip())
        rich = (part for part in reversed(inner) if part.get_content_type() != "text/plain")
        chosen = next(plain, None)
        inner = [next(rich, inner[0]) if chosen is None else chosen]
    for part in inner:
        yield from _parts(part)


def _attachment(part: "Message[str, str]") -> str | None:
    """The name and the kind of what is not shown in the message; `None` for a text of its own."""
    name = part.get_filename()
    kind = part.get_content_type()
    if part.get_content_disposition() != "attachment" and not name and kind in ("text/plain", "text/html"):
        return None
    return f"{_words(name) if name else 'unnamed'} ({kind})"


def _text(part: "Message[str, str]", limits: Limits) -> str:
    written = _payload(part)
    return shown(parsed(written), limits) if part.get_content_type() == "text/html" else written


def _payload(part: "Message[str, str]") -> str:
    """The characters of a part. What its encoding cannot say is shown as such, with U+FFFD."""
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    try:
        return data.decode(part.get_content_charset() or "utf-8", "replace")
    except LookupError:
        return data.decode("utf-8", "replace")


def _header(message: "Message[str, str]", field: str) -> str:
    """What the first header of that name says; some write it in UTF-8 and no words of the standard's."""
    values = (value for named, value in message.raw_items() if named.lower() == field.lower())
    return _words(next(values, "").encode("utf-8", "surrogateescape").decode("utf-8", "replace"))


def _words(encoded: str) -> str:
    """What encoded words say, on one line; as they are written where they cannot be read."""
    try:
        said = str(make_header(decode_header(encoded))) or encoded
    except (MessageError, LookupError, ValueError):
        said = encoded
    return " ".join(said.split())
