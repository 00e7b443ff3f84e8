"""The surface that is measured: Sophia's own tools, one read whose SQL everybody shares, and padding up to 180."""

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from benchmarks.ground import FACTS_OF
from sophia.catalog.call import ReadCall, WriteCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.page import Listed, Page, Row
from sophia.surface import GROUPS

TOOLS = 180
_ACTS = ("query", "list", "find", "compare", "explain", "trace", "rank", "count", "outline", "check")
_NOUNS = (
    "ledgers", "invoices", "meetings", "branches", "symbols", "sections", "chapters", "threads", "channels", "leases",
    "claims", "accounts", "budgets", "habits", "trips", "recipes", "sensors", "contracts", "samples", "letters",
)  # fmt: skip


class Told(Row, frozen=True):
    """One fact of the ground."""

    COMPACT: ClassVar[tuple[str, ...]] = ("id", "predicate", "object")
    LISTED: ClassVar[Listed] = Listed("recorded_at", "id")

    id: str
    entity_id: str
    predicate: str
    object: str
    trust_tier: str
    recorded_at: int


class Kept(Row, frozen=True):
    """What was written."""

    id: str


reads: Group[ReadCall] = Group("read_benchmark", Access.READ)
writes: Group[WriteCall] = Group("mutate_benchmark", Access.WRITE)


@reads.tool()
def facts_of(call: ReadCall, entity: Annotated[str, Meta(description="Id.")]) -> Page[Told]:
    """The facts about one entity, oldest first."""
    rows = call.db.rows(FACTS_OF, entity=entity, limit=call.window.limit)
    return Page([Told(**row) for row in rows], len(rows), [(row["recorded_at"],) for row in rows])


def _reader(name: str, about: str) -> Callable[..., Page[Told]]:
    def run(
        call: ReadCall,
        entity: Annotated[str, Meta(description="Only what is about this entity: its id.")] | None = None,
        query: Annotated[str, Meta(max_length=1000, description="Words to look for.")] | None = None,
    ) -> Page[Told]:
        return Page([], 0, [])

    run.__name__ = name
    run.__doc__ = f"The {about} within this connection's scope, newest first, with what is known of each."
    return run


def _writer(name: str, about: str) -> Callable[..., Kept]:
    def run(
        call: WriteCall,
        entity: Annotated[str, Meta(description="Id.")],
        text: Annotated[str, Meta(max_length=2000, description="What to keep.")],
    ) -> Kept:
        return Kept(id=entity)

    run.__name__ = name
    run.__doc__ = f"Keep something about the {about} of an entity."
    return run


@cache
def padded() -> tuple[Group[Any], ...]:
    """The groups, with as many made-up tools as make the whole 180: two reads for each write."""
    own = sum(len(group.tools) for group in GROUPS) + len(reads.tools)
    names = [(act, noun) for act in _ACTS for noun in _NOUNS]
    for n, (act, noun) in enumerate(names[: max(0, TOOLS - own)]):
        if n % 3 == 2:
            writes.tool()(_writer(f"{act}_{noun}_anew", noun))
        else:
            reads.tool()(_reader(f"{act}_{noun}", noun))
    return (*GROUPS, reads, writes)
