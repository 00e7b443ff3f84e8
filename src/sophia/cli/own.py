"""The way to the data for a command while no daemon runs: to own the data directory itself, for as long as it takes."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sophia import logs
from sophia.cli import owner_asked
from sophia.cli.client import Line, Progress
from sophia.opening import Opened, opened
from sophia.owner.desk import Desk
from sophia.owner.office import Office
from sophia.settings import Settings
from sophia.store.keyfile import KEY_FILE


@dataclass(frozen=True)
class OwnLine:
    """To a data directory that this process owns."""

    desk: Desk

    def send(self, request: dict[str, Any], progress: Progress) -> dict[str, Any]:
        """The answer of the same table of commands that a daemon has."""
        return self.desk.answer(request, os.getpid(), progress)


@contextmanager
def own_line(settings: Settings) -> Generator[Line]:
    """A line to the data directory, which is owned for the block; a `Refusal` where it cannot be had."""
    fresh = not (settings.data_dir / KEY_FILE).exists()
    house = opened(settings, owner_asked.passphrase if owner_asked.is_there() else None)
    try:
        logs.begin(house.ownership.directory, settings.log_level)
        yield OwnLine(_desk(house, fresh=fresh or _untouched(house)))
    finally:
        house.close()


def _untouched(house: Opened) -> bool:
    """Whether there is nothing to protect yet: somebody looked, and nobody wrote or was let in."""
    with house.databases.ops.reading() as rows:
        return house.databases.state.head.seq == 0 and rows.value("SELECT 1 FROM connection LIMIT 1") is None


def _desk(house: Opened, *, fresh: bool) -> Desk:
    return Desk.of(Office.of(house, _mcp_url(house.settings), serving=False, fresh=fresh))


def _mcp_url(settings: Settings) -> str:
    """Where the daemon will be that is started with these settings."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{settings.port}/mcp"
