"""Reading what was: a write field by field, and a row as it was at a time."""

from typing import Annotated

from msgspec import Meta

from sophia.capabilities.reverting import past
from sophia.capabilities.reverting.differences import MOST_CHARACTERS, Difference
from sophia.capabilities.reverting.mutate import Seq
from sophia.capabilities.reverting.past import RowThen
from sophia.catalog.call import ReadCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.clock import parsed
from sophia.core.errors import BadArguments, NotFound
from sophia.core.page import Row
from sophia.store.rules import RULES

tools: Group[ReadCall] = Group("read_meta", Access.READ)


class MutationDiff(Row, frozen=True):
    """What a write changed, field by field, as far as an answer holds it."""

    mutation_seq: int
    changes: list[Difference]
    changes_left_out: int = 0


@tools.tool()
def diff_mutation(call: ReadCall, mutation_seq: Seq) -> MutationDiff:
    """What one write changed in each row: the fields that differ, before and after."""
    if call.db.value("SELECT m.seq FROM mutation m WHERE m.seq = :seq", seq=mutation_seq) is None:
        raise NotFound(argument="mutation_seq")
    changes, left_out = past.changes(call.db, mutation_seq, min(call.window.room // 2, MOST_CHARACTERS))
    return MutationDiff(mutation_seq=mutation_seq, changes=changes, changes_left_out=left_out)


@tools.tool()
def state_at(
    call: ReadCall,
    table: Annotated[str, Meta(max_length=60, description="Such as fact or entity; see get_schema.")],
    row_id: Annotated[str, Meta(min_length=1, max_length=200)],
    at: Annotated[str, Meta(max_length=40, description="RFC 3339 with an offset.")],
) -> RowThen:
    """A row as it was at a time, told by the journal: also one that is gone, or was not there yet."""
    kept = sorted(name for name, rule in RULES.items() if rule.journaled)
    if table not in kept:
        raise BadArguments(f"There is no table {table[:60]!r} of which the past is kept.", argument="table", valid=kept)
    return past.then(call.db, table, row_id, parsed(at, "at"), call.window.room // 2)
