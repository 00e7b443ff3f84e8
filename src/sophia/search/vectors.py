"""Vectors at rest: beside the passages that they are of, in the same encrypted file, each with its model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sophia.search.ports import Index, Rows

LOADED = 4_000
"""How many vectors are read at once."""


@dataclass(frozen=True, slots=True)
class Vector:
    """A passage's vector as it is kept: `vector` times `scale` has length 1. `n` is never given twice."""

    n: int
    chunk_id: int
    document_id: str
    scale: float
    vector: bytes


@dataclass(frozen=True, slots=True)
class Waiting:
    """A passage that has no vector of a model, and what the vector is to be made of."""

    chunk_id: int
    document_id: str
    title: str
    text: str

    @property
    def whole(self) -> str:
        """The passage under its document's title."""
        return f"{self.title}\n{self.text}" if self.text else self.title


def put(db: Index, user_id: str, model_id: str, passage: Waiting, scale: float, vector: bytes) -> None:
    """Keep the passage's vector, where the passage is still what the vector was made of."""
    db.index(
        "INSERT INTO main.chunk_vector (user_id, chunk_id, model_id, dimensions, scale, vector)"
        " SELECT :user_id, c.id, :model_id, :dimensions, :scale, :vector"
        "   FROM chunk c JOIN document d ON d.id = c.document_id"
        "  WHERE c.id = :chunk_id AND c.document_id = :document_id AND c.text = :text AND d.title = :title"
        "    AND NOT EXISTS (SELECT 1 FROM chunk_vector v WHERE v.chunk_id = c.id AND v.model_id = :model_id)",
        user_id=user_id, chunk_id=passage.chunk_id, model_id=model_id, dimensions=len(vector), scale=scale,
        vector=vector, document_id=passage.document_id, text=passage.text, title=passage.title,
    )  # fmt: skip


def remove(db: Index, chunk_id: int) -> None:
    """Keep no vector of this passage, and note for the index in memory that it is gone."""
    for row in db.rows("SELECT v.id, v.user_id FROM chunk_vector v WHERE v.chunk_id = :id", id=chunk_id):
        db.index(
            "INSERT INTO main.chunk_vector_gone (user_id, vector_id, chunk_id)"
            " VALUES (:user_id, :vector_id, :chunk_id)",
            user_id=row["user_id"], vector_id=row["id"], chunk_id=chunk_id,
        )  # fmt: skip
        db.index("DELETE FROM main.chunk_vector WHERE id = :id", id=row["id"])


def after(db: Rows, model_id: str, n: int) -> Iterator[list[Vector]]:
    """The vectors of a model that came after number `n`, in the order of their numbers."""
    while True:
        rows = db.rows(
            "SELECT v.id AS n, v.chunk_id, c.document_id, v.scale, v.vector"
            " FROM chunk_vector v CROSS JOIN chunk_place c ON c.id = v.chunk_id"
            " WHERE v.model_id = :model_id AND v.id > :n ORDER BY v.id LIMIT :limit",
            model_id=model_id, n=n, limit=LOADED,
        )  # fmt: skip
        if rows:
            yield [Vector(**row) for row in rows]
            n = rows[-1]["n"]
        if len(rows) < LOADED:
            return


def gone(db: Rows, n: int) -> list[tuple[int, int, int]]:
    """Which vectors went after number `n` of their going: `(number, vector, passage)`."""
    rows = db.rows("SELECT g.id, g.vector_id, g.chunk_id FROM chunk_vector_gone g WHERE g.id > :n ORDER BY g.id", n=n)
    return [(row["id"], row["vector_id"], row["chunk_id"]) for row in rows]


def models(db: Rows) -> dict[str, int]:
    """How many vectors there are of each model."""
    rows = db.rows("SELECT v.model_id, count(v.id) AS many FROM chunk_vector v GROUP BY v.model_id")
    return {row["model_id"]: row["many"] for row in rows}


def dimensions(db: Rows, model_id: str) -> int | None:
    """How many numbers a vector of this model has; `None` where none is kept."""
    rows = db.rows(
        "SELECT v.dimensions FROM chunk_vector v WHERE v.model_id = :model_id ORDER BY v.id LIMIT 1", model_id=model_id
    )
    return int(rows[0]["dimensions"]) if rows else None


def waiting(db: Rows, model_id: str, start: int, end: int, limit: int) -> list[Waiting]:
    """The passages with ids from `start` up to, not including, `end` that have no vector of this model."""
    rows = db.rows(
        "SELECT c.id AS chunk_id, c.document_id, d.title, c.text FROM chunk c JOIN document d ON d.id = c.document_id"
        " WHERE c.id >= :start AND c.id < :end"
        " AND NOT EXISTS (SELECT 1 FROM chunk_vector v WHERE v.chunk_id = c.id AND v.model_id = :model_id)"
        " ORDER BY c.id LIMIT :limit",
        model_id=model_id, start=start, end=end, limit=limit,
    )  # fmt: skip
    return [Waiting(**row) for row in rows]


def last_passage(db: Rows) -> int:
    """The highest id of a passage, 0 where there is none."""
    rows = db.rows("SELECT max(c.id) AS last FROM chunk_place c")
    return int(rows[0]["last"] or 0)


def forget_models(db: Index, kept: Sequence[str], limit: int) -> int:
    """Let go of up to `limit` vectors of all models but these; how many that were."""
    marks = {f"kept{n}": model_id for n, model_id in enumerate(kept)}
    rows = db.rows(
        f"SELECT v.id FROM chunk_vector v WHERE v.model_id NOT IN ({', '.join(f':{name}' for name in marks)})"  # noqa: S608
        " LIMIT :limit",
        limit=limit, **marks,
    )  # fmt: skip
    for row in rows:
        db.index("DELETE FROM main.chunk_vector WHERE id = :id", id=row["id"])
    return len(rows)


def forget_gone(db: Index, n: int) -> None:
    """Let go of the notes up to number `n`: the index in memory knows them."""
    db.index("DELETE FROM main.chunk_vector_gone WHERE id <= :n", n=n)
