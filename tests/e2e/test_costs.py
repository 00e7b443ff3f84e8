"""What a call costs, as far as it can be counted: statements, plans, hops between threads, bytes. Never time."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import apsw
import pytest

from sophia.catalog import listing
from sophia.core.access import NameStyle, Profile, SurfaceSize
from sophia.dispatch.workers import Workers
from sophia.importers.paths import import_paths
from sophia.surface import GROUPS
from tests.support.house import House, house

INNER = "'main'."
"""How a full-text index spells the schema in the statements that it makes for itself: as many as there are words."""


@dataclass
class Counted:
    """What the engine was asked for."""

    state: list[str] = field(default_factory=list)
    ops: list[str] = field(default_factory=list)
    planned_anew: int = 0


@contextmanager
def counted(home: House) -> Iterator[Counted]:
    """Every statement of the block, triggers aside, and how many of them were planned anew as they ran."""
    found = Counted()
    state, ops = home.databases.state, home.databases.ops
    state_dbs = [state._db, *(reader.db for reader in state._readers.made)]
    misses = sum(db.cache_stats()["misses"] for db in state_dbs)
    traced = [(db, found.state) for db in state_dbs] + [(db, found.ops) for db in ops._readers.made]
    for db, kept in traced:
        db.trace_v2(apsw.SQLITE_TRACE_PROFILE, _tracer(found, kept))
    try:
        yield found
    finally:
        for db, _ in traced:
            db.trace_v2(0, None)
    found.planned_anew += sum(db.cache_stats()["misses"] for db in state_dbs) - misses


def _tracer(found: Counted, kept: list[str]) -> Callable[[dict[str, Any]], None]:
    def traced(event: dict[str, Any]) -> None:
        if INNER not in event["sql"]:
            kept.append(event["sql"])
        found.planned_anew += event["stmt_status"]["SQLITE_STMTSTATUS_REPREPARE"]

    return traced


@pytest.fixture(scope="module")
def home() -> Iterator[House]:
    with house() as standing:
        for n in range(8):
            standing.entity(f"Thing {n}")
            standing.call(standing.owner, "add_document", title=f"Text {n}", body=f"Some words, and the number {n}.")
        standing.call(standing.owner, "remember_fact", entity_id=ids_of(standing)[0], predicate="is", object="known")
        standing.call(standing.owner, "write_wiki_page", page="Page", body="Some words.")
        yield standing


READS: dict[str, tuple[int, Callable[[list[str], int], dict[str, Any]]]] = {
    "get_entity": (4, lambda ids, n: {"entity_id": ids[n]}),
    "list_entities": (4, lambda _ids, n: {"limit": n + 1}),
    "query_knowledge": (8, lambda ids, n: {"entity": ids[n], "limit": n + 1}),
    "resolve_entity": (5, lambda _ids, n: {"name": f"Thing {n}"}),
    "search_documents": (10, lambda _ids, n: {"query": f"words {n}"}),
    "health": (2, lambda _ids, _n: {}),
}
"""The statements of each read, the two that begin and end its snapshot among them, and its arguments."""


def ids_of(home: House) -> list[str]:
    return [item["entity_id"] for item in home.call(home.owner, "list_entities", limit=8)["items"]]


@pytest.mark.parametrize("tool", READS)
@pytest.mark.parametrize("scoped", [False, True], ids=["scope all", "scope of three"])
def test_a_read_takes_these_statements_and_none_is_planned_anew(home: House, tool: str, scoped: bool):
    ids = ids_of(home)
    agent = home.agent("full", scope=ids[:3] if scoped else None)
    bound, arguments = READS[tool]
    home.call(agent, tool, **arguments(ids, 0))
    for n in (1, 2):
        with counted(home) as cost:
            home.call(agent, tool, **arguments(ids, n))
        assert len(cost.state) <= bound, cost.state
        assert cost.planned_anew == 0, cost.state


@pytest.mark.parametrize("more", [10, 40])
def test_what_an_import_asks_of_the_engine_grows_by_its_rows_alone(more: int):
    """A row each for the document, its link, its text, how far its file has come, its passage twice, and its words."""
    costs = []
    for count in (5, 5 + more):
        with house() as home:
            folder = home.directory / "notes"
            folder.mkdir()
            for n in range(count):
                (folder / f"{n}.md").write_text(f"# Note {n}\n\nThe avocet wades.\n")
            home.call(home.owner, "list_documents")
            with counted(home) as cost:
                told = import_paths(home.parts.intake, [str(folder)], lambda _stage, _done, _of: None)
            assert told.documents == count
            costs.append(cost)
    few, many = costs
    assert len(many.state) - len(few.state) == 7 * more
    assert len(many.ops) == len(few.ops)
    assert many.planned_anew == few.planned_anew


SORTED = {
    "document_outline", "entity_relations", "fact_history", "find_duplicate_entities", "list_approvals", "search",
    "search_documents", "search_entities", "search_wiki", "similar_documents",
}  # fmt: skip
"""Sorted for each call: what one text, entity, fact or connection has, and the best of what was looked through."""
BY_INDEX = [
    pytest.param(tool.short, order, id=f"{tool.short} {order}")
    for group in GROUPS
    for tool in group.tools
    if tool.listed and tool.short not in SORTED
    for order in tool.listed.orders
]


class Unset(Mapping[str, int]):
    """A value for any parameter: the plan does not depend on it."""

    def __getitem__(self, _name: str) -> int:
        return 1

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


@pytest.mark.parametrize(("tool", "order"), BY_INDEX)
def test_a_list_in_any_order_reads_its_rows_in_that_order(home: House, tool: str, order: str):
    """Rather than all of the table, to sort it. What groups rows has to read them all, whatever the order."""
    known = {
        "entity_id": ids_of(home)[0],
        "document_id": home.call(home.owner, "list_documents", limit=1)["items"][0]["document_id"],
        "fact_id": home.call(home.owner, "query_knowledge", limit=1)["items"][0]["fact_id"],
        "page": "Page",
    }
    asked = {name: known[name] for name in home.parts.catalog.schemas[f"sophia.{tool}"].get("required", ())}
    home.call(home.owner, tool, **asked, order=order)
    with counted(home) as cost:
        cursor = home.call(home.owner, tool, **asked, order=order, limit=1).get("cursor")
        home.call(home.owner, tool, **asked, order=order, **({"cursor": cursor} if cursor else {}))
    of_state, of_ops = (
        [statement for statement in found if " ORDER BY " in statement and "LIMIT :limit" in statement]
        for found in (cost.state, cost.ops)
    )
    assert len(of_state) + len(of_ops) == 2
    databases = home.databases
    with databases.state.reading(home.owner) as state, databases.ops.reading() as ops:
        for db, statement in [*((state, each) for each in of_state), *((ops, each) for each in of_ops)]:
            plan = [row[-1] for row in db._db.execute(f"EXPLAIN QUERY PLAN {statement}", Unset())]
            grouped = any(step.startswith("CO-ROUTINE") for step in plan)
            assert grouped or "USE TEMP B-TREE FOR ORDER BY" not in plan, plan


def test_a_read_asks_nothing_of_the_ops_database_once_its_caller_is_known(home: House):
    agent = home.agent("full")
    ids = ids_of(home)
    front = home.parts.front(None, 0)  # type: ignore[arg-type]
    token = home.tokens[agent.connection_id].encode()
    front.authenticate(token)
    home.call(agent, "get_entity", entity_id=ids[0])
    with counted(home) as cost:
        caller = front.authenticate(token)
        assert caller is not None
        home.call(caller, "get_entity", entity_id=ids[1])
    assert cost.ops == []


def test_a_write_of_one_row_takes_these_statements_and_none_is_planned_anew(home: House):
    agent = home.agent("full")
    ids = ids_of(home)
    home.call(agent, "update_entity", entity_id=ids[0], summary="first")
    for n in (1, 2):
        with counted(home) as cost:
            home.call(agent, "update_entity", entity_id=ids[n], summary=f"number {n}")
        assert len(cost.state) <= 28, cost.state
        assert cost.planned_anew == 0, cost.state


class Watched(Workers):
    """Workers whose hops are counted."""

    def __init__(self, count: int) -> None:
        self.hops = 0
        super().__init__(count)

    def run(self, *args: Any, **kwargs: Any) -> Any:
        self.hops += 1
        return super().run(*args, **kwargs)


@pytest.mark.parametrize("tool", ["get_entity", "update_entity", "no such argument"])
def test_a_call_hops_to_a_worker_thread_once(home: House, tool: str):
    agent, entity_id = home.agent("full"), ids_of(home)[0]
    arguments = {"entity_id": entity_id} | ({"summary": "said"} if tool == "update_entity" else {})
    name, given = (tool, arguments) if tool in ("get_entity", "update_entity") else ("get_entity", {"wrong": 1})
    with Watched(2) as workers:
        front = home.parts.front(workers, 0)
        answer = asyncio.run(front.call(agent, f"sophia.{name}", given))
    assert workers.hops == 1
    assert answer.is_error is (name != tool)


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize(("size", "bound"), [(SurfaceSize.FULL, 100_000), (SurfaceSize.CORE, 32_000)])
def test_a_list_has_at_most_so_many_bytes(home: House, profile: Profile, size: SurfaceSize, bound: int):
    agent = home.agent(profile.value)
    front = home.parts.front(None, 0)  # type: ignore[arg-type]
    for names in NameStyle:
        assert len(front.listing(agent, size, names)) <= bound


def test_what_every_list_takes_by_derivation_stays_small(home: House):
    catalog = home.parts.catalog
    tool = catalog.find("list_entities")
    assert tool is not None
    own = len(tool.description) + sum(len(name) for name in tool.own)
    assert len(listing.encoded(catalog, [tool], NameStyle.DOTTED)) - own <= 900
