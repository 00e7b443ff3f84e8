"""The whole of what an agent can see: a table without a line here cannot be read through an agent's connection."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

LISTED = "(SELECT value FROM json_each(scope_ids()))"


@dataclass(frozen=True)
class Rule:
    """When a row is visible, beside belonging to the caller's user; and what of it needs more than that."""

    visible: str
    shown: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Columns that read NULL unless the condition holds."""
    refers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Columns that hold the id of a row of that table, where the schema does not say it."""
    journaled: bool = True
    """Whether every change is kept with its before and after. Derived indexes and the journal itself are not."""

    @property
    def shared(self) -> bool:
        """Whether no scope bounds the table: everybody reads it, and only those who see everything change it."""
        return "scope_all()" not in self.visible


def _source(column: str) -> str:
    return f"scope_all() OR {column} IS NULL OR EXISTS (SELECT 1 FROM document d WHERE d.id = {column})"


def _linked(noun: str, **shown: str) -> Rule:
    """Visible where all the entities are that it is linked to; without any link, to whoever sees everything."""
    return Rule(
        f"scope_all() OR (EXISTS (SELECT 1 FROM main.{noun}_entity l WHERE l.{noun}_id = {noun}.id)"
        f" AND NOT EXISTS (SELECT 1 FROM main.{noun}_entity o"
        f" WHERE o.{noun}_id = {noun}.id AND o.entity_id NOT IN {LISTED}))",
        shown=MappingProxyType(shown),
    )


def _of(noun: str, table: str, *, journaled: bool = True) -> Rule:
    """Visible with the row that it belongs to."""
    return Rule(f"scope_all() OR EXISTS (SELECT 1 FROM {noun} n WHERE n.id = {table}.{noun}_id)", journaled=journaled)


_SEEN = "{row}.entity_id IN {listed} AND ({row}.object_entity_id IS NULL OR {row}.object_entity_id IN {listed})"
_SUCCESSOR = (  # in full: a view cannot ask itself
    "scope_all() OR fact.superseded_by IS NULL OR EXISTS (SELECT 1 FROM main.fact s WHERE s.id = fact.superseded_by"
    f" AND {_SEEN.format(row='s', listed=LISTED)})"
)
_PARENT = (  # in full: a view cannot ask itself
    "scope_all() OR (EXISTS (SELECT 1 FROM main.goal_entity l WHERE l.goal_id = goal.parent_id)"
    " AND NOT EXISTS (SELECT 1 FROM main.goal_entity o"
    f" WHERE o.goal_id = goal.parent_id AND o.entity_id NOT IN {LISTED}))"
)


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "entity": Rule(f"scope_all() OR id IN {LISTED}"),
        "entity_alias": Rule(f"scope_all() OR entity_id IN {LISTED}"),
        "entity_merge": Rule(f"scope_all() OR (id IN {LISTED} AND into_id IN {LISTED})"),
        "entity_index": Rule(
            "scope_all() OR EXISTS (SELECT 1 FROM entity e WHERE e.id = entity_index.entity_id)", journaled=False
        ),
        "document": Rule(
            "scope_all() OR (EXISTS (SELECT 1 FROM main.document_entity l WHERE l.document_id = document.id)"
            " AND NOT EXISTS (SELECT 1 FROM main.document_entity o"
            f" WHERE o.document_id = document.id AND o.entity_id NOT IN {LISTED}))"
        ),
        "document_text": Rule("scope_all() OR EXISTS (SELECT 1 FROM document d WHERE d.id = document_text.id)"),
        "document_entity": Rule(
            "scope_all() OR EXISTS (SELECT 1 FROM document d WHERE d.id = document_entity.document_id)"
        ),
        "document_tag": Rule("scope_all() OR EXISTS (SELECT 1 FROM document d WHERE d.id = document_tag.document_id)"),
        "chunk": Rule(
            "scope_all() OR EXISTS (SELECT 1 FROM document d WHERE d.id = chunk.document_id)", journaled=False
        ),
        "folder": Rule(f"scope_all() OR id IN {LISTED}"),
        "folder_scan": Rule(f"scope_all() OR id IN {LISTED}", journaled=False),
        "ingest_file": Rule(
            f"scope_all() OR (folder_id IN {LISTED} AND (document_id IS NULL"
            " OR EXISTS (SELECT 1 FROM document d WHERE d.id = ingest_file.document_id)))",
            journaled=False,
        ),
        "import_wish": Rule("scope_all()", journaled=False),
        "import_session": Rule("scope_all() OR connection_id = scope_connection()"),
        "import_session_use": Rule(
            "scope_all() OR EXISTS (SELECT 1 FROM import_session s WHERE s.id = import_session_use.id)",
            journaled=False,
        ),
        "chunk_place": Rule(
            "scope_all() OR EXISTS (SELECT 1 FROM document d WHERE d.id = chunk_place.document_id)", journaled=False
        ),
        "chunk_vector": Rule(
            "scope_all() OR EXISTS (SELECT 1 FROM chunk_place c WHERE c.id = chunk_vector.chunk_id)", journaled=False
        ),
        "chunk_vector_gone": Rule("scope_all()", journaled=False),
        "predicate": Rule("1"),
        "fact": Rule(
            f"scope_all() OR ({_SEEN.format(row='fact', listed=LISTED)})",
            shown={
                column: _source("fact.source_id")
                for column in ("source_id", "source_sha256", "quote", "quote_start", "quote_end", "quote_match")
            }
            | dict.fromkeys(("superseded_by", "superseded_reason"), _SUCCESSOR),
            refers=MappingProxyType({"superseded_by": "fact"}),
        ),
        "fact_clash": Rule(f"scope_all() OR entity_id IN {LISTED}", journaled=False),
        "fact_dispute": Rule(
            "scope_all() OR (EXISTS (SELECT 1 FROM fact f WHERE f.id = fact_dispute.fact_id)"
            " AND EXISTS (SELECT 1 FROM fact f WHERE f.id = fact_dispute.by_fact_id))"
        ),
        "rejected_value": Rule(f"scope_all() OR ({_SEEN.format(row='rejected_value', listed=LISTED)})"),
        "fact_index": Rule(
            "scope_all() OR EXISTS (SELECT 1 FROM fact f WHERE f.id = fact_index.fact_id)", journaled=False
        ),
        "goal": _linked("goal", parent_id=_PARENT),
        "goal_entity": _of("goal", "goal_entity"),
        "decision": _linked("decision"),
        "decision_entity": _of("decision", "decision_entity"),
        "question": _linked("question"),
        "question_entity": _of("question", "question_entity"),
        "question_fact": Rule(
            "scope_all() OR (EXISTS (SELECT 1 FROM question q WHERE q.id = question_fact.question_id)"
            " AND EXISTS (SELECT 1 FROM fact f WHERE f.id = question_fact.fact_id))"
        ),
        "interrupt": _linked("interrupt"),
        "interrupt_entity": _of("interrupt", "interrupt_entity"),
        "briefing": _linked(
            "briefing", goal_id="scope_all() OR EXISTS (SELECT 1 FROM goal g WHERE g.id = briefing.goal_id)"
        ),
        "briefing_entity": _of("briefing", "briefing_entity"),
        "tombstone": Rule("scope_all()"),
        "forgotten_value": Rule("scope_all()"),
        "page": _linked("page"),
        "page_revision": _of("page", "page_revision"),
        "page_redirect": _of("page", "page_redirect"),
        "page_entity": _of("page", "page_entity"),
        "page_link": _of("page", "page_link", journaled=False),
        "page_chunk": _of("page", "page_chunk", journaled=False),
        "mutation": Rule(
            "scope_all() OR (EXISTS (SELECT 1 FROM main.mutation_change c WHERE c.mutation_seq = mutation.seq)"
            " AND NOT EXISTS (SELECT 1 FROM main.mutation_change c WHERE c.mutation_seq = mutation.seq"
            " AND NOT EXISTS (SELECT 1 FROM mutation_change v WHERE v.n = c.n)))",
            journaled=False,
        ),
        "mutation_change": Rule("scope_all() OR {change_visible}", journaled=False),
        "mutation_revert": Rule(
            "scope_all() OR EXISTS (SELECT 1 FROM mutation m WHERE m.seq = mutation_revert.reverts_seq)",
            journaled=False,
        ),
    }
)

INDEXES: Mapping[str, str] = MappingProxyType(
    {"chunk_fts": "body", "entity_fts": "names", "fact_fts": "said", "page_fts": "body"}
)
"""Full-text indexes, behind `search/fts.py`: contentless, so that no text can be read from them."""
INDEXED: Mapping[str, str] = MappingProxyType(
    {"chunk_fts": "chunk", "entity_fts": "entity_index", "fact_fts": "fact_index", "page_fts": "page_chunk"}
)
"""Of each full-text index the table whose rows have its row numbers."""

DERIVED = frozenset(
    name for name, rule in RULES.items() if not rule.journaled and not name.startswith("mutation")
) | set(INDEXES)
"""What can be made anew from the rest, or from the files: written by SQL, with the rows that it is made from."""
