"""search_documents over 100,000 passages, against the full-text index alone on the same table: in one process."""

import random
import tempfile
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from unittest.mock import patch

import apsw
import numpy as np

from benchmarks.bench import Bench
from benchmarks.figures import Figure, percentile
from benchmarks.serving.house import settings
from sophia.capabilities.documents import intake
from sophia.capabilities.documents.intake import Act, Place, Text
from sophia.capabilities.entities import records as entities
from sophia.core.caller import Caller, Owner
from sophia.core.scope import Scope
from sophia.core.secrets.masking import Masking
from sophia.core.source_text import Origin
from sophia.opening import Opened, opened
from sophia.search import blend, packaged, provider
from sophia.search.dense import Words
from sophia.search.lexicon import match_query
from sophia.search.nearest import quantized
from sophia.search.provider import Embeddings, Numbers, Question
from sophia.store.engine import connect
from sophia.store.journal import Entry

CHUNKS = 100_000
TOGETHER = 250
WORDS_EACH = 1_600
ENTITIES = 100
"""Every document is linked to one of so many: a connection that is scoped to one sees a hundredth."""
CALLS = 60
COMPARED = 12
WORDS = 20_000
DIMENSIONS = 384
CLUSTERS = 50
SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu")
_ALONE = "SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH ? ORDER BY bm25(chunk_fts, 1.0, 0.0) LIMIT 20"
_PUT = (
    "INSERT INTO main.chunk_vector (user_id, chunk_id, model_id, dimensions, scale, vector)"
    " VALUES (:user_id, :chunk_id, :model_id, :dimensions, :scale, :vector)"
)
_CENTRES = np.random.default_rng(5).standard_normal((CLUSTERS, DIMENSIONS)).astype(np.float32)


class Synthetic:
    """Directions about so many centres, instead of a model's: what is measured is the comparing."""

    model_id = packaged.MODEL_ID
    floor = 0.3

    def expect(self, dimensions: int) -> None:
        assert dimensions == DIMENSIONS

    def embedded(self, texts: list[str], *, awaited: bool = True) -> Numbers:
        return np.stack([_about(np.random.default_rng(zlib.crc32(text.encode())), 1.0) for text in texts])

    def question(self, text: str) -> Question:
        return Question(_about(np.random.default_rng(zlib.crc32(text.encode())), 0.5))

    def tokens(self, _: list[str]) -> None:
        return None


@dataclass(frozen=True)
class Filled:
    """The house, a connection beneath it, and who asks."""

    house: Opened
    alone: apsw.Connection
    chunks: int
    scoped: Caller

    @property
    def owner(self) -> Caller:
        return self.house.parts.owner


def measured(bench: Bench) -> list[Figure]:
    """The middle of the searches' times in microseconds, and megabytes."""
    with tempfile.TemporaryDirectory(dir=bench.place) as made:
        bench.say(f"adding {CHUNKS:,} passages")
        house = opened(settings(Path(made)))
        alone = connect(house.ownership, house.ownership.directory / "state.db", house.keys.state)
        try:
            entity_ids = _fill(house)
            chunks = alone.execute("SELECT count(*) FROM chunk").get
            scoped = Owner(house.parts.owner.user_id, Scope(frozenset(entity_ids[:1])))
            filled = Filled(house, alone, chunks, scoped)
            bench.say("search_documents")
            with patch.object(provider, "made", lambda _: Synthetic()):
                figures = _both(filled, bench.rounds)
            bench.say("the packaged model")
            return figures + _model(filled)
        finally:
            alone.close()
            house.close()


def _both(filled: Filled, rounds: int) -> list[Figure]:
    before = _resident()
    _search(filled, filled.owner, "ba", rerank=False)
    index = _resident() - before
    told = [_round(filled) for _ in range(rounds + 1)][1:]
    own, scoped, other = ([each[n] for each in told] for n in range(3))
    against = f"FTS5 alone, {percentile(other, 0.5):.0f} µs"
    whole = f"search_documents, two words, both signals, {filled.chunks:,} chunks, p50"
    ratios = [a / b for a, b in zip(own, other, strict=True)]
    part = [a / b for a, b in zip(scoped, own, strict=True)]
    return [
        Figure(whole, "µs", own, against, ratios, 2.0),
        Figure("the same, scoped to 1 %", "µs", scoped, "the whole", part, 0.5),
        Figure(f"memory of {filled.chunks:,} vectors of {DIMENSIONS}", "MB", [index]),
    ]


def _round(filled: Filled) -> tuple[float, float, float]:
    """Side by side, query by query: what else the machine does meets all three."""
    own, scoped, other = [], [], []
    for query in _queries(CALLS):
        own.append(_search(filled, filled.owner, query, rerank=False))
        scoped.append(_search(filled, filled.scoped, query, rerank=False))
        match = f"body : ({match_query(query)})"
        began = time.perf_counter_ns()
        filled.alone.execute(_ALONE, (match,)).fetchall()
        other.append((time.perf_counter_ns() - began) / 1000)
    return percentile(own, 0.5), percentile(scoped, 0.5), percentile(other, 0.5)


def _model(filled: Filled) -> list[Figure]:
    """What the real model adds: to the memory, to a question, and where the words of the best are compared."""
    before = _resident()
    model = provider.made(Embeddings("packaged"))
    model.embedded(["to be warm"])
    memory = _resident() - before
    asked = []
    for query in _queries(CALLS):
        began = time.perf_counter_ns()
        model.question(query)
        asked.append((time.perf_counter_ns() - began) / 1000)
    return [
        Figure("memory of the packaged model", "MB", [memory]),
        Figure("a question to the packaged model, p50", "µs", [percentile(asked, 0.5)]),
        *_rerank(model),
    ]


def _rerank(model: provider.Provider) -> list[Figure]:
    chance = random.Random(13)
    first: list[float] = []
    again: list[float] = []
    for query in _queries(COMPARED):
        texts = [" ".join(_word(chance) for _ in range(120)) for _ in range(blend.COMPARED)]
        question = model.question(query)
        assert question is not None
        words = Words(model)
        for times in (first, again):
            began = time.perf_counter_ns()
            assert words.likeness(question, texts, 600.0) is not None
            times.append((time.perf_counter_ns() - began) / 1000)
    return [
        Figure("rerank adds, texts seen for the first time, p50", "µs", [percentile(first, 0.5)]),
        Figure("rerank adds, texts that were compared before, p50", "µs", [percentile(again, 0.5)]),
    ]


def _fill(house: Opened) -> list[str]:
    """Documents of many passages each, and a vector for every passage; the ids of the entities they belong to."""
    owner, ids, state = house.parts.owner, house.parts.ids, house.databases.state
    entry = Entry(owner.user_id, owner.connection_id, owner.name, "sophia.bench", "call-bench", house.parts.clock.now())
    entity_ids = [ids.new("e") for _ in range(ENTITIES)]
    with state.writing(owner, entry) as unit:
        for n, entity_id in enumerate(entity_ids):
            entities.insert(unit.tx, entity_id, entry.at, kind="thing", name=f"Thing {n}")
    texts = _texts()
    act = Act(owner.user_id, owner.connection_id, entry.at, ids.new)
    made = passages = 0
    while passages < CHUNKS:
        with state.writing(owner, entry) as unit:
            begun = []
            for text in islice(texts, TOGETHER):
                place = Place(Origin.OWNER, None, None, (entity_ids[made % ENTITIES],))
                begun.append(intake.add(unit.tx, text, place, act))
                made, passages = made + 1, passages + len(text.chunks)
            intake.settle(unit.tx, begun)
    with state.reading(owner) as db:
        chunk_ids = [row["id"] for row in db.rows("SELECT c.id FROM chunk_place c ORDER BY c.id")]
    chance = np.random.default_rng(17)
    for start in range(0, len(chunk_ids), 5_000):
        some = chunk_ids[start : start + 5_000]
        scales, whole = quantized(np.stack([_about(chance, 1.0) for _ in some]))
        with state.writing(owner, entry) as unit:
            for chunk_id, scale, vector in zip(some, scales, whole, strict=True):
                unit.tx.index(
                    _PUT, user_id=owner.user_id, chunk_id=chunk_id, model_id=Synthetic.model_id,
                    dimensions=DIMENSIONS, scale=float(scale), vector=vector.tobytes(),
                )  # fmt: skip
    return entity_ids


_MASKING = Masking(lambda value: value.hex(), lambda _: (), lambda: "")


def _texts() -> Iterator[Text]:
    chance = random.Random(7)
    n = 0
    while True:
        n += 1
        yield Text.of(f"Text {n}", " ".join(_word(chance) for _ in range(WORDS_EACH)), "text/plain", _MASKING)


def _about(chance: np.random.Generator, spread: float) -> Numbers:
    made = _CENTRES[chance.integers(0, CLUSTERS)] + spread * chance.standard_normal(DIMENSIONS).astype(np.float32)
    return (made / np.linalg.norm(made)).astype(np.float32)


def _word(chance: random.Random) -> str:
    """A word as texts have them: a few come again and again, most hardly ever."""
    n = int(WORDS * chance.random() ** 3)
    return "".join(SYLLABLES[n // len(SYLLABLES) ** place % len(SYLLABLES)] for place in range(4))


def _queries(many: int) -> list[str]:
    chance = random.Random(11)
    return [f"{_word(chance)} {_word(chance)}" for _ in range(many)]


def _search(filled: Filled, caller: Caller, query: str, *, rerank: bool) -> float:
    """Microseconds of one search."""
    began = time.perf_counter_ns()
    answer = filled.house.parts.dispatcher.call(caller, "sophia.search_documents", {"query": query, "rerank": rerank})
    taken = (time.perf_counter_ns() - began) / 1000
    assert not answer.is_error, answer.payload
    return taken


def _resident() -> float:
    """Megabytes of this process that are in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20
