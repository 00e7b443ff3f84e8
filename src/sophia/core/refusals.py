"""Why Sophia would not start: ten exit codes that a supervisor can tell apart, and that never change."""

import json
from typing import Any, ClassVar


class Refusal(Exception):
    """Sophia would not start."""

    exit_code: ClassVar[int]
    name: ClassVar[str]
    mend: ClassVar[str]
    """What the owner can do about it."""

    def __init__(self, message: str | None = None, **details: Any) -> None:
        self.message = message or self.sentence()
        self.details = details
        super().__init__(self.message)

    @classmethod
    def sentence(cls) -> str:
        """What this refusal means whenever it is uttered."""
        return " ".join((cls.__doc__ or "").split())


class OwnerLive(Refusal):
    """Another live process owns this data directory."""

    exit_code = 80
    name = "owner_live"
    mend = "Use the one that runs; if it answers nothing, end its process, and ask again."


class DatadirUntrusted(Refusal):
    """The data directory is not one that only its owner can change."""

    exit_code = 81
    name = "datadir_untrusted"
    mend = "Set SOPHIA_DATA_DIR to a directory of your own, below directories that only you can change."


class LockfileInvalid(Refusal):
    """The lock file is not an ordinary file of this user with a single name."""

    exit_code = 82
    name = "lockfile_invalid"
    mend = "Find out who put it there; then move owner.lock away, and start again."


class LockfileSwapped(Refusal):
    """The lock file or the data directory was exchanged for another one."""

    exit_code = 83
    name = "lockfile_swapped"
    mend = "Find out who exchanged it; then start again."


class LockUnsupported(Refusal):
    """The file system of the data directory gives no working lock."""

    exit_code = 84
    name = "lock_unsupported"
    mend = "Set SOPHIA_DATA_DIR to a directory on a local disk."


class BindNotLoopback(Refusal):
    """Sophia listens on loopback addresses only."""

    exit_code = 85
    name = "bind_not_loopback"
    mend = "Set SOPHIA_HOST to 127.0.0.1, ::1 or localhost."


class DbUnavailable(Refusal):
    """The database cannot be opened: its key is missing, wrong or exposed, or the file is damaged."""

    exit_code = 86
    name = "db_unavailable"
    mend = "Mend what is said of the key or the file; what is lost or damaged, put back from where you keep a copy."


class SchemaUnsupported(Refusal):
    """The database was written by a newer version of Sophia."""

    exit_code = 87
    name = "schema_unsupported"
    mend = "Use the version of Sophia that wrote it, or a newer one."


class SqliteUnsafe(Refusal):
    """The SQLite library is not one that Sophia can trust with the state."""

    exit_code = 88
    name = "sqlite_unsafe"
    mend = "Install Sophia with the library that its lock names: `make setup`."


class PortInUse(Refusal):
    """The port is taken."""

    exit_code = 89
    name = "port_in_use"
    mend = "Set SOPHIA_PORT to another one, or 0 for any that is free."


REFUSALS: tuple[type[Refusal], ...] = (
    OwnerLive, DatadirUntrusted, LockfileInvalid, LockfileSwapped, LockUnsupported, BindNotLoopback, DbUnavailable,
    SchemaUnsupported, SqliteUnsafe, PortInUse,
)  # fmt: skip
"""The frozen table, in the order of the exit codes."""


def line(refusal: Refusal) -> str:
    """The refusal as the one JSON line, without its line break, that goes to stderr."""
    told = {"refused": refusal.name, "exit": refusal.exit_code, "message": refusal.message}
    if refusal.details:
        told["details"] = refusal.details
    return json.dumps(told, default=str)
