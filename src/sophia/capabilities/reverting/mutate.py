"""Taking a write back."""

from typing import Annotated

from msgspec import Meta

from sophia.capabilities.reverting import plan, restoring
from sophia.catalog.call import WriteCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.page import Row

tools: Group[WriteCall] = Group("mutate_knowledge", Access.WRITE)
Seq = Annotated[int, Meta(ge=1, le=2**53 - 1)]
Cascade = Annotated[bool, Meta(description="Take back later changes that stand in the way, too, the newest first.")]


class Reverted(Row, frozen=True):
    """The mutations that were taken back, and how many rows are as they were before them."""

    reverted: list[int]
    rows: int


@tools.tool(destructive=True)
def revert_mutation(call: WriteCall, mutation_seq: Seq, cascade: Cascade = False) -> Reverted:
    """Take a write back: its rows become what they were before it, as one new write. The owner is always asked."""
    made = plan.plan(call.db, plan.of_one(call.db, mutation_seq), cascade=cascade)
    made.require_possible()
    rows = restoring.carry_out(call.db, made.undone)
    call.db.reverts(made.seqs, whole=True)
    return Reverted(reverted=sorted(made.seqs), rows=rows)
