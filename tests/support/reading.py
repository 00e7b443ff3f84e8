"""What the readers make of a file, without the child around them."""

from sophia.extraction.extracted import Extracted, Unextracted
from sophia.extraction.frames import Request
from sophia.extraction.kinds import kind_of
from sophia.extraction.limits import Limits
from sophia.extraction.worker import answered

LIMITS = Limits()


def read(data: bytes, name: str, limits: Limits = LIMITS) -> Extracted:
    """The text of a file that has one."""
    answer = answered(Request(kind_of(name, None) or "", name, data), limits)
    assert isinstance(answer, Extracted), answer
    return answer


def unread(data: bytes, name: str, limits: Limits = LIMITS) -> Unextracted:
    """Why a file has no text."""
    answer = answered(Request(kind_of(name, None) or "", name, data), limits)
    assert isinstance(answer, Unextracted), answer
    assert answer.message
    return answer


def places(found: Extracted) -> list[tuple[str, str]]:
    """The parts of a text, each with where it stood."""
    return [(found.text[piece.start : piece.end], piece.place) for piece in found.pieces]
