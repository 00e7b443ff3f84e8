"""Equal values have equal bytes, and what has no canonical form is refused."""

import json
import struct
from typing import Any

import pytest
from hypothesis import given, strategies as st

from sophia.core import canonical

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"])),
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), inner, max_size=4)
    ),
    max_leaves=20,
)


def _read(data: bytes) -> Any:
    """The value as a reader of JSON numbers has it: an integer too large to be exact is a double."""
    return json.loads(data, parse_int=lambda digits: int(digits) if abs(int(digits)) <= 2**53 else float(digits))


@pytest.mark.guarantee("G2")
@given(values)
def test_the_bytes_read_back_as_the_value_and_are_their_own_canonical_form(value: Any) -> None:
    data = canonical.encode(value)
    assert _read(data) == value
    assert canonical.encode(_read(data)) == data


@pytest.mark.guarantee("G2")
@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=4), st.integers(0, 9), max_size=6))
def test_the_order_of_keys_does_not_matter(value: dict[str, int]) -> None:
    turned = dict(reversed(list(value.items())))
    assert canonical.encode(turned) == canonical.encode(value)
    keys = list(json.loads(canonical.encode(value)))
    assert keys == sorted(keys, key=lambda key: list(key.encode("utf-16-be")))


@pytest.mark.guarantee("G2")
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_reads_back_as_the_same_double(value: float) -> None:
    assert float(canonical.encode(value)) == value


RFC_8785_NUMBERS = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333",
    "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}


@pytest.mark.guarantee("G2")
@pytest.mark.parametrize(("bits", "text"), RFC_8785_NUMBERS.items())
def test_numbers_are_written_as_the_samples_of_the_rfc(bits: str, text: str) -> None:
    (value,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical.encode(value).decode() == text


def test_the_example_of_the_rfc_comes_out_byte_for_byte() -> None:
    value = json.loads(
        r"""{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}"""
    )
    assert canonical.encode(value).hex(" ") == (
        "7b 22 6c 69 74 65 72 61 6c 73 22 3a 5b 6e 75 6c 6c 2c 74 72 75 65 2c 66 61 6c 73 65 5d 2c 22 6e 75 6d 62 65 "
        "72 73 22 3a 5b 33 33 33 33 33 33 33 33 33 2e 33 33 33 33 33 33 33 2c 31 65 2b 33 30 2c 34 2e 35 2c 30 2e 30 "
        "30 32 2c 31 65 2d 32 37 5d 2c 22 73 74 72 69 6e 67 22 3a 22 e2 82 ac 24 5c 75 30 30 30 66 5c 6e 41 27 42 5c "
        "22 5c 5c 5c 5c 5c 22 2f 22 7d"
    )


def test_keys_sort_by_utf16_code_units_as_in_the_rfc() -> None:
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    ordered = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
    assert list(json.loads(canonical.encode(dict.fromkeys(keys)))) == ordered


@pytest.mark.guarantee("G2", "R20")
def test_one_and_one_point_zero_and_minus_zero_hash_as_the_numbers_they_are() -> None:
    assert canonical.sha256({"n": 1}) == canonical.sha256({"n": 1.0})
    assert canonical.sha256([0]) == canonical.sha256([-0.0])
    assert canonical.sha256({"n": 1}) != canonical.sha256({"n": "1"})
    assert canonical.sha256("\u00e9") != canonical.sha256("e\u0301")
    assert len(canonical.sha256(None)) == 64


@pytest.mark.guarantee("G2", "R20")
@pytest.mark.parametrize(
    "value",
    [
        float("nan"), float("inf"), -float("inf"), 2**53 + 1, -(2**53) - 1, "\ud800", {"\udfff": 1}, {1: 2}, {None: 1},
        {True: 1}, b"bytes", {1, 2}, range(3), [[float("nan")]],
    ],
    ids=str,
)  # fmt: skip
def test_what_has_no_canonical_form_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="canonical form"):
        canonical.encode(value)


def test_a_value_that_holds_itself_is_refused_and_not_followed() -> None:
    knot: list[object] = []
    knot.append(knot)
    with pytest.raises(ValueError, match="Nesting"):
        canonical.encode(knot)
