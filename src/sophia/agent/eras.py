"""The revisions of the protocol that are served, and which one a request speaks."""

import base64
import binascii
from typing import Any, Final

from sophia.agent.door import Refused

MODERN: Final = "2026-07-28"
LEGACY: Final = ("2025-11-25", "2025-06-18")
SUPPORTED: Final = [MODERN, *LEGACY]

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
HEADER_MISMATCH: Final = -32020
UNSUPPORTED_VERSION: Final = -32022

VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"

_NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_LEGACY_HEADERS: Final = frozenset(version.encode() for version in LEGACY)


def is_modern(headers: dict[bytes, bytes], params: dict[str, Any]) -> bool:
    """Whether the request speaks the stateless era. The header decides; without one, what `_meta` declares."""
    version = headers.get(b"mcp-protocol-version")
    if version is None:
        meta = params.get("_meta")
        return isinstance(meta, dict) and VERSION_KEY in meta
    return version not in _LEGACY_HEADERS


def negotiated(asked: object) -> str:
    """The legacy revision that an `initialize` is answered with."""
    return asked if isinstance(asked, str) and asked in LEGACY else LEGACY[0]


def check_modern(headers: dict[bytes, bytes], repeated: frozenset[bytes], method: str, params: dict[str, Any]) -> None:
    """Raise `Refused` for a stateless request whose `_meta`, version or mirrored headers do not hold."""
    meta = params.get("_meta")
    if not isinstance(meta, dict) or not isinstance(meta.get(VERSION_KEY), str):
        raise Refused(INVALID_PARAMS, f"params._meta must carry {VERSION_KEY}.")
    if not isinstance(meta.get(CAPABILITIES_KEY), dict):
        raise Refused(INVALID_PARAMS, f"params._meta must carry {CAPABILITIES_KEY}, an object.")
    _check_mirror(headers, repeated, b"mcp-protocol-version", meta[VERSION_KEY])
    if meta[VERSION_KEY] != MODERN:
        versions = {"supported": SUPPORTED, "requested": meta[VERSION_KEY]}
        raise Refused(UNSUPPORTED_VERSION, "Unsupported protocol version", versions)
    _check_mirror(headers, repeated, b"mcp-method", method)
    key = _NAMED.get(method)
    if key is not None and isinstance(params.get(key), str):
        _check_mirror(headers, repeated, b"mcp-name", params[key])


def _check_mirror(headers: dict[bytes, bytes], repeated: frozenset[bytes], name: bytes, told: str) -> None:
    value = headers.get(name)
    if value is None or name in repeated or unwrapped(value) != told:
        message = f"Header mismatch: {name.decode()} must come once and repeat what the body says."
        raise Refused(HEADER_MISMATCH, message)


def unwrapped(value: bytes) -> str | None:
    """The text of a header, out of its Base64 sentinel where it has one; `None` where it holds no text."""
    text = value.strip(b" \t")
    try:
        if text.startswith(b"=?base64?") and text.endswith(b"?="):
            coded = text[9:-2]
            plain = base64.b64decode(coded, validate=True)
            return plain.decode() if base64.b64encode(plain) == coded else None
        return text.decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return None
