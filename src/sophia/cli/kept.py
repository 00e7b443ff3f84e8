"""What is remembered of the clients that were connected: which connection each has, and for some the bearer."""

import json
import shlex
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sophia.cli.clients import Target
from sophia.cli.config_file import ConfigFile
from sophia.core.errors import NotPermitted, SophiaError

FOLDER = "clients"
"""Below the key directory: which connection each client was given, and the bearers of those that read a variable."""


@dataclass(frozen=True)
class Given:
    """A bearer for a client, and whether the connection was there before."""

    connection_id: str
    name: str
    bearer: str
    url: str
    rotated: bool


@dataclass(frozen=True)
class Kept:
    """What is remembered of one client in one project: which connection is its own, and for some the bearer."""

    record: ConfigFile
    env: ConfigFile

    @classmethod
    def of(cls, key_dir: Path, target: Target) -> "Kept":
        """Where that lies: beside the keys, which are no agent's to read."""
        record = ConfigFile(key_dir, (FOLDER, f"{target.slug}.json"))
        return cls(record, ConfigFile(key_dir, (FOLDER, f"{target.slug}.env")))

    def make_room(self) -> None:
        """Have a folder for it; `NotPermitted` where there can be none."""
        try:
            self.record.base.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise NotPermitted(f"{self.record.base} cannot be made ({error.strerror}); nothing was written.") from None
        self.record.require_room()

    def connection_id(self) -> str | None:
        """The connection that this client was given; `None` where that is not known."""
        with suppress(OSError, ValueError, SophiaError):
            told = json.loads(self.record.text())
            return str(told["connection_id"]) if isinstance(told, dict) and "connection_id" in told else None
        return None

    def keep(self, given: Given, target: Target, *, written: bool) -> Path | None:
        """Remember it; where the bearer lies, for a client that reads it from the environment."""
        told = {
            "client": target.client,
            "project": None if target.project is None else str(target.project),
            "connection_id": given.connection_id,
            "written": written,
        }
        self.record.text()
        self.record.write(json.dumps(told) + "\n", private=True)
        if not written or target.holds_bearer:
            return None
        self.env.text()
        self.env.write(f"export {target.variable}={shlex.quote(given.bearer)}\n", private=True)
        return self.env.path

    def forget(self) -> None:
        """Keep nothing of it any more."""
        for file in (self.record, self.env):
            file.path.unlink(missing_ok=True)


def records(key_dir: Path) -> list[ConfigFile]:
    """What is remembered of every client."""
    return [ConfigFile(key_dir, (FOLDER, path.name)) for path in sorted((key_dir / FOLDER).glob("*.json"))]
