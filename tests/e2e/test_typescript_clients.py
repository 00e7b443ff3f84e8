"""The TypeScript clients list, call, meet errors and a 401, in both eras."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import node
from tests.support.fixture_door import BEARER, TOOLS
from tests.support.wire import Wire, running

HERE = Path(__file__).parent
GREETING = "Grüße, 世界 \U0001f30d"
SENTENCE = "Authentication required. Provide a valid Bearer token."


@pytest.fixture(scope="module")
def wire() -> Iterator[Wire]:
    with running() as wire:
        yield wire


def seen_by(script: str, wire: Wire, *more: str) -> Any:
    place = node.judges()
    done = node.run(
        HERE / script, str(place), wire.url, BEARER, "sophia.echo", "sophia.always_fails", *more, seconds=60
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check(seen: Any) -> None:
    assert seen["server"]["name"] == "sophia-fixture"
    assert seen["tools"] == list(TOOLS)
    assert seen["called"]["structuredContent"]["echo"] == {"words": GREETING}
    assert json.loads(seen["called"]["content"][0]["text"]) == seen["called"]["structuredContent"]
    assert seen["failed"]["isError"] is True
    assert seen["failed"]["structuredContent"]["error"]["code"] == "not_found"
    assert seen["unknown"]["code"] == -32602
    assert "unknown tool" in seen["unknown"]["message"]
    assert seen["resources"] == []
    told = seen["refused"]["message"]
    assert SENTENCE in told or "(HTTP 401)" in told  # v2 puts a sentence of its own in the place of ours


def test_the_v1_client_works_and_shows_the_refusal(wire: Wire) -> None:
    seen = seen_by("typescript_v1.mjs", wire)

    assert seen["version"] == "2025-11-25"
    assert seen["session"] is None
    check(seen)


@pytest.mark.parametrize(("mode", "era"), [("auto", "modern"), ("stateless", "modern"), ("legacy", "legacy")])
def test_the_v2_client_works_and_shows_the_refusal(wire: Wire, mode: str, era: str) -> None:
    seen = seen_by("typescript_v2.mjs", wire, mode)

    assert seen["era"] == era
    check(seen)
