"""Bearers: what opens the door, until when, and what never does."""

import ast
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import sophia
from sophia.access import bearers
from sophia.core.clock import MINUTE, SECOND
from tests.support.house import House, house


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.mark.guarantee("T4")
@pytest.mark.parametrize(("before_us", "lives"), [(1_000, True), (1, True), (0, False), (-1_000, False)])
def test_a_bearer_is_dead_from_the_moment_it_expires(home: House, before_us: int, lives: bool) -> None:
    agent = home.agent("observer", ttl_minutes=60)
    home.clock.turn(60 * MINUTE - before_us)
    assert (home.again(agent.connection_id) is not None) is lives


@pytest.mark.guarantee("T4", "T25")
def test_a_write_that_began_in_time_is_not_kept_after_the_end(home: House) -> None:
    agent = home.agent("full", ttl_minutes=1)
    entity = home.entity("Ada")
    home.clock.turn(MINUTE)
    before = home.dump()
    assert home.refused(agent, "update_entity", entity_id=entity, name="Eve")["code"] == "invalid_or_revoked_bearer"
    assert home.dump() == before


@pytest.mark.guarantee("T10")
def test_a_stolen_digest_opens_nothing(home: House) -> None:
    agent = home.agent("full")
    token = home.tokens[agent.connection_id]
    stored = hashlib.sha256(token.encode()).hexdigest()
    front = home.parts.front(None, 0)  # type: ignore[arg-type]
    assert front.authenticate(token.encode()) is not None
    for presented in (stored, f"sophia_{stored}", f"sophia_{stored[:43]}", stored.upper()):
        assert front.authenticate(presented.encode()) is None


@pytest.mark.guarantee("T3")
def test_a_revoked_bearer_is_refused_from_the_next_call_on(home: House) -> None:
    agent = home.agent("full")
    assert home.again(agent.connection_id) is not None
    home.parts.mint.revoke(agent.connection_id, "owner")
    assert home.again(agent.connection_id) is None
    # A call that was let in just before reads, and writes nothing.
    assert home.call(agent, "list_entities")["total"] == 0
    entity = home.entity("Ada")
    error = home.refused(agent, "update_entity", entity_id=entity, name="Eve")
    assert error["message"] == "Authentication required. Provide a valid Bearer token."


def test_the_old_bearer_outlives_a_rotation_by_a_minute_whatever_the_clock_says(home: House) -> None:
    agent = home.agent("observer")
    front = home.parts.front(None, 0)  # type: ignore[arg-type]
    old = home.tokens[agent.connection_id].encode()
    new = home.parts.mint.rotate(agent.connection_id, "owner").bearer_token.encode()
    for token in (old, new):
        found = front.authenticate(token)
        assert found is not None
        assert found.connection_id == agent.connection_id
    home.clock.turn(59 * SECOND)
    assert front.authenticate(old) is not None
    home.clock.turn(SECOND)
    home.clock.set_wall(home.clock.now() - 3600 * SECOND)
    assert front.authenticate(old) is None
    assert front.authenticate(new) is not None


@pytest.mark.guarantee("M7")
def test_tokens_are_256_random_bits_behind_a_fixed_prefix() -> None:
    import secrets

    made = {bearers.fresh(secrets.token_bytes) for _ in range(10_000)}
    assert len(made) == 10_000
    assert all(re.fullmatch(r"sophia_[A-Za-z0-9_-]{43}", token) for token in made)


SECRET = re.compile(r"(^|_)(token|bearer|secret|passphrase|digest|mac|tag|code_sha256|hash)$")
ALLOWED = {
    ("journal.py", "digest"), ("writes.py", "digest"), ("journal.py", "link"), ("migrate.py", "fingerprint"),
    ("ops.py", "link"),
}  # fmt: skip
"""Comparisons of what is no secret: chains that anybody may read."""


@pytest.mark.guarantee("4.17")
def test_no_secret_is_compared_with_an_ordinary_operator() -> None:
    """Looked up by digest, then compared in constant time: an `==` would tell how far a guess fits."""
    root = Path(sophia.__file__).parent
    found = [
        f"{path.relative_to(root)}:{node.lineno} {name}"
        for path in root.rglob("*.py")
        if path.parent.name in ("access", "agent", "owner", "broker", "dispatch")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Compare) and any(isinstance(one, ast.Eq | ast.NotEq) for one in node.ops)
        for side in (node.left, *node.comparators)
        if (name := _named(side)) and SECRET.search(name) and (path.name, name) not in ALLOWED
    ]
    assert found == []
    sources = [path.read_text("utf-8") for path in root.rglob("*.py")]
    assert sum("compare_digest(" in source for source in sources) >= 3


def _named(node: ast.expr) -> str | None:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return None
