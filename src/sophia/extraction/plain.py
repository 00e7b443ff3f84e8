"""Plain text: its characters as they are."""

from sophia.extraction.composition import stored_whole
from sophia.extraction.encodings import decoded
from sophia.extraction.extracted import Extracted
from sophia.extraction.limits import Limits
from sophia.extraction.titles import titled


def plain(data: bytes, name: str, _limits: Limits) -> Extracted:
    """The whole text, called by the file's name."""
    return Extracted(stored_whole(decoded(data)), titled(name), "text/plain")
