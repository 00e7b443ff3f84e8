"""Cursors: opaque, and good for one question of one connection only."""

import base64
import hashlib
import hmac
from typing import Any

import msgspec

from sophia.core.caller import Caller
from sophia.core.errors import InvalidCursor
from sophia.core.page import Key

_TAG = 16
_UNBOUND = frozenset({"cursor", "limit", "compact", "fields", "max_bytes"})


class Cursors:
    """Seals and opens cursors with a key of the daemon's own."""

    def __init__(self, seal: bytes) -> None:
        self._key = hmac.digest(seal, b"cursor", "sha256")

    def sealed(self, key: Key, caller: Caller, tool: str, arguments: msgspec.Struct) -> str:
        """The cursor that continues after the row of this sort key."""
        content = msgspec.json.encode(key)
        return base64.urlsafe_b64encode(self._tag(content, caller, tool, arguments) + content).rstrip(b"=").decode()

    def opened(self, cursor: str, caller: Caller, tool: str, arguments: msgspec.Struct) -> Key:
        """The sort key that a cursor holds; `InvalidCursor` unless it was sealed for this very question."""
        try:
            whole = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        except ValueError:
            raise InvalidCursor(argument="cursor") from None
        tag, content = whole[:_TAG], whole[_TAG:]
        if not hmac.compare_digest(tag, self._tag(content, caller, tool, arguments)):
            raise InvalidCursor(argument="cursor")
        return tuple(msgspec.json.decode(content, type=list[Any]))

    def _tag(self, content: bytes, caller: Caller, tool: str, arguments: msgspec.Struct) -> bytes:
        asked = {name: getattr(arguments, name) for name in arguments.__struct_fields__ if name not in _UNBOUND}
        question = msgspec.json.encode(
            [caller.connection_id, caller.scope.stored(), tool, asked], order="deterministic"
        )
        return hmac.digest(self._key, hashlib.sha256(question).digest() + content, "sha256")[:_TAG]
