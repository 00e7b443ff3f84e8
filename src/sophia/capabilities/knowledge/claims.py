"""Claims as they are made, and the verdicts that they get."""

from typing import Annotated

import msgspec
from msgspec import Meta

from sophia.capabilities.knowledge.rejections import RejectedBy
from sophia.capabilities.knowledge.values import ValueType
from sophia.core.page import Row

MAX_CLAIMS = 100
MAX_HINTS = 16_000
"""Bytes of hints, and of who rejected what and why, in one answer: with more, the verdicts of a large graph would
not fit."""
ClaimId = Annotated[str, Meta(min_length=1, max_length=64)]
PredicateName = Annotated[str, Meta(min_length=1, max_length=100, description="snake_case; see list_predicates.")]
Time = Annotated[str, Meta(max_length=40, description="Date or RFC 3339 time.")]


class Claim(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One statement about an entity, and the words of the source that say it."""

    id: ClaimId
    entity: Annotated[str, Meta(min_length=1, max_length=200, description="Id, or a name that is exactly one's.")]
    predicate: Annotated[str, Meta(min_length=1, max_length=100, description="snake_case; see list_predicates.")]
    object: Annotated[str, Meta(min_length=1, max_length=2000)]
    quote: Annotated[str, Meta(description="1 to 300 characters, literally as in the source.")]
    object_type: ValueType | None = None
    quote_start: Annotated[int, Meta(ge=0, le=2**53 - 1, description="Which of several places is meant.")] | None = None
    observed_at: Time | None = None
    valid_from: Time | None = None
    valid_to: Time | None = None
    depends_on: Annotated[list[ClaimId], Meta(max_length=MAX_CLAIMS, description="Ids of claims that must stand.")] = []


class NewEntity(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entity that the claims speak of and that may not be there yet."""

    name: Annotated[str, Meta(min_length=1, max_length=200)]
    kind: Annotated[str, Meta(min_length=1, max_length=60)]


class Verdict(Row, frozen=True):
    """What became of one claim."""

    id: str
    accepted: bool
    fact_id: str | None = None
    trust_tier: str | None = None
    quote_match: str | None = None
    quote_start: int | None = None
    quote_end: int | None = None
    reason: str | None = None
    hint: str | None = None
    rejected: RejectedBy | None = None


class Verdicts(Row, frozen=True):
    """The verdict of each claim, in the order of the claims."""

    verdicts: list[Verdict]
    accepted: int
    rejected: int


class MadeEntity(Row, frozen=True):
    """An entity that a graph of claims had made."""

    entity_id: str
    name: str
    kind: str


class Submitted(Verdicts, frozen=True):
    """The verdicts, and the entities that were made for the claims that stand."""

    entities: list[MadeEntity] = []  # noqa: RUF012 (a struct copies it)


Claims = Annotated[list[Claim], Meta(min_length=1, max_length=MAX_CLAIMS)]
NewEntities = Annotated[
    list[NewEntity],
    Meta(max_length=MAX_CLAIMS, description="Entities to make where there is none; the owner is asked."),
]
