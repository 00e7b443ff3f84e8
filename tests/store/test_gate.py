"""What an agent's connection can read is what the rules say, however the statement is written."""

from collections.abc import Iterator
from dataclasses import replace

import apsw
import pytest

from sophia.core.caller import Agent
from sophia.core.scope import EVERYTHING, NOTHING, Scope
from sophia.store.engine import connect
from sophia.store.gate import Gate
from sophia.store.rules import RULES, Rule
from tests.support.beneath import bare, plant
from tests.support.house import House, house

CANARY = "canary-7f3a"


@pytest.fixture(scope="module")
def home() -> Iterator[House]:
    with house() as made:
        made.entity("one")
        made.entity(CANARY)
        yield made


@pytest.fixture
def agent(home: House) -> Agent:
    first = next(item for item in home.dump()["entity"] if item[3] == "one")[0]
    return replace(home.agent("observer"), scope=Scope(frozenset({first})))


def read(home: House, agent: Agent, sql: str) -> list[tuple[object, ...]]:
    with home.databases.state.reading(agent) as rows:
        return rows._db.execute(sql).fetchall()


ESCAPES = [
    "SELECT name FROM main.entity",
    "SELECT count(*) FROM main.entity",
    "SELECT 1 FROM main.entity",
    "SELECT rowid FROM main.entity",
    "SELECT (SELECT group_concat(name) FROM main.entity)",
    "SELECT name FROM entity UNION ALL SELECT name FROM main.entity",
    "SELECT o.name FROM entity e LEFT JOIN main.entity o ON 1",
    "SELECT name FROM (SELECT * FROM main.entity) AS entity",
    "WITH entity AS (SELECT * FROM main.entity) SELECT name FROM entity",
    "WITH entity AS MATERIALIZED (SELECT * FROM main.entity) SELECT name FROM entity",
    "WITH document AS (SELECT name FROM main.entity) SELECT name FROM document",
    "WITH RECURSIVE fact (n) AS (SELECT name FROM main.entity UNION SELECT n FROM fact) SELECT n FROM fact",
    "WITH journal_entity_insert AS (SELECT * FROM main.entity) SELECT name FROM journal_entity_insert",
    "WITH append_only_x AS (SELECT * FROM main.party) SELECT * FROM append_only_x",
    "SELECT * FROM entity WHERE id IN (SELECT id FROM main.entity)",
    "SELECT * FROM entity ORDER BY (SELECT max(name) FROM main.entity)",
    "SELECT * FROM main.mutation_change",
    "SELECT * FROM main.once",
    "SELECT * FROM party",
    "SELECT * FROM sqlite_schema",
    "SELECT * FROM pragma_table_info('entity')",
    "PRAGMA table_info(entity)",
    "ATTACH ':memory:' AS other",
    "CREATE TEMP TABLE mine AS SELECT 1",
    "DROP VIEW temp.entity",
    "UPDATE main.entity SET name = 'x'",
    "DELETE FROM entity",
    "SAVEPOINT mine",
]


@pytest.mark.guarantee("C9")
@pytest.mark.parametrize("sql", ESCAPES)
def test_no_statement_gets_past_the_views(home: House, agent: Agent, sql: str):
    with pytest.raises((apsw.AuthError, apsw.SQLError), match=r"prohibited|not authorized|is a view"):
        read(home, agent, sql)


@pytest.mark.guarantee("C4")
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM entity WHERE 1 OR name = ''",
        "SELECT * FROM entity WHERE NOT (id = 'x' AND 0) OR 1 = 1",
        "SELECT * FROM entity e LEFT JOIN entity o ON 1",
        "SELECT * FROM entity UNION SELECT * FROM entity",
        "SELECT * FROM entity WHERE name LIKE '%' OR name GLOB '*'",
        "SELECT group_concat(name), count(*) FROM entity HAVING 1 OR 1",
        "SELECT min(name) OVER (), count(*) OVER () FROM entity",
        "WITH e AS (SELECT * FROM entity) SELECT * FROM e a JOIN e b",
        "SELECT * FROM mutation",
        "SELECT * FROM mutation_change",
    ],
)
def test_no_predicate_widens_the_scope(home: House, agent: Agent, sql: str):
    assert CANARY not in repr(read(home, agent, sql))
    owner = replace(agent, scope=EVERYTHING)
    assert "mutation" in sql or CANARY in repr(read(home, owner, sql)), "the control finds it"


@pytest.mark.guarantee("C9")
def test_counting_a_table_counts_what_is_visible(home: House, agent: Agent):
    assert read(home, agent, "SELECT count(*) FROM entity") == [(1,)]
    assert read(home, replace(agent, scope=NOTHING), "SELECT count(*) FROM entity") == [(0,)]
    everybodys = "SELECT count(*) FROM predicate"
    assert read(home, agent, everybodys) == read(home, home.agent(), everybodys)


@pytest.mark.guarantee("C7")
def test_a_statement_that_was_prepared_before_keeps_no_earlier_scope(home: House, agent: Agent):
    everything = replace(agent, scope=EVERYTHING)
    for sql in ("SELECT name FROM entity ORDER BY name", "SELECT count(*) FROM mutation"):
        for _ in range(20):  # all connections of the pool and their caches see all three
            wide = read(home, everything, sql)
            assert len(read(home, agent, sql)) < len(wide) or read(home, agent, sql) < wide
            assert read(home, replace(agent, scope=NOTHING), sql) in ([], [(0,)])


def test_nothing_can_be_read_outside_of_a_bound_scope(home: House):
    with bare(home.ownership, home.keys) as db:
        gate = Gate(db, writes=False)
        with pytest.raises(PermissionError, match="no user is bound"):
            db.execute("SELECT * FROM entity").fetchall()
        with gate.bound("u-owner", EVERYTHING):
            assert len(db.execute("SELECT * FROM entity").fetchall()) == 2
            held = db.execute("SELECT * FROM predicate")
        with pytest.raises(PermissionError):
            db.execute("SELECT scope_ids()").fetchall()
        assert held is not None


@pytest.mark.guarantee("C13")  # what has no user of its own is shown with the row that it is of
@pytest.mark.parametrize("table", sorted(set(RULES) - {"mutation_change", "entity_index", "fact_index"}))
def test_the_rows_of_another_user_are_visible_to_nobody(table: str):
    with house() as made:
        made.entity("one")
        with bare(made.ownership, made.keys) as db:
            for (trigger,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
                db.execute(f"DROP TRIGGER {trigger}")
            db.execute("PRAGMA foreign_keys = off").fetchall()
            plant(db, table, "u-other")
            plant(db, table, "u-owner")
        agent = made.agent("observer")
        seen = read(made, agent, f"SELECT user_id FROM {table}")
        assert seen
        assert {row[0] for row in seen} == {"u-owner"}


@pytest.mark.guarantee("C9")
def test_a_table_without_a_rule_cannot_be_read(home: House):
    without = {name: rule for name, rule in RULES.items() if name != "entity_alias"}
    with bare(home.ownership, home.keys) as db:
        gate = Gate(db, writes=False, rules=without)
        with gate.bound("u-owner", EVERYTHING), pytest.raises(apsw.AuthError):
            db.execute("SELECT alias FROM entity_alias").fetchall()


@pytest.mark.guarantee("C9")
def test_without_its_condition_a_rule_shows_the_canary(home: House, agent: Agent):
    for visible, shown in ((RULES["entity"].visible, False), ("1", True)):
        with bare(home.ownership, home.keys) as db:
            gate = Gate(db, writes=False, rules={**RULES, "entity": Rule(visible)})
            with gate.bound(agent.user_id, agent.scope):
                assert (CANARY in repr(db.execute("SELECT * FROM entity").fetchall())) is shown


@pytest.mark.guarantee("C10")
def test_a_scope_of_forty_thousand_ids_is_read_whole(home: House, agent: Agent):
    ids = {row[0] for row in home.dump()["entity"]} | {f"e-{n:06d}" for n in range(40_000)}
    assert len(read(home, replace(agent, scope=Scope(frozenset(ids))), "SELECT * FROM entity")) == 2
    ids.discard(next(row[0] for row in home.dump()["entity"] if row[3] == CANARY))
    assert read(home, replace(agent, scope=Scope(frozenset(ids))), "SELECT name FROM entity") == [("one",)]


FORBIDDEN_TO_THE_WRITER = [
    "SELECT name FROM main.entity",
    "DELETE FROM main.mutation",
    "UPDATE main.mutation SET tool = ''",
    "DELETE FROM main.mutation_change",
    "DROP TABLE main.entity",
    "CREATE TABLE main.x (y)",
    "INSERT INTO main.sqlite_schema VALUES (1, 2, 3, 4, 5)",
    "PRAGMA synchronous = off",
]


def test_a_writer_reads_the_ids_of_tables_and_nothing_more_of_them(home: House):
    db = connect(home.ownership, home.directory / "data" / "state.db", home.keys.state)
    try:
        gate = Gate(db, writes=True)
        with gate.bound("u-owner", NOTHING):
            assert db.execute("SELECT name FROM entity").fetchall() == []
            for sql in FORBIDDEN_TO_THE_WRITER:
                with pytest.raises((apsw.AuthError, apsw.SQLError)):
                    db.execute(sql)
    finally:
        db.close()


def test_the_tables_are_described_as_the_schema_has_them(home: House):
    tables = home.databases.state.tables()
    assert set(tables) == set(RULES)
    assert ("entity_id", "text", "entity") in tables["fact"]
