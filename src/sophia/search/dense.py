"""The dense signal: which passages mean what is asked, in whatever words."""

import hashlib
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from threading import Lock, RLock
from typing import Any

from sophia.core.errors import SophiaError
from sophia.core.model import Model
from sophia.search import provider, vectors
from sophia.search.ports import Rows
from sophia.search.provider import Embeddings, ModelMissing, Numbers, Provider, Question

QUESTIONS = 256
"""So many questions are remembered with their vectors."""
TEXTS = 256
"""So many texts are remembered with the vectors of their words: 20 MB at most."""
PROBES = (
    "xqzvbn trelkop", "flurbic znorgle", "wbxpvtmihn", "blorptastic wug", "qwertzu asdfgh", "ohvgl ricmhf zpkra",
    "nlfrpev dka", "zyozpj uuqel",
)  # fmt: skip
"""Words that mean nothing: what is no nearer than they come is found for nobody."""
ABOVE_PROBES = 0.02
THREADS = 2
"""Searches ask in these while the words are searched for. A question is asked in tenths of that time."""
_log = logging.getLogger("sophia.search")
Read = Callable[[], AbstractContextManager[Rows]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as a model has it, for the index of the vectors of that same model."""

    question: Question
    _serving: "Serving"
    _floor: float
    _asked_for: int = 0
    _first: Sequence[Any] = ()

    @property
    def known(self) -> bool:
        """Whether the model knows any of its words."""
        return self.question.known

    def best(self, limit: int, among: Collection[str] | None = None) -> Sequence[Any]:
        """The nearest passage of each document (`nearest.Near`), of these documents only where they are given."""
        if among is None and limit == self._asked_for:
            return self._first
        found: Sequence[Any] = self._serving.nearest.best(self.question.vector, self._floor, limit, among)
        return found

    def cosines(self, document_ids: Iterable[str]) -> dict[str, float]:
        """How near each of these documents comes, of those that have vectors."""
        told: dict[str, float] = self._serving.nearest.cosines(self.question.vector, document_ids)
        return told

    def likeness(self, texts: Sequence[str], budget_s: float) -> list[float] | None:
        """How well each text's words answer those of the question; `None` where that would take longer."""
        return self._serving.words.likeness(self.question, texts, budget_s)


class Words:
    """The vectors of texts' words, made when they are first compared, and kept for a while."""

    def __init__(self, made_by: Provider, each_s: float = 0.008) -> None:
        self._provider = made_by
        self._each_s = each_s
        self._held: OrderedDict[bytes, Numbers] = OrderedDict()
        self._lock = Lock()

    def likeness(self, question: Question, texts: Sequence[str], budget_s: float) -> list[float] | None:
        """For each text: the words of the question, each by its nearest word of the text, weighted."""
        if question.tokens is None or not texts:
            return None
        keys = [hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts]
        with self._lock:
            held = {key: self._held[key] for key in keys if key in self._held}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in held}
        if len(missing) * self._each_s > budget_s:
            return None
        if missing:
            began = time.monotonic()
            made = self._provider.tokens(list(missing.values()))
            if made is None:
                return None
            each_s = (time.monotonic() - began) / len(missing)
            self._each_s += (each_s - self._each_s) / 4
            held |= dict(zip(missing, made, strict=True))
        self._keep(held)
        told: list[float] = import_module("sophia.search.nearest").likeness(
            question.tokens, question.weights, [held[key] for key in keys]
        )
        return told

    def _keep(self, held: dict[bytes, Numbers]) -> None:
        with self._lock:
            for key, made in held.items():
                self._held[key] = made
                self._held.move_to_end(key)
            while len(self._held) > TEXTS:
                self._held.popitem(last=False)


class Serving:
    """One model at work: its provider, and the index of its vectors. No other model's vector ever comes here."""

    def __init__(self, made_by: Provider) -> None:
        self.provider = made_by
        self.nearest: Any = None
        self.words = Words(made_by)
        self.gone = 0
        """Up to which number of `chunk_vector_gone` the index knows what went."""
        self._floor = made_by.floor
        self._questions: OrderedDict[str, Question | None] = OrderedDict()
        self._lock = Lock()

    @property
    def model_id(self) -> str:
        return self.provider.model_id

    @property
    def floor(self) -> float:
        """How near a passage must come; found out by nonsense where the provider does not know."""
        return self.measured(awaited=True)

    def measured(self, *, awaited: bool) -> float:
        """The same, by an answer that somebody waits for or nobody does."""
        if self._floor is None:
            probes = self.provider.embedded(PROBES, awaited=awaited)
            near = [found[0].cosine for each in probes if (found := self.nearest.best(each, -1.0, 1))]
            self._floor = max(near, default=0.0) + ABOVE_PROBES
        return self._floor

    def caught_up(self, db: Rows) -> None:
        """Take into the index what came and went since."""
        gone = vectors.gone(db, self.gone)
        if self.nearest is not None:
            self.nearest.drop(vector for _, vector, _ in gone)
        self.gone = gone[-1][0] if gone else self.gone
        for some in vectors.after(db, self.model_id, self.nearest.last if self.nearest else 0):
            if self.nearest is None:
                room = vectors.models(db)[self.model_id] * 21 // 20 + 1024
                self.nearest = import_module("sophia.search.nearest").Nearest(len(some[0].vector), room)
            self.nearest.add(some)

    def question(self, text: str) -> Question | None:
        """What is asked for, as the model has it."""
        with self._lock:
            if text in self._questions:
                self._questions.move_to_end(text)
                return self._questions[text]
        asked = self.provider.question(text)
        with self._lock:
            self._questions[text] = asked
            while len(self._questions) > QUESTIONS:
                self._questions.popitem(last=False)
        return asked


class Dense:
    """The dense signal of a house, by the provider that the owner chose. Nothing is loaded before it is needed."""

    def __init__(self, chosen: Embeddings, read: Read) -> None:
        self._chosen = chosen
        self._read = read
        self._lock = RLock()
        self._provider: Provider | None = None
        self._serving: Serving | None = None
        self._hindered: SophiaError | None = None
        self._looked = False
        self._threads = ThreadPoolExecutor(THREADS, "sophia-dense")
        if self.wanted:
            provider.kind_of(chosen.provider)  # a name that is not registered is refused here, at the start

    @property
    def wanted(self) -> bool:
        """Whether the owner asked for a dense signal at all."""
        return self._chosen.provider != "none"

    @property
    def told(self) -> Model:
        """How the signal stands."""
        if not self.wanted:
            return Model(False)
        hindered = self._looked_at()
        if hindered is not None:
            return Model(False, None, None if isinstance(hindered, ModelMissing) else hindered.message)
        with self._lock:
            serving, chosen = self._serving, self._provider
            told = [each.trouble for each in (serving.provider if serving else None, chosen) if each]
            trouble = next(filter(None, told), None)
            return Model(True, serving.model_id if serving else self.chosen_id, trouble)

    @property
    def chosen_id(self) -> str:
        """The model of the owner's choice, whether it is loaded or not."""
        return provider.kind_of(self._chosen.provider).model_id(self._chosen)

    def loaded(self) -> Provider | None:
        """The chosen provider, loaded; `None` where there is none, for a reason that `told` tells."""
        with self._lock:
            if self._provider is None and self.wanted and self._looked_at() is None:
                try:
                    made = provider.made(self._chosen)
                except SophiaError as error:
                    self._hindered = error
                    return None
                self._provider = self._measured(made)
            return self._provider

    def ask(self, query: str, first: int = 0) -> Callable[[], Asked | None]:
        """Begin to ask, in another thread, also for the `first` nearest of all; what comes back waits for the end.

        `None` is at the end where there is no such signal, or it cannot be asked this.
        """
        if not self.wanted or self._hindered is not None:
            return lambda: None
        return self._threads.submit(self._asked, query, first).result

    def _asked(self, query: str, first: int) -> Asked | None:
        try:
            serving = self._ready()
            if serving is None or serving.nearest is None:
                return None
            question = serving.question(query)
            if question is None:
                return None
            if not first or not question.known:
                return Asked(question, serving, serving.floor)
            nearest = serving.nearest.best(question.vector, serving.floor, first)
            return Asked(question, serving, serving.floor, first, nearest)
        except Exception as error:  # noqa: BLE001 - whatever becomes of meaning, the words are searched
            _log.warning("the dense signal is left out: %s", _said(error))
            return None

    def measure(self) -> None:
        """Find out, while nobody waits, how near is near enough, where an index is in memory and that is not known."""
        with self._lock:
            serving = self._serving
        if serving is not None and serving.nearest is not None:
            serving.measured(awaited=False)

    def like(self, document_id: str) -> Asked | None:
        """A document itself as what is asked for; `None` where there is no such signal, or it has no vectors yet."""
        if not self.wanted or self._hindered is not None:
            return None
        try:
            serving = self._ready()
            middle = None if serving is None or serving.nearest is None else serving.nearest.middle(document_id)
            return None if serving is None or middle is None else Asked(Question(middle), serving, serving.floor)
        except Exception as error:  # noqa: BLE001 - whatever becomes of meaning, the words are compared
            _log.warning("the dense signal is left out: %s", _said(error))
            return None

    def serve(self, model_id: str) -> None:
        """Answer by this model from now on, all whose vectors are there."""
        with self._lock:
            if self._serving is not None and self._serving.model_id != model_id:
                self._serving = None

    def close(self) -> None:
        """End its threads."""
        self._threads.shutdown()

    def catch_up(self, db: Rows) -> int | None:
        """Take in what was committed, where an index is in memory; up to which number it knows what went."""
        with self._lock:
            if self._serving is None:
                return None
            self._serving.caught_up(db)
            return self._serving.gone

    def _ready(self) -> Serving | None:
        with self._lock:
            if self._serving is None:
                chosen = self.loaded()
                if chosen is None:
                    return None
                with self._read() as db:
                    serving = Serving(self._choice(db, chosen))
                    serving.caught_up(db)
                self._serving = serving
            return self._serving

    def _choice(self, db: Rows, chosen: Provider) -> Provider:
        """The chosen model once it has most of the vectors; until then the one that has, where it can be had."""
        held = vectors.models(db)
        for model_id in sorted(held, key=lambda each: -held[each]):
            if held[model_id] <= held.get(chosen.model_id, 0) or model_id == chosen.model_id:
                break
            former = provider.of_model(model_id, self._chosen)
            if former is not None:
                return self._measured(former)
        return chosen

    def _measured(self, made: Provider) -> Provider:
        """The provider, which knows from here on how long the vectors are that are kept of its model."""
        with self._read() as db:
            kept = vectors.dimensions(db, made.model_id)
        if kept is not None:
            made.expect(kept)
        return made

    def _looked_at(self) -> SophiaError | None:
        """What hinders the chosen provider; looked for once, since what would change it is another start."""
        with self._lock:
            if not self._looked:
                self._hindered = provider.kind_of(self._chosen.provider).hindered(self._chosen)
                self._looked = True
            return self._hindered


def _said(error: Exception) -> str:
    """What a log may hold of an error: the words where they are ours, and else the kind."""
    return error.message if isinstance(error, SophiaError) else type(error).__name__
