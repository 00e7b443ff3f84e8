"""MiniLM at work: texts in, unit vectors out, for the whole and for each word."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from sophia.search.lexicon import STOP_WORDS
from sophia.search.packaged import MODEL_ID
from sophia.search.provider import Question
from sophia.search.runtime import session

Floats = NDArray[np.float32]
LONGEST = 256
"""Word pieces of a text that the model reads."""
TOGETHER = 8
THREADS = 2
_ORDINARY = 1996
"""The vocabulary is ordered by how often its pieces come, from this number on: the first is `the`."""
_OTHER_SCRIPT = re.compile("[\u0370-\u1dff\u2e80-\ud7ff\uf900-\ufaff\ufb1d-\ufdff\ufe70-\ufeff\U00010000-\U0001efff"
                           "\U00020000-\U0003ffff]")  # fmt: skip
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_PLAIN = re.compile("[a-z]{2,}")


class MiniLM:
    """The model; several threads may use it at once."""

    model_id = MODEL_ID
    floor = 0.3
    """Of 80 made-up words and phrases, asked of 1,400 abstracts, one in 33 came nearer than this to any; of 225 real
    questions all did."""

    def __init__(self, weights: bytes, vocabulary: bytes) -> None:
        self._session = session(weights, THREADS)
        self._words = Tokenizer.from_str(vocabulary.decode())
        self._words.no_padding()
        self._words.enable_truncation(LONGEST)

    trouble = None

    def expect(self, _: int) -> None:
        """Its vectors have one length."""

    def embedded(self, texts: Sequence[str], *, awaited: bool = False) -> Floats:  # noqa: ARG002 - it is as fast as can be
        """A unit vector for each text, one a row."""
        found = np.zeros((len(texts), 384), np.float32)
        for at, words in self._read(texts):
            found[at] = _unit(words.mean(axis=0))
        return found

    def question(self, text: str) -> Question | None:
        """What is asked for; `None` for other scripts than Latin: the vocabulary has hardly a word of them."""
        others = len(_OTHER_SCRIPT.findall(text))
        if others and others * 4 > len(_LATIN.findall(text)):
            return None
        encoded = self._words.encode(text)
        (words,) = self._run([encoded])
        ranks = np.maximum(np.array(encoded.ids) - _ORDINARY, 0)
        weights = np.log1p(ranks).astype(np.float32)
        weights[[0, -1]] = 0  # the marks of beginning and end
        return Question(_unit(words.mean(axis=0)), _units(words), weights, _knows(encoded))

    def tokens(self, texts: Sequence[str]) -> list[NDArray[np.int8]]:
        """A unit vector for each word of each text, times 127 and rounded."""
        found: list[Any] = [None] * len(texts)
        for at, words in self._read(texts):
            found[at] = np.rint(_units(words) * 127).astype(np.int8)
        return found

    def _read(self, texts: Sequence[str]) -> list[tuple[int, Floats]]:
        """The vectors of each text's words, with the text's place; those of like length are read together."""
        encoded = self._words.encode_batch(list(texts))
        order = sorted(range(len(texts)), key=lambda at: len(encoded[at].ids))
        told: list[tuple[int, Floats]] = []
        for start in range(0, len(order), TOGETHER):
            some = order[start : start + TOGETHER]
            told += zip(some, self._run([encoded[at] for at in some]), strict=True)
        return told

    def _run(self, encoded: Sequence[Encoding]) -> list[Floats]:
        longest = max(len(each.ids) for each in encoded)
        ids = np.zeros((len(encoded), longest), np.int64)
        mask = np.zeros_like(ids)
        for row, each in enumerate(encoded):
            ids[row, : len(each.ids)] = each.ids
            mask[row, : len(each.ids)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states: Any = self._session.run(None, given)[0]
        return [states[row, : len(each.ids)] for row, each in enumerate(encoded)]


def _unit(vector: Any) -> Any:
    return vector / max(float(np.linalg.norm(vector)), 1e-9)


def _units(vectors: Any) -> Any:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def _knows(encoded: Encoding) -> bool:
    """Whether one of the words stands in the vocabulary as it is: made-up ones come apart into pieces."""
    pieces = encoded.tokens[1:-1]
    return any(
        _PLAIN.fullmatch(piece) and piece not in STOP_WORDS and not after.startswith("##")
        for piece, after in zip(pieces, [*pieces[1:], ""], strict=True)
    )
