"""Linux tells what happens in folders: the kernel's inotify, in terms of paths."""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from select import poll

if sys.platform == "linux":
    from inotify_simple import INotify, flags

    _MASK = (
        flags.CLOSE_WRITE | flags.CREATE | flags.MOVED_FROM | flags.MOVED_TO | flags.DELETE | flags.DELETE_SELF
        | flags.MOVE_SELF | flags.ONLYDIR | flags.EXCL_UNLINK
    )  # fmt: skip
    _LEFT = flags.MOVED_FROM | flags.DELETE
    _SELF = flags.DELETE_SELF | flags.MOVE_SELF | flags.UNMOUNT


@dataclass(frozen=True, slots=True)
class Happening:
    """Something happened to `name` in the folder `path`, or to that folder itself where `name` is empty.

    With `is_folder` it was a folder; `lost` says that more happened than the kernel could tell.
    """

    folder_id: str
    path: str
    name: str
    is_folder: bool
    lost: bool = False


@dataclass
class Inotify:
    """One queue of the kernel's, and the folders that it is asked about."""

    _queue: "INotify"
    _wake: tuple[int, int]
    _places: dict[int, tuple[str, str]] = field(default_factory=dict)
    """By the kernel's number of a watch: the registered folder, and the path in it."""

    @classmethod
    def begun(cls) -> "Inotify":
        """A queue; `OSError` where the kernel gives none, or is another."""
        if sys.platform != "linux":
            raise OSError("this system has no inotify")
        return cls(INotify(nonblocking=True), os.pipe())

    def watch(self, folder_id: str, path: str, descriptor: int) -> None:
        """Ask about the open folder, whatever its name is by now; `OSError` where the kernel takes no more."""
        number = self._queue.add_watch(f"/proc/self/fd/{descriptor}", _MASK)
        self._places[number] = (folder_id, path)

    def unwatch(self, folder_id: str, below: str = "") -> None:
        """Ask no more about a registered folder, or about what is below a path in it."""
        for number, (watched, path) in list(self._places.items()):
            if watched == folder_id and path.startswith(below):
                self._places.pop(number, None)
                try:
                    self._queue.rm_watch(number)
                except OSError:
                    continue  # the folder is gone, and the watch with it

    def happened(self, timeout_ms: int | None) -> list[Happening] | None:
        """What happened, once something did; nothing after the time; `None` once it was ended."""
        poller = poll()
        poller.register(self._queue.fileno(), 1)
        poller.register(self._wake[0], 1)
        ready = {descriptor for descriptor, _ in poller.poll(timeout_ms)}
        if self._wake[0] in ready:
            return None
        return list(self._told()) if ready else []

    def end(self) -> None:
        """Have `happened` say that it was ended."""
        os.write(self._wake[1], b".")

    def close(self) -> None:
        """Give everything back to the kernel."""
        self._queue.close()
        for descriptor in self._wake:
            os.close(descriptor)

    def _told(self) -> Iterator[Happening]:
        for event in self._queue.read(timeout=0):
            if event.mask & flags.Q_OVERFLOW:
                for folder_id in {watched for watched, _ in list(self._places.values())}:
                    yield Happening(folder_id, "", "", True, lost=True)
                continue
            place = self._places.get(event.wd)
            if event.mask & flags.IGNORED:
                self._places.pop(event.wd, None)
            if place is None or event.mask & flags.IGNORED:
                continue
            is_folder = bool(event.mask & flags.ISDIR)
            if is_folder and event.mask & _LEFT:
                self.unwatch(place[0], f"{place[1]}{event.name}/")
            if event.mask & _SELF:
                yield Happening(*place, "", True)
            else:
                yield Happening(*place, event.name, is_folder)
