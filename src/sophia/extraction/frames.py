"""What travels between the daemon and the child: frames of a length and a message."""

import struct

import msgspec

from sophia.extraction.extracted import Extracted, Unextracted

HEADER = struct.Struct(">I")


class Request(msgspec.Struct, frozen=True):
    """A file to read."""

    kind: str
    name: str
    data: bytes


Answer = Extracted | Unextracted


def framed(message: Request | Answer) -> bytes:
    """The message with its length in front."""
    body = msgspec.msgpack.encode(message)
    return HEADER.pack(len(body)) + body


def request_of(body: bytes) -> Request:
    """The request that a frame holds."""
    return msgspec.msgpack.decode(body, type=Request)


def answer_of(body: bytes) -> Answer:
    """The answer that a frame holds. `msgspec.MsgspecError` for anything else."""
    answer: Answer = msgspec.msgpack.decode(body, type=Answer)
    return answer
