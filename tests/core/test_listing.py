"""Every list is cut, put in order and continued by the same few lines of SQL."""

from collections.abc import Iterator

import apsw
import pytest
from hypothesis import given, strategies as st

from sophia.core.listing import paged
from sophia.core.page import Listed, Order, Window
from sophia.store.reader import Reader

SELECT = "SELECT id, name, at FROM thing WHERE name <> :without"
LISTED = Listed("at", "id", {"name": Order(("name", "id"))})
ORDERS = st.sampled_from(["name", "newest", "oldest"])
TIMES = st.none() | st.integers(0, 6)


@pytest.fixture(name="db", scope="module")
def _db() -> Iterator[Reader]:
    db = apsw.Connection(":memory:")
    db.execute("CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT, at INTEGER)")
    db.executemany("INSERT INTO thing VALUES (?, ?, ?)", [(n, f"name {n % 3}", n * 7 % 5) for n in range(1, 13)])
    yield Reader(db)
    db.close()


@given(order=ORDERS, limit=st.integers(1, 5), since=TIMES, until=TIMES)
def test_page_after_page_shows_what_one_page_shows(
    db: Reader, order: str, limit: int, since: int | None, until: int | None
):
    whole = paged(db, Window(100, None, 0, order, since, until), LISTED, SELECT, without="name 1")
    assert (whole.total, whole.more) == (len(whole.rows), False)
    expected = [
        row
        for row in db.rows(f"{SELECT} ORDER BY id", without="name 1")
        if (since is None or row["at"] >= since) and (until is None or row["at"] < until)
    ]
    by = {"name": lambda row: (row["name"], row["id"])}.get(order, lambda row: (row["at"], row["id"]))
    assert whole.rows == sorted(expected, key=by, reverse=order == "newest")
    seen, after = [], None
    while True:
        part = paged(db, Window(limit, after, 0, order, since, until), LISTED, SELECT, without="name 1")
        seen += part.rows
        assert part.total == whole.total
        if not part.more:
            break
        after = part.keys[-1]
    assert seen == whole.rows


def test_a_list_may_go_another_way_and_be_counted_so_far_only(db: Reader):
    part = paged(db, Window(2, None), LISTED, SELECT, by=Order(("id",)), most=5, without="")
    assert [row["id"] for row in part.rows] == [1, 2]
    page = part.page(["one", "two"])
    assert (page.total, page.extra, page.keys) == (5, {"total_is_capped": True}, [(1,), (2,)])
    exact = paged(db, Window(2, None), LISTED, SELECT, most=12, without="").page(["one", "two"])
    assert (exact.total, exact.extra) == (12, {})


def test_a_list_goes_by_its_own_order_unasked():
    assert list(LISTED.orders) == ["name", "newest", "oldest"]
    assert list(Listed("at", "id").orders) == ["newest", "oldest"]
    other = Listed("at", "id", {"newest": Order(("id",), down=True)})
    assert other.orders == {"newest": Order(("id",), down=True), "oldest": Order(("at", "id"))}
