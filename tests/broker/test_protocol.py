"""Frames: a length and an object."""

import struct

import pytest
from hypothesis import given, strategies as st

from sophia.broker import protocol
from sophia.broker.protocol import HEAD, NotAFrame, TooLongFrame

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), VALUES))
def test_what_is_said_is_what_is_heard(told: dict[str, object]):
    frame = protocol.framed(told)
    assert protocol.length(frame[: HEAD.size]) == len(frame) - HEAD.size
    assert protocol.told(frame[HEAD.size :]) == told


@pytest.mark.parametrize("body", [b"", b"[]", b"1", b"{", b"\xff", b"[" * 200_000, b'{"a":1}{'])
def test_what_is_no_object_is_refused(body: bytes):
    with pytest.raises(NotAFrame):
        protocol.told(body)


def test_a_frame_has_a_bound():
    assert protocol.length(struct.pack(">I", 16 * 1024 * 1024)) == 16 * 1024 * 1024
    with pytest.raises(TooLongFrame):
        protocol.length(struct.pack(">I", 16 * 1024 * 1024 + 1))
    with pytest.raises(TooLongFrame):
        protocol.framed({"a": "x" * (16 * 1024 * 1024)})
