"""The vectors of one model in memory, and the exact answer to which are nearest."""

import base64
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sophia.search.runtime import session
from sophia.search.vectors import Vector

Floats = NDArray[np.float32]
SMALL = 4_096
"""Up to so many vectors are compared one by one; beyond, the whole matrix is, in one product."""
LEVELS = 63
"""What is asked for goes from -63 to 63 in the product of whole numbers: with more, some processors' sums overflow."""
OF_EACH = 64
"""So many passages of a document are compared at last, where thousands of it are as near as can be told."""
STEPS = 4
"""By how many steps between two levels such a product may miss the real one: once in ten thousand billion times."""
_GROWTH = 1.1
_BY_ROW = ("_rows", "_scales", "_offsets", "_numbers", "_chunks", "_owners")
_FAR = 1e9
"""What is gone is further off than anything."""
# An ONNX graph of one node, c = MatMulInteger(a: uint8[n, d], b: int8[d, m]): the one product of whole numbers at hand
# that uses the processor's own instructions for it. 100,000 vectors take it a millisecond, and floats ten.
_PRODUCT = base64.b64decode(
    "CAg6YgoYCgFhCgFiEgFjIg1NYXRNdWxJbnRlZ2VyEgFnWhUKAWESEAoOCAISCgoDEgFuCgMSAWRaFQoBYhIQCg4IAxIKCgMSAWQKAxIBbWIV"
    "CgFjEhAKDggGEgoKAxIBbgoDEgFtQgQKABAN"
)


@dataclass(frozen=True, slots=True)
class Near:
    """The passage of a document that is nearest, by the number of its vector, and how near: 1 is the same direction."""

    document_id: str
    n: int
    chunk_id: int
    cosine: float


def quantized(vectors: Floats) -> tuple[Floats, NDArray[np.int8]]:
    """Unit vectors as whole numbers from -127 to 127, and the scale of each that makes it one again."""
    largest = np.abs(vectors).max(axis=1, initial=0.0)
    scales = np.where(largest > 0, largest / 127, 1.0).astype(np.float32)
    return scales, np.rint(vectors / scales[:, None]).astype(np.int8)


def units(vectors: Sequence[Sequence[float]]) -> Floats:
    """The vectors at length 1; one that is not finite, or nothing, becomes one that is near to nothing."""
    found = np.nan_to_num(np.array(vectors, np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9), np.float32)


def likeness(asked: Floats, weights: Floats, texts: Sequence[NDArray[np.int8]]) -> list[float]:
    """For each text: every word that is asked for, by the word of the text that is nearest to it, weighted."""
    starts = np.cumsum([0, *(len(text) for text in texts[:-1])])
    nearest = np.maximum.reduceat(np.concatenate(texts).astype(np.float32) @ asked.T, starts, axis=0)
    told: list[float] = (nearest @ weights / 127 / (float(weights.sum()) or 1.0)).tolist()
    return told


class Nearest:
    """All vectors of one model. Many threads may ask while one adds."""

    def __init__(self, dimensions: int, capacity: int = 1024) -> None:
        self.dimensions = dimensions
        self.last = 0
        """The number of the last vector that was added."""
        self._lock = Lock()
        self._count = 0
        self._gone = 0
        self._rows = np.zeros((capacity, dimensions), np.int8)
        self._columns = np.zeros((dimensions, capacity), np.int8)
        self._scales = np.zeros(capacity, np.float32)
        self._offsets = np.zeros(capacity, np.float32)
        self._numbers = np.zeros(capacity, np.int64)
        self._chunks = np.zeros(capacity, np.int64)
        self._owners = np.zeros(capacity, np.int32)
        """By row, the document as a number: where it stands among all there were."""
        self._documents: list[str] = []
        self._owner_of: dict[str, int] = {}
        self._of: dict[str, list[int]] = {}
        self._product = session(_PRODUCT, 1)  # beside it, words are searched for

    def __len__(self) -> int:
        return self._count - self._gone

    def add(self, vectors: Sequence[Vector]) -> None:
        """Take in vectors, whose numbers follow on those that were added before."""
        fresh = [each for each in vectors if each.n > self.last and len(each.vector) == self.dimensions]
        if not fresh:
            return
        with self._lock:
            start, end = self._count, self._count + len(fresh)
            if end > len(self._scales):
                self._resize(int(end * _GROWTH) + 1024)
            found = np.frombuffer(b"".join(each.vector for each in fresh), np.int8).reshape(len(fresh), self.dimensions)
            self._rows[start:end] = found
            self._columns[:, start:end] = found.T
            self._offsets[start:end] = (
                (LEVELS + 1) * found.sum(axis=1, dtype=np.int32) * np.array([each.scale for each in fresh])
            )
            self._numbers[start:end] = [each.n for each in fresh]
            self._chunks[start:end] = [each.chunk_id for each in fresh]
            for row, each in enumerate(fresh, start):
                self._own(row, each.document_id)
            # Last: until here nobody who asks meanwhile finds them.
            self._scales[start:end] = [each.scale for each in fresh]
            self._count = end
            self.last = fresh[-1].n

    def drop(self, numbers: Iterable[int]) -> None:
        """Find the vectors of these numbers no more."""
        with self._lock:
            for n in numbers:
                row = int(np.searchsorted(self._numbers[: self._count], n))
                if row < self._count and self._numbers[row] == n and self._scales[row] > 0:
                    self._scales[row], self._offsets[row] = 0, _FAR
                    self._gone += 1
                    document_id = self._documents[self._owners[row]]
                    self._of[document_id] = [each for each in self._of[document_id] if each != row]
            if self._gone > SMALL and self._gone > self._count // 4:
                self._compact()

    def best(self, asked: Floats, floor: float, limit: int, among: Collection[str] | None = None) -> list[Near]:
        """The nearest passage of each document, nearest first: at most `limit`, none further off than `floor`.

        Only `among` these documents, where they are given: no other is compared at all.
        """
        with self._lock:
            rows = self._candidates(asked, floor, limit, among)
            cosines = self._cosines(rows, asked)
            order = np.argsort(-cosines, kind="stable")
            order = order[cosines[order] >= floor]
            _, first = np.unique(self._owners[rows[order]], return_index=True)
            return [
                Near(self._documents[self._owners[row]], int(self._numbers[row]), int(self._chunks[row]), float(cosine))
                for row, cosine in ((int(rows[at]), cosines[at]) for at in order[np.sort(first)[:limit]])
            ]

    def middle(self, document_id: str) -> Floats | None:
        """The unit vector amid those of a document's passages; `None` where it has none."""
        with self._lock:
            rows = np.array(self._of.get(document_id, ()), np.int64)
            if not len(rows):
                return None
            found = self._rows[rows].astype(np.float32) * self._scales[rows, None]
        return np.asarray(units(found.mean(axis=0, keepdims=True))[0], np.float32)

    def cosines(self, asked: Floats, document_ids: Iterable[str]) -> dict[str, float]:
        """How near the nearest passage of each of these documents is, of those that have any."""
        with self._lock:
            rows_of = {each: self._of[each] for each in document_ids if self._of.get(each)}
            rows = np.array([row for rows in rows_of.values() for row in rows], np.int64)
            cosines = self._cosines(rows, asked)
        told, at = {}, 0
        for document_id, rows_ in rows_of.items():
            told[document_id] = float(cosines[at : at + len(rows_)].max())
            at += len(rows_)
        return told

    def _candidates(self, asked: Floats, floor: float, limit: int, among: Collection[str] | None) -> NDArray[np.int64]:
        listed = None if among is None else [row for each in among for row in self._of.get(each, ())]
        if listed is not None and len(listed) <= SMALL:
            return np.array(listed, np.int64)
        if listed is None and self._count <= SMALL:
            return np.flatnonzero(self._scales[: self._count])
        rough, slack, rest = self._rough(asked)
        if listed is not None:
            inside = np.zeros(len(rough), bool)
            inside[listed] = True
            rough = np.where(inside, rough, np.float32(-2))
        close = np.flatnonzero(rough >= floor - slack)
        rough, owners = rough[close], self._owners[close]
        # Whole documents are chosen among, however many passages each has, and of each those that may be its nearest.
        best = np.full(len(self._documents), -2, np.float32)
        np.maximum.at(best, owners, rough)
        least = np.partition(best, -limit)[-limit] if limit < len(best) else np.float32(-2)
        near = best[owners]
        may = (near >= least - 2 * slack) & (rough >= near - 2 * slack)
        return self._best_of_each(close[may], rough[may], rest) if np.count_nonzero(may) > SMALL else close[may]

    def _best_of_each(self, rows: NDArray[np.int64], rough: Floats, rest: Floats) -> NDArray[np.int64]:
        """The nearest few passages of each document, by a product that misses by a hundredth as much."""
        finer = rough + self._rough(rest)[0][rows]
        order = np.lexsort((-finer, self._owners[rows]))
        owners = self._owners[rows[order]]
        place = np.arange(len(owners)) - np.searchsorted(owners, owners)
        return rows[order[place < OF_EACH]]

    def _rough(self, asked: Floats) -> tuple[Floats, float, Floats]:
        """How near every vector is, by a product of whole numbers, by how much that may miss, and what it left out."""
        step = float(np.abs(asked).max(initial=0.0)) / LEVELS or 1.0
        levels = np.rint(asked / step)
        shifted = (levels + (LEVELS + 1)).astype(np.uint8)[None, :]
        (product,) = self._product.run(None, {"a": shifted, "b": self._columns})
        rough = product[0, : self._count].astype(np.float32)
        rough *= self._scales[: self._count]
        rough -= self._offsets[: self._count]
        rough *= np.float32(step)
        missed = step * min(STEPS, self.dimensions**0.5 / 2) + 1e-5
        return np.asarray(rough, np.float32), missed, np.asarray(asked - levels * step, np.float32)

    def _cosines(self, rows: NDArray[np.int64], asked: Floats) -> Floats:
        products: Any = self._rows[rows].astype(np.float32) @ asked
        return np.asarray(products * self._scales[rows], np.float32)

    def _own(self, row: int, document_id: str) -> None:
        """The row is a passage of this document."""
        owner = self._owner_of.setdefault(document_id, len(self._documents))
        if owner == len(self._documents):
            self._documents.append(document_id)
        self._owners[row] = owner
        self._of.setdefault(document_id, []).append(row)

    def _resize(self, capacity: int) -> None:
        for name in _BY_ROW:
            held = getattr(self, name)
            grown = np.zeros((capacity, *held.shape[1:]), held.dtype)
            grown[: self._count] = held[: self._count]
            setattr(self, name, grown)
        columns = np.zeros((self.dimensions, capacity), np.int8)
        columns[:, : self._count] = self._columns[:, : self._count]
        self._columns = columns

    def _compact(self) -> None:
        """Give back the room of those that are gone."""
        kept = np.flatnonzero(self._scales[: self._count])
        documents = [self._documents[owner] for owner in self._owners[kept]]
        for name in _BY_ROW:
            setattr(self, name, getattr(self, name)[kept])
        self._columns = np.ascontiguousarray(self._columns[:, kept])
        self._count, self._gone = len(kept), 0
        self._documents, self._owner_of, self._of = [], {}, {}
        for row, document_id in enumerate(documents):
            self._own(row, document_id)
