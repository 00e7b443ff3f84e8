"""Errors tell an agent what was wrong, in a shape that never changes."""

import re

import pytest

from sophia.core import errors
from sophia.core.errors import ERRORS, BadArguments, NotFound, SophiaError, Unauthenticated, UnknownTool


def test_an_error_speaks_by_its_docstring_unless_told_otherwise():
    assert NotFound().wire("x-1") == {
        "code": "not_found",
        "message": "There is nothing of that id or name within this connection's scope.",
        "error_id": "x-1",
    }
    assert str(NotFound("Gone.")) == "Gone."


def test_what_applies_is_told_and_what_does_not_is_left_out():
    refused = BadArguments(
        "No.", argument="limit", hint="less", valid=["a"], candidates=[{"id": 1}], retry_after_s=0.5, limit=20
    )
    assert refused.wire("x-2") == {
        "code": "bad_arguments",
        "message": "No.",
        "error_id": "x-2",
        "argument": "limit",
        "hint": "less",
        "valid": ["a"],
        "candidates": [{"id": 1}],
        "retry_after_s": 0.5,
        "details": {"limit": 20},
    }


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.code)
def test_every_error_has_a_code_and_a_sentence(error: type[SophiaError]):
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", error.code)
    assert re.fullmatch(r"[A-Z].*\.", error().message)


def test_codes_are_distinct_and_every_error_is_listed():
    defined = {value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, SophiaError)}
    assert len({error.code for error in defined}) == len(defined)
    assert set(ERRORS) == defined - {UnknownTool, Unauthenticated}, "the last two are answers of the protocol itself"


def test_the_frozen_texts_stay():
    assert UnknownTool().message == "unknown tool"
    assert Unauthenticated().message == "Authentication required. Provide a valid Bearer token."
