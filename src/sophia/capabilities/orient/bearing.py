"""What bears on a goal: the entities and documents that its words find, cheaply, before anything is searched."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from sophia.capabilities.entities import resolve
from sophia.catalog.call import Reader
from sophia.search import lexicon

_WORDS = 6
"""How many words of a goal count: the longest, which are rare more often than not."""
_NAME_WORDS = 4
"""How many words a name may have that is looked for in a goal."""
_EACH = 100
"""How many of the newest passages and facts with a word are looked at, whoever may see them."""
_NAMED, _CALLED, _SAID = 20.0, 4.0, 1.0
"""What it counts that a goal names an entity, shares a word with its name, and with a fact about it."""

_DOCUMENTS = (
    "SELECT c.n, d.id FROM ({arms}) c CROSS JOIN chunk k ON k.id = c.row CROSS JOIN document d ON d.id = k.document_id"
    " WHERE d.status = 'active'"
)
_FACTS = (
    "SELECT c.n, f.entity_id AS id FROM ({arms}) c CROSS JOIN fact_index i ON i.id = c.row CROSS JOIN fact f"
    " ON f.id = i.fact_id WHERE f.status = 'current'"
)
_NAMES = "SELECT c.n, i.entity_id AS id FROM ({arms}) c CROSS JOIN entity_index i ON i.id = c.row"
_FOUND = {
    "document": ("chunk_fts", "body", _DOCUMENTS),
    "fact": ("fact_fts", "said", _FACTS),
    "name": ("entity_fts", "names", _NAMES),
}
"""By what the words are looked up: the index, its column, and how the caller's own rows are found by it."""


@dataclass(frozen=True)
class Bearing:
    """A goal, and what the caller can see that it is about."""

    db: Reader
    goal: str

    @cached_property
    def documents(self) -> list[str]:
        """The documents that share words with the goal, the rarest words first."""
        weights = self._weighed("document", self._words)
        return sorted(weights, key=lambda document_id: (-weights[document_id], document_id))[:_WORDS]

    @cached_property
    def entities(self) -> dict[str, float]:
        """How much each entity has to do with the goal, of those that have anything."""
        weights: dict[str, float] = defaultdict(float)
        for found in resolve.exact(self.db, _runs(self.goal)).values():
            for named in found:
                weights[named.entity_id] += _NAMED
        for kind, much in (("name", _CALLED), ("fact", _SAID)):
            for entity_id, weight in self._weighed(kind, self._words).items():
                weights[entity_id] += much * weight
        return weights

    @cached_property
    def _words(self) -> list[str]:
        return sorted(lexicon.terms(self.goal), key=lambda word: (-len(word), word))[:_WORDS]

    def _weighed(self, kind: str, words: Iterable[str]) -> dict[str, float]:
        """What the words find, each word counting once for each, and the more the less else it finds."""
        table, column, joined = _FOUND[kind]
        matches = [match for word in words if (match := lexicon.match_query(word, column))]
        if not matches:
            return {}
        arms = " UNION ALL ".join(
            f"SELECT * FROM (SELECT {n} AS n, rowid AS row FROM {table} WHERE {table} MATCH :match{n}"
            f" ORDER BY rowid DESC LIMIT {_EACH})"
            for n in range(len(matches))
        )
        values = {f"match{n}": match for n, match in enumerate(matches)}
        found = {(row["n"], row["id"]) for row in self.db.rows(joined.format(arms=arms), **values)}
        often = Counter(n for n, _ in found)
        weights: dict[str, float] = defaultdict(float)
        for n, found_id in found:
            weights[found_id] += 1 / (1 + often[n] / 10)
        return weights


def _runs(goal: str) -> list[str]:
    """Every run of a few words of the goal, which may be somebody's name."""
    words = goal.split()[:100]
    runs = [" ".join(words[at : at + many]) for at in range(len(words)) for many in range(1, _NAME_WORDS + 1)]
    return list(dict.fromkeys(run.strip(".,;:!?()\"'") for run in runs))
