"""A disk that the test can pull the plug of: what was not synced is lost or torn, and any operation can fail."""

import os
import random
from dataclasses import dataclass, field
from pathlib import Path

import apsw

Change = tuple[str, int, bytes]


@dataclass
class Disk:
    """What is certainly on the disk, and what was only handed to it."""

    durable: dict[str, bytearray] = field(default_factory=dict)
    pending: dict[str, list[Change]] = field(default_factory=dict)
    fail_at: int | None = None
    """The operation that fails, counted from the next one on."""
    error: type[apsw.Error] = apsw.IOError
    operations: int = 0
    failed: int = 0

    def begin(self, fail_at: int | None = None, error: type[apsw.Error] = apsw.IOError) -> None:
        self.operations, self.failed, self.fail_at, self.error = 0, 0, fail_at, error

    def reach(self) -> None:
        self.operations += 1
        if self.operations == self.fail_at:
            self.failed += 1
            raise self.error("injected")

    def opened(self, path: str) -> None:
        if path not in self.durable:
            self.durable[path] = bytearray(Path(path).read_bytes()) if os.path.exists(path) else bytearray()
            self.pending[path] = []

    def synced(self, path: str) -> None:
        for change in self.pending[path]:
            _apply(self.durable[path], change)
        self.pending[path] = []

    def after_power_loss(self, chance: random.Random) -> dict[str, bytes]:
        """What may be found on it then, by file name: each write that was not synced is whole, torn or not there."""
        image: dict[str, bytes] = {}
        for path, content in self.durable.items():
            found = bytearray(content)
            for kind, at, data in self.pending[path]:
                if chance.random() < 0.5:
                    continue
                torn = data[: chance.randrange(len(data) + 1)] if data and chance.random() < 0.3 else data
                _apply(found, (kind, at, torn))
            image[Path(path).name] = bytes(found)
        return image


def _apply(content: bytearray, change: Change) -> None:
    kind, at, data = change
    if kind == "truncate":
        del content[at:]
        return
    if len(content) < at:
        content.extend(bytes(at - len(content)))
    content[at : at + len(data)] = data


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        super().__init__("unix", name, flags)
        self._disk = disk
        self._path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        disk.opened(self._path)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 (SQLite's own names)
        self._disk.reach()
        super().xWrite(data, offset)
        self._disk.pending[self._path].append(("write", offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._disk.reach()
        super().xTruncate(newsize)
        self._disk.pending[self._path].append(("truncate", newsize, b""))

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._disk.reach()
        super().xSync(flags)
        self._disk.synced(self._path)


class _Vfs(apsw.VFS):
    def __init__(self, disk: Disk, name: str) -> None:
        super().__init__(name, "unix")
        self._disk = disk

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _File(self._disk, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        super().xDelete(filename, syncdir)
        self._disk.durable.pop(filename, None)
        self._disk.pending.pop(filename, None)


_REGISTERED: list[apsw.VFS] = []


def plugged_in() -> tuple[Disk, str]:
    """A disk, and the name under which a database on it is opened: the encryption is above it, as it is above a disk.

    It stays plugged in: what the encryption put above it refers to it for as long as the process lives.
    """
    disk, name = Disk(), f"faulty-{len(_REGISTERED)}"
    _REGISTERED.append(_Vfs(disk, name))
    return disk, f"multipleciphers-{name}"
