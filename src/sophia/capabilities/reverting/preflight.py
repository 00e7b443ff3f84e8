"""Asking first what a revert would come to."""

from sophia.capabilities.reverting import plan, restoring
from sophia.capabilities.reverting.differences import Difference, Told, difference
from sophia.capabilities.reverting.mutate import Cascade, Seq
from sophia.capabilities.reverting.plan import MOST_TOLD, Conflicting
from sophia.catalog.call import ReadCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.errors import Conflict, Forgotten
from sophia.core.page import Row

tools: Group[ReadCall] = Group("preflight", Access.READ)


class RevertCheck(Row, frozen=True):
    """Whether a revert is possible, what stands in its way, and what it would change."""

    possible: bool
    conflicts: list[Conflicting]
    would_change: list[Difference]
    would_revert: list[int]
    rows: int = 0
    conflicts_left_out: int = 0
    changes_left_out: int = 0
    reason: str | None = None


@tools.tool()
def check_revert(call: ReadCall, mutation_seq: Seq, cascade: Cascade = False) -> RevertCheck:
    """What revert_mutation would do: whether it can, which later changes stand in its way, what would change."""
    told = Told(min(call.window.room // 2, Told().room))
    try:
        made = plan.plan(call.db, plan.of_one(call.db, mutation_seq), cascade=cascade)
        if not made.conflicts:
            for some in restoring.restored(call.db, made.undone):
                told.add(difference((one.table, one.row_id), one.op, one.before, one.after) for one in some)
    except (Conflict, Forgotten) as error:
        conflicts = [Conflicting(**one) for one in error.details.get("conflicts", ())]
        return RevertCheck(possible=False, conflicts=conflicts, would_change=[], would_revert=[], reason=error.message)
    return RevertCheck(
        possible=not made.conflicts, conflicts=list(made.conflicts[:MOST_TOLD]),
        conflicts_left_out=max(len(made.conflicts) - MOST_TOLD, 0), would_change=told.shown,
        would_revert=sorted(made.seqs)[:MOST_TOLD], rows=told.total, changes_left_out=told.left_out,
    )  # fmt: skip
