"""Pins the tests to a directory of their own, before anything of Sophia is imported."""

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import platformdirs

LOOPBACK = ("127.", "::1", "localhost")
FILE_EVENTS = frozenset(
    {"open", "os.listdir", "os.scandir", "os.mkdir", "os.rename", "os.remove", "os.link", "os.chmod"}
)


class NotPinnedError(Exception):
    """The tests would touch a directory that is not theirs."""


def owners_directories() -> tuple[Path, Path]:
    """Where Sophia keeps the data and the keys of whoever runs these tests, if they use it."""
    return (
        Path(platformdirs.user_data_dir("sophia", appauthor=False)).resolve(),
        Path(platformdirs.user_config_dir("sophia", appauthor=False)).resolve(),
    )


def pin(environment: MutableMapping[str, str]) -> Path:
    """A fresh directory, now set for data and keys; `NotPinnedError` where the environment names the owner's own."""
    if "sophia" in sys.modules:
        raise NotPinnedError("sophia was imported before the tests had a directory of their own.")
    for name in ("SOPHIA_DATA_DIR", "SOPHIA_KEY_DIR"):
        named = environment.get(name)
        if named and any(_is_within(Path(named), own) for own in owners_directories()):
            raise NotPinnedError(f"{name} names a real directory of Sophia; unset it, the tests make their own.")
    directory = Path(tempfile.mkdtemp(prefix="sophia-tests-")).resolve()
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    environment["SOPHIA_DATA_DIR"] = str(directory / "data")
    environment["SOPHIA_KEY_DIR"] = str(directory / "keys")
    return directory


def guard() -> None:
    """From now on this process can neither open the owner's directories nor connect beyond this machine."""
    forbidden = tuple(str(own) for own in owners_directories())

    def look(event: str, arguments: tuple[Any, ...]) -> None:
        if event in FILE_EVENTS and isinstance(arguments[0], str | bytes | os.PathLike):
            path = os.path.abspath(os.fsdecode(arguments[0]))
            if path.startswith(forbidden) and any(_is_within(Path(path), Path(own)) for own in forbidden):
                raise NotPinnedError("A test reached for a real directory of Sophia.")
        elif event == "socket.connect" and isinstance(arguments[1], tuple):
            host = str(arguments[1][0])
            if not host.startswith(LOOPBACK):
                raise NotPinnedError(f"A test reached for {host}: tests stay on this machine.")

    sys.addaudithook(look)


def _is_within(path: Path, directory: Path) -> bool:
    path = Path(os.path.realpath(path))
    return path == directory or directory in path.parents
