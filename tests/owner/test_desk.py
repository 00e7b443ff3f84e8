"""The desk: whatever is put on it, it answers."""

from collections.abc import Iterator

import pytest
from hypothesis import given, strategies as st

from sophia.owner.commands import COMMANDS
from tests.support.desk import AtDesk, desk
from tests.support.house import house

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def at() -> Iterator[AtDesk]:
    with house() as one:
        yield desk(one, "terminal")


@pytest.mark.parametrize("request_", [{}, {"command": 1}, {"command": "status", "extra": 1}, {"arguments": {}}])
def test_what_is_no_request_is_refused(at: AtDesk, request_: dict[str, object]):
    assert at.desk.answer(request_, 1)["error"]["code"] == "bad_arguments"


def test_an_unknown_command_is_answered_with_a_near_one(at: AtDesk):
    assert at.refused("conections")["hint"] == "Did you mean connections?"
    assert "hint" not in at.refused("xyzzy")


@given(command=st.sampled_from(sorted(COMMANDS)), arguments=st.dictionaries(st.text(max_size=12), JSON, max_size=4))
def test_any_arguments_are_answered_and_nothing_breaks(at: AtDesk, command: str, arguments: dict[str, object]):
    answer = at.answer(command, arguments, pid=999)
    assert answer.keys() == {"ok"} or answer["error"]["code"] != "internal", answer


def test_a_failure_inside_is_told_by_its_id_alone(at: AtDesk, monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object) -> None:
        raise RuntimeError("a secret path")

    monkeypatch.setattr(at.house.parts.interior.usage, "ops", None)
    monkeypatch.setattr("sophia.owner.records.live", broken)
    error = at.refused("status")
    assert error["code"] == "internal"
    assert error["error_id"].startswith("err-")
    assert "secret" not in str(error)
