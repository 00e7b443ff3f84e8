"""The bearer of a request, and the answer to one that has none."""

import re

SENTENCE = "Authentication required. Provide a valid Bearer token."
CHALLENGE = (b"www-authenticate", b'Bearer error="invalid_token", error_description="' + SENTENCE.encode() + b'"')
REFUSAL = (
    b'{"jsonrpc":"2.0","id":null,"error":{"code":-32003,"message":"'
    + SENTENCE.encode()
    + b'","data":{"error":"invalid_or_revoked_bearer"}}}'
)
"""Shaped as a JSON-RPC error: clients that read such bodies then show the sentence instead of one of their own."""
REST_REFUSAL = b'{"error":"invalid_or_revoked_bearer"}'

_FORM = re.compile(rb"[Bb][Ee][Aa][Rr][Ee][Rr] ([A-Za-z0-9._~+/-]{1,256}=*)")


def presented(headers: dict[bytes, bytes], repeated: frozenset[bytes]) -> bytes | None:
    """The token of the one well-formed Authorization header; `None` where there is no such header."""
    value = headers.get(b"authorization")
    if value is None or b"authorization" in repeated:
        return None
    found = _FORM.fullmatch(value)
    return found[1] if found else None
