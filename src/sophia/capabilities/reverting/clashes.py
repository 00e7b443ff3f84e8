"""What stands in the way of taking something back, beside later changes of the same rows: what rows hold together."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from sophia.capabilities.reverting.undone import Place, Undone
from sophia.catalog.call import Reader
from sophia.store.rules import RULES

UNDECLARED = (("fact", "superseded_by", "fact"),)
"""References that the schema does not declare: a table, its column, and the table whose id that holds."""


@dataclass(frozen=True, slots=True)
class Clash:
    """A row that cannot be taken back as things are, and the row that is why, by what it has in these columns."""

    row: Place
    other: Place
    columns: tuple[str, ...]


def clashes(db: Reader, undone: Undone) -> Iterator[Clash]:
    """All of them: rows that hang on what would go, rows that would name what is not there, rows that would be two."""
    for child, column, parent in _references(db):
        yield from _hanging(db, undone, (child, column, parent))
        yield from _missing(db, undone, (child, column, parent))
    for table, shape in db.tables.items():
        for unique in shape.uniques:
            yield from _colliding(db, undone, table, unique)


def parts(db: Reader) -> Iterator[tuple[str, str, str]]:
    """The references by which rows are parts of others: they have the id of the other, or its name before their own."""
    for child, column, parent in _references(db):
        if column == "id" or child.startswith(f"{parent}_"):
            yield child, column, parent


def _references(db: Reader) -> Iterator[tuple[str, str, str]]:
    for name, shape in db.tables.items():
        if RULES[name].journaled:  # what is derived is made anew
            for column, referred in shape.references:
                yield name, column, referred
    yield from UNDECLARED


def _hanging(db: Reader, undone: Undone, reference: tuple[str, str, str]) -> Iterator[Clash]:
    child, column, parent = reference
    going = undone.going(parent)
    if not going:
        return
    for row_id, named in hanging(db, reference, going):
        if (child, row_id) not in undone.touches:
            yield Clash((parent, named), (child, row_id), (column,))


def hanging(db: Reader, reference: tuple[str, str, str], ids: Collection[str]) -> list[tuple[str, str]]:
    """The rows that name one of these ids by this reference, each with the id."""
    child, column, _ = reference
    rows = db.rows(
        f"SELECT t.id, t.{column} AS named FROM {child} t WHERE t.{column} IN (SELECT value FROM json_each(:ids))",  # noqa: S608
        ids=json.dumps(list(ids)),
    )
    return [(row["id"], row["named"]) for row in rows]


def _missing(db: Reader, undone: Undone, reference: tuple[str, str, str]) -> Iterator[Clash]:
    child, column, parent = reference
    back = undone.staying().get(child)
    if not back:
        return
    named = {row_id: values[0] for row_id, values in _images(db, back, (column,)).items() if values[0] is not None}
    there = {
        row["id"]
        for row in db.rows(
            f"SELECT t.id FROM {parent} t WHERE t.id IN (SELECT value FROM json_each(:ids))",  # noqa: S608
            ids=json.dumps(sorted(set(named.values()))),
        )
    }
    for row_id, one in named.items():
        if undone.goes((parent, one)) or not (one in there or undone.comes((parent, one))):
            yield Clash((child, row_id), (parent, one), ())


def _colliding(db: Reader, undone: Undone, table: str, unique: tuple[str, ...]) -> Iterator[Clash]:
    back = undone.staying().get(table)
    if not back:
        return
    wanted = _images(db, back, unique)
    equal = " AND ".join(f"t.{column} = w.value ->> {n + 1}" for n, column in enumerate(unique))
    rows = db.rows(
        f"SELECT w.value ->> 0 AS row_id, t.id FROM json_each(:wanted) w CROSS JOIN {table} t ON {equal}"  # noqa: S608
        " WHERE t.id <> w.value ->> 0",
        wanted=json.dumps([[row_id, *values] for row_id, values in wanted.items()]),
    )
    for row in rows:
        if (table, row["id"]) not in undone.touches:
            yield Clash((table, row["row_id"]), (table, row["id"]), unique)


def _images(db: Reader, back: dict[str, int], columns: tuple[str, ...]) -> dict[str, list[str | None]]:
    """What these rows would have in these columns."""
    rows = db.rows(
        "SELECT c.row_id, (SELECT json_group_array(json_extract(c.before, '$.' || k.value) ORDER BY k.key)"
        " FROM json_each(:columns) k) AS told FROM json_each(:ns) s CROSS JOIN mutation_change c ON c.n = s.value"
        " WHERE c.before IS NOT NULL",
        ns=json.dumps(list(back.values())), columns=json.dumps(columns),
    )  # fmt: skip
    return {row["row_id"]: json.loads(row["told"]) for row in rows}


def made(db: Reader, found: Collection[Clash]) -> dict[Clash, int]:
    """The mutation that made each of them one: the last that made, took away or so changed the other row."""
    by_columns: defaultdict[tuple[str, ...], list[Clash]] = defaultdict(list)
    for clash in found:
        by_columns[clash.columns].append(clash)
    told: dict[Clash, int] = {}
    for columns, some in by_columns.items():
        rows = db.rows(
            "SELECT c.table_name, c.row_id, max(c.mutation_seq) AS seq FROM json_each(:places) p"
            " CROSS JOIN mutation_change c ON c.table_name = p.value ->> 0 AND c.row_id = p.value ->> 1"
            " WHERE c.op <> 'update' OR EXISTS (SELECT 1 FROM json_each(:columns) k"
            "  WHERE json_extract(c.before, '$.' || k.value) IS NOT json_extract(c.after, '$.' || k.value))"
            " GROUP BY c.table_name, c.row_id",
            places=json.dumps([clash.other for clash in some]), columns=json.dumps(columns),
        )  # fmt: skip
        seqs = {(row["table_name"], row["row_id"]): row["seq"] for row in rows}
        told |= {clash: seqs[clash.other] for clash in some if clash.other in seqs}
    return told
