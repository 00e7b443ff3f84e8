"""Erasing: rows, all that hangs on them, and every image of them in the journal, leaving a tombstone."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import apsw

from sophia.store.rules import INDEXED, RULES
from sophia.store.schema import table

LET_GO = frozenset({("document", "subject_id"), ("goal", "parent_id"), ("briefing", "goal_id")})
"""Columns that lose what they name; everywhere else a row goes with the row that it names."""
_EMPTIED = "SELECT count(*) FROM main.mutation_change WHERE forgotten_by = ?"
Rows = dict[str, set[Any]]
"""Keys of rows, by table."""


@dataclass(frozen=True, slots=True)
class Tombstone:
    """That something was forgotten, and when: nothing of what it was."""

    id: str
    forgotten_id: str
    noun: str
    at: int
    keyed: tuple[str, ...]
    """What is refused from now on, as keyed hashes."""


@dataclass(frozen=True, slots=True)
class Erased:
    """How much went."""

    rows: Mapping[str, int]
    """By table, derived ones aside."""
    changes: int
    """Journaled changes whose images went."""
    row_ids: tuple[str, ...]
    """The ids that the rows had."""
    seqs: tuple[int, ...]
    """The mutations that had made or changed them."""
    narrowed: tuple[tuple[str, str], ...]
    """`(table, id)` of what was linked to it and to other entities: linked to none now, lest more see it than did."""


class Eraser:
    """Erases within one open mutation, below the gate: `db` reads and writes the tables themselves."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._edges = [
            (name, column, referred)
            for name in RULES
            if not name.startswith("mutation")
            for column, referred in table(db, name).references
        ]

    def erase(self, roots: Rows, tombstone: Tombstone, user_id: str, new_ids: Iterable[str]) -> Erased:
        """Erase the rows of `roots` and all that goes with them; `new_ids` names what is written of it."""
        going = self.closure(roots)
        narrowed = self._narrowed(going)
        self._db.execute("PRAGMA defer_foreign_keys = on")
        self._db.execute("PRAGMA secure_delete = on").fetchall()
        try:
            self._let_go(going)
            self._unindexed(going)
            for name, keys in going.items():
                self._run(f"DELETE FROM main.{name} WHERE id IN (SELECT value FROM json_each(?))", keys)
            journaled = {name: sorted(keys) for name, keys in going.items() if RULES[name].journaled and keys}
            seqs = self._forgotten(journaled, tombstone.id)
            changes = self._db.execute(_EMPTIED, (tombstone.id,)).get
            self._keep(tombstone, user_id, sum(map(len, journaled.values())), changes, new_ids)
            for index in INDEXED:
                self._db.execute(f"INSERT INTO main.{index} ({index}) VALUES ('optimize')")
        finally:
            self._db.execute("PRAGMA secure_delete = off").fetchall()
        return Erased(
            {name: len(keys) for name, keys in journaled.items()}, changes,
            tuple(key for keys in journaled.values() for key in keys), seqs, narrowed,
        )  # fmt: skip

    def closure(self, roots: Rows) -> Rows:
        """The rows, and all that name them, and so on: one query for each reference of each round."""
        going: Rows = {name: set(keys) for name, keys in roots.items()}
        new: Rows = dict(going)
        while new:
            found: Rows = {}
            for name, column, referred in self._edges:
                if new.get(referred) and (name, column) not in LET_GO:
                    rows = self._db.execute(
                        f"SELECT id FROM main.{name} WHERE {column} IN (SELECT value FROM json_each(?))",
                        (json.dumps(sorted(new[referred])),),
                    )
                    found.setdefault(name, set()).update(row[0] for row in rows)
                    if RULES[name].journaled:
                        found[name] |= self._ghosts(name, column, new[referred])
            new = {name: fresh for name, keys in found.items() if (fresh := keys - going.get(name, set()))}
            for name, keys in new.items():
                going.setdefault(name, set()).update(keys)
        return going

    def naming(self, words: Iterable[str], going: Rows, most: int) -> list[tuple[str, str]]:
        """Rows that stay, as `(table, id)`, and hold one of these words in a text; case counts beyond ASCII."""
        found: list[tuple[str, str]] = []
        for name, rule in RULES.items():
            shape = table(self._db, name)
            texts = [column for column, kind in zip(shape.columns, shape.types, strict=True) if kind == "TEXT"]
            if not rule.journaled or not texts or len(found) >= most:
                continue
            said = " OR ".join(f"instr(lower(r.{column}), lower(w.value))" for column in texts)
            rows = self._db.execute(
                f"SELECT r.id FROM main.{name} r WHERE r.id NOT IN (SELECT value FROM json_each(?))"
                f" AND EXISTS (SELECT 1 FROM json_each(?) w WHERE {said}) ORDER BY r.id LIMIT ?",
                (json.dumps(sorted(going.get(name, ()))), json.dumps(list(words)), most - len(found)),
            )
            found += [(name, row[0]) for row in rows]
        return found

    def _ghosts(self, name: str, column: str, keys: set[Any]) -> set[Any]:
        """The rows that named these when they were taken away: only the journal still holds them."""
        rows = self._db.execute(
            "SELECT DISTINCT c.row_id FROM main.mutation_change c WHERE c.table_name = ? AND c.op = 'delete'"
            " AND json_extract(c.before, '$.' || ?) IN (SELECT value FROM json_each(?))"
            f" AND NOT EXISTS (SELECT 1 FROM main.{name} r WHERE r.id = c.row_id)",
            (name, column, json.dumps(sorted(keys))),
        )
        return {row[0] for row in rows}

    def _narrowed(self, going: Rows) -> tuple[tuple[str, str], ...]:
        """Take all links from what stays and was linked to one of these entities: fewer would show it to more."""
        found: list[tuple[str, str]] = []
        links: Any
        for name in [name for name in RULES if name.endswith("_entity")]:
            noun = name.removesuffix("_entity")
            links = self._db.execute(
                f"SELECT o.id, o.{noun}_id FROM main.{name} o WHERE o.{noun}_id IN"
                f" (SELECT l.{noun}_id FROM main.{name} l WHERE l.id IN (SELECT value FROM json_each(?)))",
                (json.dumps(sorted(going.get(name, ()))),),
            ).fetchall()
            staying = [(link, kept) for link, kept in links if kept not in going.get(noun, ())]
            others = {kept for link, kept in staying if link not in going[name]}
            going.setdefault(name, set()).update(link for link, kept in staying if kept in others)
            found += [(noun, kept) for kept in sorted(others)]
        return tuple(found)

    def _let_go(self, going: Rows) -> None:
        for name, column in LET_GO:
            referred = dict(table(self._db, name).references)[column]
            self._run(
                f"UPDATE main.{name} SET {column} = NULL WHERE {column} IN (SELECT value FROM json_each(?))",
                going.get(referred, ()),
            )

    def _unindexed(self, going: Rows) -> None:
        """Have nothing of the rows found by words or by meaning."""
        for index, name in INDEXED.items():
            self._run(f"DELETE FROM main.{index} WHERE rowid IN (SELECT value FROM json_each(?))", going.get(name, ()))
        self._run(
            "INSERT INTO main.chunk_vector_gone (user_id, vector_id, chunk_id)"
            " SELECT user_id, id, chunk_id FROM main.chunk_vector WHERE id IN (SELECT value FROM json_each(?))",
            going.get("chunk_vector", ()),
        )

    def _forgotten(self, journaled: Mapping[str, list[Any]], tombstone_id: str) -> tuple[int, ...]:
        """Empty the images of these rows, the reasons of what touched them, and the results kept of it."""
        seqs: set[int] = set()
        for name, keys in journaled.items():
            found = self._db.execute(
                "UPDATE main.mutation_change SET before = NULL, after = NULL, forgotten_by = ?"
                " WHERE table_name = ? AND row_id IN (SELECT value FROM json_each(?)) AND forgotten_by IS NULL"
                " RETURNING mutation_seq",
                (tombstone_id, name, json.dumps(keys)),
            )
            seqs.update(row[0] for row in found)
        self._run(
            "UPDATE main.mutation SET reason = NULL WHERE seq IN (SELECT value FROM json_each(?))"
            " AND reason IS NOT NULL AND reason_digest IS NOT NULL",
            seqs,
        )
        self._run("DELETE FROM main.once WHERE mutation_seq IN (SELECT value FROM json_each(?))", seqs)
        return tuple(sorted(seqs))

    def _keep(self, tombstone: Tombstone, user_id: str, rows: int, changes: int, new_ids: Iterable[str]) -> None:
        self._db.execute(
            "INSERT INTO main.tombstone (id, user_id, forgotten_id, noun, rows, changes, created_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (tombstone.id, user_id, tombstone.forgotten_id, tombstone.noun, rows, changes, tombstone.at),
        )
        self._db.executemany(
            "INSERT INTO main.forgotten_value (id, user_id, tombstone_id, keyed) VALUES (?, ?, ?, ?)",
            [(made, user_id, tombstone.id, keyed) for made, keyed in zip(new_ids, tombstone.keyed, strict=False)],
        )

    def _run(self, sql: str, keys: Collection[Any]) -> None:
        if keys:
            self._db.execute(sql, (json.dumps(sorted(keys)),))
