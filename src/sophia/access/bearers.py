"""Bearer tokens: 256 random bits that are shown once and kept as a digest only."""

import base64
import hashlib
import re
from collections.abc import Callable

PREFIX = "sophia_"
_SHAPE = re.compile(rb"sophia_[A-Za-z0-9_-]{43}")

Entropy = Callable[[int], bytes]


def fresh(entropy: Entropy) -> str:
    """A new token: `sophia_` and 43 base64url characters."""
    return PREFIX + base64.urlsafe_b64encode(entropy(32)).rstrip(b"=").decode()


def digest(token: bytes) -> str | None:
    """The SHA-256 hex by which a token is looked up; `None` for what cannot be a token."""
    return hashlib.sha256(token).hexdigest() if _SHAPE.fullmatch(token) else None
