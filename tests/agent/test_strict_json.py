"""The decoder takes strict JSON and nothing that two parsers could read differently."""

import contextlib
import json
import math
from typing import Any

import pytest
from hypothesis import given, strategies as st

from sophia.agent.strict_json import MAX_DEPTH, ParseError, decoded

HOSTILE = {
    "empty": b"",
    "blank": b"  \n",
    "an open brace": b"{",
    "a byte order mark": b"\xef\xbb\xbf{}",
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "UTF-32": '{"a": 1}'.encode("utf-32"),
    "invalid UTF-8": b'{"a": "\xff"}',
    "overlong UTF-8": b'{"a": "\xc0\x80"}',
    "an encoded surrogate": b'{"a": "\xed\xa0\x80"}',
    "a lone high surrogate": b'{"a": "\\ud800"}',
    "a lone high surrogate before text": b'{"a": "\\ud800abc"}',
    "a high surrogate before another": b'{"a": "\\ud800\\ud800"}',
    "a high surrogate before an escape": b'{"a": "\\ud800\\u0041"}',
    "a lone low surrogate": b'{"a": "\\udc00"}',
    "a lone surrogate as a key": b'{"\\ud800": 1}',
    "depth 100,000": b"[" * 100_000,
    "depth 100,000 of objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "depth 65": b"[" * 65 + b"]" * 65,
    "5,000 digits": b"[" + b"9" * 5_000 + b"]",
    "NaN": b'{"a": NaN}',
    "Infinity": b'{"a": -Infinity}',
    "1e999": b'{"a": 1e999}',
    "a float of 400 digits": b'{"a": ' + b"9" * 400 + b".5}",
    "equal keys": b'{"a": 1, "a": 1}',
    "equal keys, one escaped": b'{"a": 1, "\\u0061": 2}',
    "equal keys far inside": b'{"a": [{"b": {"c": 1, "d": {}, "c": 2}}]}',
    "equal keys beside escaped quotes": b'{"a\\"": 1, "a\\"": 2, "x": "\\\\"}',
    "two values": b"{} {}",
    "a trailing comma": b"[1,]",
    "a comment": b"[1] // one",
    "single quotes": b"{'a': 1}",
    "a raw line break in a text": b'{"a": "\n"}',
    "a NUL": b'{"a": "\0"}',
    "a leading zero": b"[01]",
    "half a million values": b"[" + b"1," * 500_000 + b"1]",
}


@pytest.mark.guarantee("T21", "4.14")
@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_hostile_bodies_are_refused(body: bytes):
    with pytest.raises(ParseError) as refused:
        decoded(body)
    assert len(str(refused.value)) < 200


def test_equal_keys_are_refused_as_such():
    with pytest.raises(ParseError, match="same key twice"):
        decoded(b'{"name": "sophia.echo", "name": "sophia.whoami"}')


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'{"a": "\\u0000", "b": "\\ud83d\\ude00"}', {"a": "\0", "b": "\U0001f600"}),
        (b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, None),
        (b"[9223372036854775808, -9223372036854775809, 1e308, 1E-400]", [2**63, -(2**63) - 1, 1e308, 0.0]),
        (b'{"a:b,{": "}{[]:,", "\\\\": "\\\\\\"", "\\"": ":\\"{"}', {"a:b,{": "}{[]:,", "\\": '\\"', '"': ':"{'}),
        (b' \r\n\t{ "a" : [ ] } ', {"a": []}),
    ],
)
def test_what_is_strict_is_taken_as_it_is(body: bytes, value: Any):
    assert value is None or decoded(body) == value
    decoded(body)


def test_a_value_outside_64_bits_reaches_the_tool_that_refuses_it():
    assert decoded(b'{"n": 36893488147419103232}') == {"n": 2**65}


def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(items)) != len(items):
        raise ValueError("equal keys")
    return dict(items)


def refuse(text: str) -> Any:
    raise ValueError(text)


def finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def oracle(body: bytes) -> Any:
    """What the standard library's decoder makes of it under the strictest hooks; `ValueError` where nothing."""
    value = json.loads(body.decode("utf-8"), object_pairs_hook=pairs, parse_constant=refuse, parse_float=finite)
    json.dumps(value, ensure_ascii=False).encode()  # a lone surrogate cannot be encoded
    return value


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)
KEYS = st.sampled_from(["a", "\\u0061", 'a\\"', "b", "\\\\", ":", "\u00e9"])


@st.composite
def objects_with_equal_keys_at_times(draw: st.DrawFn) -> bytes:
    keys = draw(st.lists(KEYS, max_size=4))
    members = [f'"{key}": {json.dumps(draw(VALUES), ensure_ascii=draw(st.booleans()))}' for key in keys]
    return ("{" + ", ".join(members) + "}").encode("utf-8", "surrogatepass")


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    body = bytearray(json.dumps(draw(VALUES), ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass"))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(body)))
        body[place : place + draw(st.integers(0, 2))] = draw(
            st.sampled_from([b"", b'"', b"\\", b":", b"{", b"\xff", b"1e9"])
        )
    return bytes(body)


@pytest.mark.guarantee("4.14")
@given(objects_with_equal_keys_at_times() | damaged())
def test_it_agrees_with_the_strictest_reading_of_another_decoder(body: bytes):
    try:
        expected = oracle(body)
    except (ValueError, RecursionError):
        with pytest.raises(ParseError):
            decoded(body)
    else:
        assert decoded(body) == expected


@pytest.mark.guarantee("4.14")
@given(st.binary(max_size=60))
def test_any_bytes_are_decoded_or_refused(body: bytes):
    with contextlib.suppress(ParseError):
        json.dumps(decoded(body))
