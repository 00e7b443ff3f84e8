"""The predicates that are known from the start: what kind of value each takes, and how many."""

import re
from dataclasses import dataclass
from types import MappingProxyType

from sophia.capabilities.knowledge.values import ValueType

_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
MAX_NAME = 64


@dataclass(frozen=True, slots=True)
class Predicate:
    """What a fact may say of an entity. A single-valued one with two current objects is a contradiction."""

    name: str
    value_type: ValueType
    single_valued: bool
    inverse: str | None = None


def _one(name: str, value_type: ValueType) -> Predicate:
    return Predicate(name, value_type, single_valued=True)


def _many(name: str, value_type: ValueType = ValueType.TEXT) -> Predicate:
    return Predicate(name, value_type, single_valued=False)


def _link(name: str, inverse: str, *, single: bool = False) -> Predicate:
    return Predicate(name, ValueType.ENTITY, single, inverse)


BUILT_IN: tuple[Predicate, ...] = (
    # Whom and what it is
    _one("full_name", ValueType.TEXT),
    _one("legal_name", ValueType.TEXT),
    _many("also_known_as"),
    _one("description", ValueType.TEXT),
    _many("category"),
    _many("note"),
    _many("identifier"),
    _one("status", ValueType.TEXT),
    # How to reach it
    _many("email", ValueType.EMAIL),
    _many("phone"),
    _many("website", ValueType.URL),
    _many("profile_url", ValueType.URL),
    _one("address", ValueType.TEXT),
    _one("country", ValueType.TEXT),
    _one("time_zone", ValueType.TEXT),
    # People
    _one("born_on", ValueType.DATE),
    _one("died_on", ValueType.DATE),
    _many("nationality"),
    _many("speaks_language"),
    _one("job_title", ValueType.TEXT),
    _many("skill"),
    _many("likes"),
    _many("dislikes"),
    _many("allergic_to"),
    _link("lives_in", "residence_of", single=True),
    _link("residence_of", "lives_in"),
    _link("works_for", "employs"),
    _link("employs", "works_for"),
    _link("reports_to", "manages", single=True),
    _link("manages", "reports_to"),
    _link("member_of", "has_member"),
    _link("has_member", "member_of"),
    _link("parent_of", "child_of"),
    _link("child_of", "parent_of"),
    _link("spouse_of", "spouse_of"),
    _link("sibling_of", "sibling_of"),
    _link("knows", "knows"),
    _link("educated_at", "educated"),
    _link("educated", "educated_at"),
    # Organisations and what they own
    _one("founded_on", ValueType.DATE),
    _link("founded_by", "founder_of"),
    _link("founder_of", "founded_by"),
    _link("subsidiary_of", "has_subsidiary", single=True),
    _link("has_subsidiary", "subsidiary_of"),
    _link("owned_by", "owns"),
    _link("owns", "owned_by"),
    _link("customer_of", "has_customer"),
    _link("has_customer", "customer_of"),
    _one("revenue", ValueType.AMOUNT),
    _one("employee_count", ValueType.INTEGER),
    # Places
    _link("located_in", "location_of", single=True),
    _link("location_of", "located_in"),
    # Work, works and agreements
    _link("part_of", "has_part"),
    _link("has_part", "part_of"),
    _link("depends_on", "dependency_of"),
    _link("dependency_of", "depends_on"),
    _link("created_by", "created"),
    _link("created", "created_by"),
    _link("uses", "used_by"),
    _link("used_by", "uses"),
    _one("starts_on", ValueType.DATE),
    _one("ends_on", ValueType.DATE),
    _one("due_on", ValueType.DATE),
    _one("signed_on", ValueType.DATE),
    _one("happened_at", ValueType.DATETIME),
    _one("version", ValueType.TEXT),
    _one("licence", ValueType.TEXT),
    _one("price", ValueType.AMOUNT),
    _one("budget", ValueType.AMOUNT),
    _one("size", ValueType.QUANTITY),
    _one("weight", ValueType.QUANTITY),
    _link("related_to", "related_to"),
)
BY_NAME: MappingProxyType[str, Predicate] = MappingProxyType({predicate.name: predicate for predicate in BUILT_IN})


def is_name(text: str) -> bool:
    """Whether `text` can name a predicate: snake_case of at most MAX_NAME characters."""
    return len(text) <= MAX_NAME and _NAME.fullmatch(text) is not None


def unknown(name: str) -> Predicate:
    """What a predicate that nobody defined is: text, as many as are said."""
    return Predicate(name, ValueType.TEXT, single_valued=False)
