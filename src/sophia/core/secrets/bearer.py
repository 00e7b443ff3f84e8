"""What a bearer looks like, so that none is ever told on."""

import re

_BEARER = re.compile(rb"sophia_(?=[a-z0-9_-]{0,43}[A-Z])[A-Za-z0-9_-]{43}")


def holds_bearer(text: str) -> bool:
    """Whether a bearer stands in the text."""
    return "sophia_" in text and _BEARER.search(text.encode("utf-8", "surrogatepass")) is not None


def redacted(body: bytes) -> bytes:
    """The text without the bearers in it: an error that repeats what it was sent must not repeat a secret."""
    return _BEARER.sub(b"[secret]", body) if b"sophia_" in body else body
