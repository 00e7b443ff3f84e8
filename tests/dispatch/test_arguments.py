"""What does not fit is refused with what would."""

from enum import Enum
from typing import Literal

import msgspec
import pytest

from sophia.core.errors import BadArguments
from sophia.dispatch.arguments import fitted


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Part(msgspec.Struct, frozen=True):
    colour: Colour = Colour.RED
    size: Literal["small", "large"] | None = None


class Whole(msgspec.Struct, frozen=True):
    parts: list[Part] = []
    named: dict[str, Part] = {}
    sections: list[Literal["one", "two"]] | None = None
    count: int = 0


@pytest.mark.parametrize(
    ("raw", "valid"),
    [
        ({"parts": [{"colour": "green"}]}, ["red", "blue"]),
        ({"parts": [{}, {"size": "huge"}]}, ["large", "small"]),
        ({"named": {"a": {"size": 3}}}, ["large", "small"]),
        ({"sections": ["one", "three"]}, ["one", "two"]),
        ({"count": "x"}, ["parts", "named", "sections", "count"]),
        ({"size": "small"}, ["parts", "named", "sections", "count"]),
    ],
    ids=str,
)
def test_an_argument_with_few_values_is_refused_with_those(raw: dict[str, object], valid: list[str]):
    with pytest.raises(BadArguments) as refused:
        fitted("it", Whole, raw)
    assert refused.value.valid == valid
