"""The whole state, compared: every journaled row, and what the indexes that are made from them hold."""

from typing import Any

from sophia.store.rules import RULES
from tests.support.beneath import bare
from tests.support.house import House

Picture = dict[str, list[tuple[Any, ...]]]
_WORDS = {
    "chunk_fts": "SELECT v.term, v.col, v.offset, c.document_id, c.starts, c.ends FROM v"
    " JOIN main.chunk c ON c.id = v.doc",
    "entity_fts": "SELECT v.term, v.col, v.offset, i.entity_id FROM v JOIN main.entity_index i ON i.id = v.doc",
    "fact_fts": "SELECT v.term, v.col, v.offset, i.fact_id FROM v JOIN main.fact_index i ON i.id = v.doc",
}
"""Every word of a full-text index, where it stands, and of what."""
_DERIVED = {
    "chunk": "SELECT user_id, document_id, starts, ends, text FROM main.chunk",
    "chunk_place": "SELECT p.user_id, p.document_id, c.document_id, c.starts FROM main.chunk_place p"
    " LEFT JOIN main.chunk c ON c.id = p.id",
    "entity_index": "SELECT entity_id FROM main.entity_index",
    "folder_scan": "SELECT id, user_id FROM main.folder_scan",
}


def picture(home: House) -> Picture:
    """Every journaled row, and every row and word of what is derived, whatever numbers it has within."""
    with bare(home.ownership, home.keys) as db:
        seen = {name: db.execute(f"SELECT * FROM main.{name}").fetchall() for name in RULES if RULES[name].journaled}
        seen |= {name: db.execute(sql).fetchall() for name, sql in _DERIVED.items()}
        for name, sql in _WORDS.items():
            db.execute(f"CREATE VIRTUAL TABLE temp.v USING fts5vocab(main, {name}, instance)")
            found = db.execute("SELECT count(*) FROM v").get
            seen[name] = db.execute(sql).fetchall()
            assert len(seen[name]) == found, f"{name} holds words of what is not there"
            db.execute("DROP TABLE temp.v")
        assert db.execute("PRAGMA main.foreign_key_check").fetchall() == []
    return {name: sorted(rows, key=repr) for name, rows in seen.items()}


def differing(one: Picture, other: Picture) -> dict[str, tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]]:
    """Where two pictures differ: of each table the rows that only the one, and only the other has."""
    return {
        name: (
            [row for row in one[name] if row not in other[name]],
            [row for row in other[name] if row not in one[name]],
        )
        for name in one
        if one[name] != other[name]
    }
