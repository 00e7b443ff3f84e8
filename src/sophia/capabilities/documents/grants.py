"""What the file system is to an agent: the folders that the owner granted, and in them nothing of Sophia's own."""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

Identity = tuple[int, int]
"""The device and inode of a file, which no name or link changes."""

MAX_OWN_FILES = 10_000
FOREIGN_CONFIGS: Final = frozenset(
    {
        ".claude.json", ".mcp.json", "mcp.json", "mcp_config.json", "cline_mcp_settings.json", ".credentials.json",
        "claude_desktop_config.json", "mcp_settings.json", ".netrc", ".git-credentials", "auth.json",
    }
)  # fmt: skip
"""Files in which agents keep the bearers of their connections, by their lower-case name."""
FOREIGN_FOLDERS: Final = frozenset({".claude", ".codex", ".cursor", ".gemini", ".ssh", ".gnupg", ".aws"})
"""Folders in which they, and other programs, keep such secrets."""


def identity(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino


@dataclass(frozen=True)
class Protected:
    """What is never read for an agent, wherever a granted folder may lie: by what it is, not by its name."""

    directories: tuple[Path, ...]
    looked: tuple[frozenset[Identity], frozenset[int]] | None = None
    """What the directories and the kernel's file systems are, where that was looked up once for many files."""

    def standing(self) -> "Protected":
        """The same, for a piece of work that is soon done: what it is asked of every file is looked up once."""
        return replace(self, looked=(frozenset(_identities(self.directories)), frozenset(_kernel_devices())))

    def folder(self, status: os.stat_result) -> bool:
        """Whether a folder is the data directory, the key directory, or of a file system that is no storage."""
        directories, devices = self.looked or (_identities(self.directories), _kernel_devices())
        return identity(status) in directories or status.st_dev in devices

    def file(self, status: os.stat_result) -> bool:
        """Whether a file lies in a protected directory too, under another name (a hard link), or in the kernel."""
        if status.st_dev in (self.looked[1] if self.looked else _kernel_devices()):
            return True
        return status.st_nlink > 1 and identity(status) in set(self._files())

    def _files(self) -> Iterator[Identity]:
        """Every file that the protected directories hold right now; `PermissionError` where they cannot be told."""
        left = MAX_OWN_FILES
        for directory in filter(os.path.isdir, map(os.path.realpath, self.directories)):
            for _, _, names, descriptor in os.fwalk(directory, onerror=_raised):
                left -= len(names)
                if left < 0:
                    raise PermissionError
                for name in names:
                    with suppress(FileNotFoundError):
                        yield identity(os.stat(name, dir_fd=descriptor, follow_symlinks=False))


def _raised(error: OSError) -> None:
    raise PermissionError from error


def foreign(name: str, *, is_folder: bool) -> bool:
    """Whether other programs keep their secrets under this name."""
    return name.lower() in (FOREIGN_FOLDERS if is_folder else FOREIGN_CONFIGS)


def regular(status: os.stat_result) -> bool:
    """Whether it is a plain file: no folder, link, device, pipe or socket."""
    return stat.S_ISREG(status.st_mode)


def _identities(paths: Iterable[Path]) -> set[Identity]:
    found: set[Identity] = set()
    for path in paths:
        with suppress(FileNotFoundError):
            found.add(identity(path.stat()))
    return found


def _kernel_devices() -> set[int]:
    """The devices of the file systems in which the kernel shows processes and itself."""
    return {device for device, _ in _identities((Path("/proc"), Path("/sys")))} - {Path("/").stat().st_dev}
