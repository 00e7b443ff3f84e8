"""Whatever is created, named, linked, merged and taken apart in between: the store tells what a small model tells."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.support.house import House, house

MANY = 4
_ONE = st.integers(0, MANY - 1)
ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("merge"), _ONE, _ONE),
        st.tuples(st.just("merge"), _ONE, _ONE),
        st.tuples(st.just("unmerge"), _ONE, _ONE),
        st.tuples(st.just("fact"), _ONE, _ONE),
        st.tuples(st.just("link"), _ONE, _ONE),
        st.tuples(st.just("alias"), _ONE, _ONE),
    ),
    min_size=4,
    max_size=12,
)


@pytest.fixture(scope="module")
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


@dataclass
class Model:
    """What belongs to each entity itself, and where it went."""

    home: House
    ids: list[str]
    into: dict[int, int] = field(default_factory=dict)
    aliases: dict[int, set[str]] = field(default_factory=lambda: {n: set() for n in range(MANY)})
    facts: dict[int, set[str]] = field(default_factory=lambda: {n: set() for n in range(MANY)})
    ends: dict[str, tuple[int, int]] = field(default_factory=dict)
    count: int = 0

    def root(self, n: int) -> int:
        while n in self.into:
            n = self.into[n]
        return n

    def act(self, what: str, one: int, other: int) -> None:
        """Do it in both, and compare what comes of it."""
        self.count += 1
        word = f"w{self.count}{self.ids[0][-6:]}"
        match what:
            case "merge":
                moves = one != other and one not in self.into and other not in self.into
                same = other in self.into and self.root(other) == one
                code = None if moves or same else "bad_arguments" if one == other else "conflict"
                told = self.tell(code, "merge_entities", keep_id=self.ids[one], merge_id=self.ids[other])
                assert ("mutation_seq" in told) is moves
                if moves:
                    self.into[other] = one
            case "unmerge":
                code = None if one in self.into else "conflict"
                self.tell(code, "unmerge_entities", entity_id=self.ids[one])
                self.into.pop(one, None)
            case "fact":
                told = self.tell(None, "remember_fact", entity_id=self.ids[one], predicate="note", object=word)
                self.facts[self.root(one)].add(told["fact"]["fact_id"])
            case "link":
                ends = self.root(one), self.root(other)
                code = "bad_arguments" if ends[0] == ends[1] else None
                told = self.tell(code, "link_entities", from_id=self.ids[one], predicate="knows", to_id=self.ids[other])
                if code is None:
                    self.facts[ends[0]].add(told["fact"]["fact_id"])
                    self.ends[told["fact"]["fact_id"]] = ends
            case _:
                code = "conflict" if one in self.into else None
                self.tell(code, "add_alias", entity_id=self.ids[one], alias=word)
                if code is None:
                    self.aliases[one].add(word)

    def tell(self, code: str | None, tool: str, **arguments: Any) -> dict[str, Any]:
        if code is None:
            return self.home.call(self.home.owner, tool, **arguments)
        assert self.home.refused(self.home.owner, tool, **arguments)["code"] == code
        return {}

    def compare(self) -> None:
        """What the store tells of each entity, by its own id."""
        for n, entity_id in enumerate(self.ids):
            root = self.root(n)
            whole = [each for each in range(MANY) if self.root(each) == root]
            told = self.tell(None, "get_entity", entity_id=entity_id)
            assert told["entity_id"] == self.ids[root]
            assert set(told.get("aliases", [])) == self.aliases[root]
            assert set(told.get("merged_ids", [])) == {self.ids[each] for each in whole if each != root}
            known = self.tell(None, "query_knowledge", entity=entity_id, limit=200)["items"]
            assert {one["fact_id"] for one in known} == set().union(*(self.facts[each] for each in whole))
            linked = self.tell(None, "entity_relations", entity_id=entity_id, limit=200)["items"]
            met = [fact for fact, ends in self.ends.items() if root in {self.root(end) for end in ends}]
            assert sorted(one["fact_id"] for one in linked) == sorted(met)
            for alias in self.aliases[n]:
                assert self.tell(None, "resolve_entity", name=alias)["entity_id"] == self.ids[root]


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ACTS)
def test_merging_and_taking_apart_agree_with_a_model(home: House, acts: list[tuple[str, int, int]]):
    model = Model(home, [home.entity(f"Somebody {n}", "person") for n in range(MANY)])
    for act in acts:
        model.act(*act)
        if act[0] in ("merge", "unmerge"):
            model.compare()
    model.compare()
    for n in sorted(model.into):
        model.act("unmerge", n, n)
    model.compare()
    assert not model.into
