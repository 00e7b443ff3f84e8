"""Everything that a house has kept: each row of both databases, its files, and what its full-text indexes hold."""

from sophia.store.engine import connect
from tests.support.house import House


def kept(house: House) -> str:
    """All of it as one text."""
    found: list[str] = []
    for name, key in (("state", house.keys.state), ("ops", house.keys.ops)):
        db = connect(house.ownership, house.directory / "data" / f"{name}.db", key)
        try:
            tables = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").fetchall()
            for table, sql in tables:
                if "VIRTUAL" not in str(sql):
                    found.append(repr(list(db.execute(f"SELECT * FROM {table}"))))
                else:
                    db.execute(f"CREATE VIRTUAL TABLE temp.terms_{table} USING fts5vocab('main', '{table}', 'row')")
                    found.append(repr(list(db.execute(f"SELECT term FROM temp.terms_{table}"))))
        finally:
            db.close()
    return "\n".join(found)
