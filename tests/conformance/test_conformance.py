"""The official conformance suite finds nothing to object to, in either era."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.everything import EverythingDoor, extras
from tests.conformance.proxy import adding
from tests.support import node
from tests.support.fixture_door import BEARER
from tests.support.wire import running

SUITE = Path("node_modules/@modelcontextprotocol/conformance/dist/index.js")
NOT_OFFERED = {
    "2026-07-28": {"http-custom-header-server-validation", "tasks-"},
    "2025-11-25": set(),
}
"""What the suite runs beside its requirements and scores for nobody, and Sophia does not offer: parameters that are
mirrored into headers (no tool has any) and the tasks extension."""


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with running(EverythingDoor(), extras=extras()) as wire, adding(BEARER, wire.port) as port:
        yield port


@pytest.mark.parametrize(
    ("asked", "scenarios", "checks"),
    [
        (("--requirements", "2026-07-28"), 37, 110),
        (("--requirements", "2025-11-25"), 30, 60),
        (("--spec-version", "2025-11-25"), 30, 60),
        (("--spec-version", "2025-06-18"), 25, 40),
    ],
    ids=["stateless", "legacy", "legacy-by-version", "oldest-served"],
)
@pytest.mark.timeout(300)
def test_the_official_suite_objects_to_nothing(
    port: int, tmp_path: Path, asked: tuple[str, str], scenarios: int, checks: int
) -> None:
    place = node.judges()
    done = node.run(
        place / SUITE, "server", "--url", f"http://127.0.0.1:{port}/mcp", "-o", str(tmp_path), *asked, seconds=240
    )

    found = {entry.parent.name: json.loads(entry.read_text()) for entry in tmp_path.rglob("checks.json")}
    judged = {name: told for name, told in found.items() if not _left_out(name, asked[1])}
    statuses = Counter(check["status"] for told in judged.values() for check in told)
    failed = [(name, check["id"], check.get("errorMessage")) for name, told in judged.items() for check in told
              if check["status"] == "FAILURE"]  # fmt: skip
    assert failed == []
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert len(judged) >= scenarios
    assert statuses["SUCCESS"] >= checks


def test_the_suite_does_fail_a_server_that_is_wrong(tmp_path: Path) -> None:
    place = node.judges()
    with running() as wire, adding(BEARER, wire.port) as port:  # a door without the tools that the suite calls
        done = node.run(
            place / SUITE, "server", "--url", f"http://127.0.0.1:{port}/mcp", "-o", str(tmp_path),
            "--requirements", "2026-07-28", seconds=240,
        )  # fmt: skip
    assert done.returncode == 1
    assert "✗ tools-call-image" in done.stdout


def test_the_lock_names_no_address() -> None:
    assert "://" not in (node.LOCKED / "package-lock.json").read_text()


def _left_out(directory: str, revision: str) -> bool:
    name = directory.removeprefix("server-")
    return any(name.startswith(prefix) for prefix in NOT_OFFERED.get(revision, set()))
