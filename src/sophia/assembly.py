"""The house put together: every part made once, and handed what it needs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from sophia.access.bearers import Entropy
from sophia.access.minting import Mint
from sophia.access.roots import Grants
from sophia.access.rotation import Rotation
from sophia.access.secrets import Secrets
from sophia.capabilities.documents.grants import Protected
from sophia.capabilities.documents.roots import GrantedRoots
from sophia.capabilities.knowledge import requoting
from sophia.capabilities.knowledge.standings import standings
from sophia.catalog.catalog import Catalog
from sophia.catalog.group import Group
from sophia.catalog.house import Condition, Health
from sophia.core.caller import Agent, Caller, Owner
from sophia.core.clock import SECOND, Clock
from sophia.core.ids import Ids
from sophia.core.scope import EVERYTHING
from sophia.dispatch.approval import Approvals
from sophia.dispatch.chores import Chores
from sophia.dispatch.cursor import Cursors
from sophia.dispatch.dispatch import Dispatcher
from sophia.dispatch.history import History
from sophia.dispatch.interior import Interior
from sophia.dispatch.news import News
from sophia.dispatch.parts import Parts
from sophia.dispatch.requests import Requests
from sophia.dispatch.served import Served
from sophia.dispatch.signals import Signals
from sophia.dispatch.trail import Trail
from sophia.dispatch.usage import Usage
from sophia.dispatch.verdicts import Verdicts
from sophia.dispatch.waiting import Waiting
from sophia.dispatch.writes import Writes
from sophia.extraction.child import Extractor
from sophia.importers.house import Intake
from sophia.importers.ingest import Ingest
from sophia.importers.mining import Mining
from sophia.search.dense import Dense
from sophia.search.embedding import Embedding
from sophia.search.provider import Embeddings
from sophia.store.databases import Databases
from sophia.store.tx import Tx

USER_ID = "u-owner"


@dataclass(frozen=True)
class Materials:
    """What a house is made of."""

    databases: Databases
    seal: bytes
    clock: Clock
    ids: Ids
    entropy: Entropy
    protected: Protected
    version: str
    presence: str
    approval_ttl_minutes: int
    embeddings: Embeddings = field(default_factory=Embeddings)


def assembled(groups: Iterable[Group[Any]], given: Materials) -> Parts:
    """The house over these groups of tools."""
    state, ops = given.databases.state, given.databases.ops
    catalog = Catalog.over(groups)
    usage = Usage(ops, given.clock)
    mint = Mint(state, ops, given.clock, given.entropy, USER_ID)
    requests = Requests(ops, given.clock)
    verdicts = Verdicts(ops, state, given.clock)
    cursors = Cursors(given.seal)
    secrets = Secrets(ops, given.clock, given.seal)
    owner = Owner(USER_ID, EVERYTHING)
    roots = GrantedRoots(Grants(ops, given.clock, given.ids), given.protected, lambda: state.reading(owner))

    def join(caller: Caller, entity_ids: list[str]) -> None:
        if isinstance(caller, Agent):
            mint.join(caller.connection_id, caller.epoch, entity_ids)

    intake = Intake(given.databases, roots, owner, given.clock, given.ids, secrets, Extractor(), Lock())
    ingest = Ingest(intake, lambda: chores.wake())  # noqa: PLW0108 - they are made of it
    dense = Dense(given.embeddings, lambda: state.reading(owner))
    mining = Mining(state, owner, given.clock, given.ids, roots, secrets)
    chores = Chores((ingest, mining, Embedding(state, dense, owner), Rotation(ops, given.clock)))
    writes = Writes(state, given.clock, given.ids, cursors, roots, secrets, join, chores.wake)
    trail = Trail(state, ops, given.clock, given.ids, owner, catalog)
    news = News()
    approvals = Approvals(ops, writes, catalog, given.clock, given.ids, given.approval_ttl_minutes, news.tell)
    served = Served()
    signals = Signals(lambda _caller: 0, requests.waiting, served)

    def requote(tx: Tx, now: int) -> Callable[[], None] | None:
        changed = tx.touched("document_text")
        lost = requoting.follow(tx, changed, now) if changed else []
        return (lambda: served.lose(lost)) if lost else None

    state.followers.append(requote)
    started = given.clock.awake()

    def condition() -> Health:
        stopped = given.databases.troubles()
        reasons = stopped + given.databases.warnings()
        reasons += [f"{name} fails and is tried again" for name in chores.failing]
        if ingest.unwatched:
            reasons.append(f"{ingest.unwatched} folders cannot be watched and are looked through each minute instead")
        reasons += [f"{signal} cannot be told" for signal in sorted(signals.degraded)]
        reasons += [f"{trail.lost} entries of the access log were lost"] if trail.lost else []
        model = dense.told
        reasons += [model.trouble] if model.trouble else []
        status: Condition = "failing" if stopped else "degraded" if reasons else "ok"
        return Health(status, reasons, (given.clock.awake() - started) // SECOND, not stopped, model)

    interior = Interior(
        catalog, requests, verdicts, writes, usage, given.version, given.presence, condition, dense, standings,
        History(ops, trail, usage),
    )  # fmt: skip
    dispatcher = Dispatcher(
        catalog, state, verdicts, interior, writes, approvals, secrets, signals, cursors, given.clock, given.ids,
        lambda caller, tool, error: usage.judged(caller, tool.name, error.code),
        usage.answered, trail,
    )  # fmt: skip
    return Parts(
        given.databases, catalog, dispatcher, approvals, mint, usage, Waiting(), news, interior, given.clock, given.ids,
        owner, roots, chores, intake, secrets, trail,
    )  # fmt: skip
