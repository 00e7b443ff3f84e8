"""Changing what is known."""

from typing import Annotated

from msgspec import Meta

from sophia.capabilities.entities import records as entities, resolve
from sophia.capabilities.knowledge import graph as judgement, records, registry, times
from sophia.capabilities.knowledge.claims import ClaimId, Claims, NewEntities, Time, Verdicts
from sophia.capabilities.knowledge.graph import End, Graph
from sophia.capabilities.knowledge.predicates import BY_NAME, Predicate, is_name
from sophia.capabilities.knowledge.recording import Recorder, Statement
from sophia.capabilities.knowledge.records import Fact
from sophia.capabilities.knowledge.registry import PredicateRow
from sophia.capabilities.knowledge.trust import Tier
from sophia.capabilities.knowledge.values import BadValue, ValueType, parsed
from sophia.catalog.call import WriteCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.caller import Owner
from sophia.core.errors import Ambiguous, BadArguments, NotFound
from sophia.core.page import Row
