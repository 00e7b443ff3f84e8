"""Lists leave Sophia in one shape."""

from typing import ClassVar

import msgspec
import pytest

from sophia.core.page import Page, Row, Window


class Fact(Row, frozen=True, kw_only=True):
    """A row as a noun defines it."""

    COMPACT: ClassVar[tuple[str, ...]] = ("id",)
    id: str
    note: str | None = None


def test_a_row_leaves_out_what_it_does_not_have():
    assert msgspec.json.encode(Fact(id="f-1")) == b'{"id":"f-1"}'


def test_a_row_does_not_change():
    with pytest.raises(AttributeError):
        Fact(id="f-1").id = "f-2"  # type: ignore[misc]


def test_pages_share_nothing():
    one, other = (Page(items=[Fact(id="f-1")], total=1, keys=[("f-1",)]) for _ in range(2))
    one.extra["fusion"] = {}
    assert other.extra == {}
    assert not other.more


def test_a_window_starts_where_it_is_told():
    assert Window(limit=20, after=None).after is None
