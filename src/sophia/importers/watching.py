"""Registered folders under watch: what happens in them, gathered until it rests, for somebody to look at."""

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from threading import Lock, Thread

from sophia.importers.inotify import Happening, Inotify
from sophia.importers.survey import WHOLE, Area

REST_MS = 150
"""So long nothing may happen before somebody is told."""
LONGEST_S = 1.0
"""They are told after so long whatever happens."""
MOST_AREAS = 64
MOST_FILES = 1_000
"""Beyond so many places a folder is looked through as a whole: a storm costs one walk."""
_log = logging.getLogger("sophia.watching")


@dataclass
class Unrest:
    """Where in a folder something happened."""

    areas: set[Area] = field(default_factory=set)
    touched: set[str] = field(default_factory=set)
    whole: bool = False

    def add(self, one: Happening) -> None:
        """Count this in. What happens to what is hidden is nobody's concern."""
        if one.name.startswith("."):
            return
        if one.lost or not one.name:
            self.whole = self.whole or one.lost or not one.path
            self.areas.add(Area(one.path))
        elif one.is_folder:
            self.areas.add(Area(f"{one.path}{one.name}/"))
        else:
            self.areas.add(Area(one.path, deep=False))
            self.touched.add(one.path + one.name)
        if len(self.areas) > MOST_AREAS or len(self.touched) > MOST_FILES:
            self.whole = True
            self.areas.clear()

    def join(self, later: "Unrest") -> None:
        """Count in what happened later."""
        self.areas |= later.areas
        self.touched |= later.touched
        self.whole = self.whole or later.whole

    @property
    def where(self) -> tuple[Area, ...]:
        """What is to be looked at."""
        return WHOLE if self.whole else tuple(sorted(self.areas, key=lambda area: (area.path, not area.deep)))


class Watcher:
    """Watches folders in a thread of its own, which costs nothing while nothing happens."""

    def __init__(self, told: Callable[[], None]) -> None:
        self._told = told
        self._lock = Lock()
        self._unrest: dict[str, Unrest] = {}
        self._inotify: Inotify | None = None
        self._thread: Thread | None = None
        self.without: dict[str, str] = {}
        """The folders that cannot be watched, or not wholly, and why."""

    def begin(self) -> None:
        """Watch from now on, where the system lets us."""
        if self._thread is not None or self._inotify is not None:
            return
        try:
            self._inotify = Inotify.begun()
        except OSError as error:
            _log.warning("folders cannot be watched: %s", error)
            return
        self._thread = Thread(target=self._run, args=(self._inotify,), name="sophia-watching")
        self._thread.start()

    def entering(self, folder_id: str) -> Callable[[str, int], None]:
        """What a walk through the folder calls with each folder that it enters, before it lists it."""

        def entered(path: str, descriptor: int) -> None:
            try:
                if self._inotify is None:
                    raise OSError("there is no watcher")
                with self._lock:
                    self._inotify.watch(folder_id, path, descriptor)
            except OSError as error:
                self.without[folder_id] = error.strerror or str(error)

        return entered

    def leave(self, folder_id: str) -> None:
        """Watch this folder no more."""
        self.without.pop(folder_id, None)
        with self._lock:
            self._unrest.pop(folder_id, None)
            if self._inotify is not None:
                self._inotify.unwatch(folder_id)

    def taken(self) -> dict[str, Unrest]:
        """What happened since this was last asked, by folder."""
        with self._lock:
            found, self._unrest = self._unrest, {}
        return found

    def close(self) -> None:
        """End the thread, and give back what the system lent."""
        if self._inotify is not None:
            self._inotify.end()
            if self._thread is not None:
                self._thread.join()
            self._inotify.close()
            self._inotify = None

    def _run(self, inotify: Inotify) -> None:
        while (happened := inotify.happened(None)) is not None:
            self._gather(happened)
            end = time.monotonic() + LONGEST_S
            while happened and time.monotonic() < end:
                happened = inotify.happened(REST_MS)
                if happened is None:
                    return
                self._gather(happened)
            if self._unrest:
                self._told()

    def _gather(self, happened: Iterable[Happening]) -> None:
        with self._lock:
            for one in happened:
                self._unrest.setdefault(one.folder_id, Unrest()).add(one)
