"""Bringing in much at once, under one approval: an import session is begun, written in, and ended."""

from typing import Annotated

from msgspec import Meta

from sophia.capabilities.entities.records import kind_of, shown
from sophia.capabilities.meta import import_sessions
from sophia.capabilities.meta.import_sessions import ImportSession, Terms
from sophia.capabilities.reverting import plan, restoring, standing
from sophia.catalog.call import WriteCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.caller import Agent
from sophia.core.errors import Conflict, NotPermitted, Unsupported

tools: Group[WriteCall] = Group("mutate_knowledge", Access.WRITE)

SessionId = Annotated[str, Meta(min_length=1, max_length=64)]


@tools.tool()
def begin_import_session(
    call: WriteCall,
    source: Annotated[str, Meta(min_length=1, max_length=500, description="What is brought in, for the owner.")],
    kind: Annotated[str, Meta(min_length=1, max_length=60, description="What it is: notes, transcripts, contacts.")],
    max_rows: Annotated[int, Meta(ge=1, le=100_000, description="Rows written, links and texts among them.")],
    ttl_minutes: Annotated[int, Meta(ge=1, le=1440)] = 60,
) -> ImportSession:
    """Ask the owner once for many writes: until it ends, this connection's own ordinary writes are not asked for."""
    if not isinstance(call.caller, Agent):
        raise Unsupported("The owner needs no import session; `sophia import` begins and ends its own.")
    standing = import_sessions.open_with(call.db, call.caller, call.clock)
    if standing is not None:
        raise Conflict(
            "This connection has an import session open already; commit or abort it first.",
            import_session_id=standing.import_session_id,
        )
    session_id = call.new_id("imp")
    terms = Terms(shown(source, "source"), kind_of(kind), max_rows, ttl_minutes)
    import_sessions.begin(call.db, session_id, call.caller, terms, call.clock)
    return import_sessions.find(call.db, session_id, call.caller, call.clock)


@tools.tool(idempotent=True)
def commit_import_session(call: WriteCall, import_session_id: SessionId) -> ImportSession:
    """End an import and keep what it wrote, which one revert of this call's mutation_seq undoes."""
    session = _own(call, import_session_id)
    if session.status in ("aborted", "reverted"):
        raise Conflict(f"This import session was {session.status}; what it wrote is undone.")
    import_sessions.end(call.db, import_session_id, "committed", call.now)
    return import_sessions.find(call.db, import_session_id, call.caller, call.clock)


@tools.tool(destructive=True, idempotent=True)
def abort_import_session(call: WriteCall, import_session_id: SessionId) -> ImportSession:
    """End an import and undo all that it wrote, as one write; refused, with what, where later changes build on it."""
    session = _own(call, import_session_id)
    if session.status in ("committed", "reverted"):
        raise Conflict(f"This import session was {session.status}; revert_mutation takes back what it wrote.")
    seqs = import_sessions.writes_of(call.db, import_session_id)
    if session.status != "aborted":
        if len(seqs) < session.writes:
            raise NotPermitted("What this import wrote is not all within this connection's scope; ask the owner.")
        _undo(call, set(seqs) - standing.reverted(call.db, seqs).keys())
        import_sessions.end(call.db, import_session_id, "aborted", call.now)
    return import_sessions.find(call.db, import_session_id, call.caller, call.clock)


def _own(call: WriteCall, session_id: str) -> ImportSession:
    """The session, which has to be the caller's; the owner ends any."""
    session = import_sessions.find(call.db, session_id, call.caller, call.clock)
    if isinstance(call.caller, Agent) and session.connection_id != call.caller.connection_id:
        raise NotPermitted("Another connection began this import session; it or the owner ends it.")
    return session


def _undo(call: WriteCall, seqs: set[int]) -> None:
    if seqs:
        made = plan.plan(call.db, seqs)
        made.require_possible()
        restoring.carry_out(call.db, made.undone)
        call.db.reverts(made.seqs, whole=True)
