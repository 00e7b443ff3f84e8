"""The order in which rows can be restored, so that every row that one names is there at every moment."""

from collections.abc import Iterator, Mapping

from sophia.capabilities.reverting.undone import Place, Undone
from sophia.catalog.call import Reader, Shape

Work = tuple[str, list[str]]
"""A table, and rows of it that are restored together."""


def ordered(db: Reader, undone: Undone) -> Iterator[Work]:
    """What nothing can hang on goes first, so that it is in nobody's place; then all comes, changes, and goes."""
    tables = _parents_first(db.tables)
    free = set(tables) - {referred for shape in db.tables.values() for _, referred in shape.references}
    goes: dict[str, list[str]] = {}
    comes: dict[str, list[str]] = {}
    stays: dict[str, list[str]] = {}
    for place in sorted(undone.touches, key=lambda place: -_moment(undone, place)):
        kind = goes if undone.goes(place) else comes if undone.comes(place) else stays
        kind.setdefault(place[0], []).append(place[1])
    yield from ((table, goes[table]) for table in tables if table in free and table in goes)
    for kind in (comes, stays):
        yield from ((table, kind[table]) for table in tables if table in kind)
    yield from ((table, goes[table]) for table in reversed(tables) if table not in free and table in goes)


def _moment(undone: Undone, place: Place) -> int:
    """When a row that goes came, and when any other was changed last: what names another did so later."""
    touches = undone.touches[place]
    return touches[-1].n if undone.goes(place) else touches[0].n


def _parents_first(tables: Mapping[str, Shape]) -> list[str]:
    """The tables, each behind those that its rows name."""
    found: dict[str, None] = {}

    def add(table: str, among: frozenset[str]) -> None:
        for _, referred in tables[table].references:
            if referred not in among and referred not in found:
                add(referred, among | {referred})
        found[table] = None

    for table in sorted(tables):
        add(table, frozenset({table}))
    return list(found)
