"""The bearer of a request, and the answer to one that has none."""

import re

SENTENCE = "Authentication required. Provide a valid Bearer token."
CHALLENGE = (b"www-authenticate", b'Bearer error="invalid_token", error_description="' + SENTENCE.encode() + b'"')
REFUSAL = b'{"error":"invalid_or_revoked_bearer","message":"' + SENTENCE.encode() + b'"}'
REST_REFUSAL = b'{"error":"invalid_or_revoked_bearer"}'

_FORM = re.compile(rb"[Bb][Ee][Aa][Rr][Ee][Rr] ([A-Za-z0-9._~+/-]{1,256}=*)")


def presented(headers: dict[bytes, bytes], repeated: frozenset[bytes]) -> bytes | None:
    """The token of the one well-formed Authorization header; `None` where there is no such header."""
    value = headers.get(b"authorization")
    if value is None or b"authorization" in repeated:
        return None
    found = _FORM.fullmatch(value)
    return found[1] if found else None
