"""Registered folders are taken in behind the calls: looked through, read, and kept, a piece at a time."""

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from sophia.capabilities.documents import intake, registered, waiting
from sophia.capabilities.documents.registered import Registered
from sophia.capabilities.documents.waiting import File
from sophia.core.clock import SECOND
from sophia.core.errors import SophiaError
from sophia.core.secrets.masking import Masking
from sophia.importers import paths, shelf, survey
from sophia.importers.house import Intake
from sophia.importers.keeping import Keeper
from sophia.importers.reading import Ready, prepared
from sophia.importers.shelf import Shelf
from sophia.importers.survey import WHOLE, Find
from sophia.importers.watching import Unrest, Watcher

BATCH_FILES = 64
BATCH_BYTES = 1_000_000
"""A transaction of so many files, or so much text, holds nobody up for long."""
NOTES = 2_000
LOOK_AGAIN_S = 60.0
"""So often a folder that cannot be watched is looked through."""
BATCH_US = 2 * SECOND
"""After so long of reading, what was read is kept: whoever stops the daemon does not wait for all."""
BUSY_S = 0.5
PASSING_ERRORS = frozenset({"unavailable", "storage_full", "read_only", "deadline_exceeded"})
"""Refusals that come of the moment, and not of what is being written."""
_log = logging.getLogger("sophia.ingest")


@dataclass
class Ingest:
    """The chore that keeps documents what their files are."""

    house: Intake
    wake: Callable[[], None]
    name: str = "ingest"
    _started: bool = False
    _pending: dict[str, Unrest] = field(default_factory=dict)
    _looked: dict[str, int] = field(default_factory=dict)
    _watched: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.watcher = Watcher(self.wake)

    @property
    def unwatched(self) -> int:
        """How many folders are only looked through now and then, because they cannot be watched."""
        return len(self.watcher.without)

    def step(self) -> float | None:
        """Do one piece; when the next is due."""
        if self.house.databases.state.read_only:
            return None
        if not self.house.alone.acquire(blocking=False):
            return BUSY_S
        try:
            return self._stepped()
        finally:
            self.house.alone.release()

    def close(self) -> None:
        """End watching, and the reading of files."""
        self.watcher.close()
        self.house.extracting.close()

    def _stepped(self) -> float | None:
        with self.house.databases.state.reading(self.house.owner) as db:
            wishes = waiting.wishes(db)
            folders = registered.listed(db)
            scans = waiting.scans(db)
        if wishes:
            self._resume(*wishes[0])
            return 0
        self._attend(folders, scans)
        asked = [folder for folder in folders if folder.entity_id in self._pending]
        if asked:
            self._look(asked[0], folders, scans.get(asked[0].entity_id))
            return 0
        here = [folder for folder in folders if scans[folder.entity_id].state in ("here", "too_many")]
        if not here:
            return self._next(None)
        for state, work in (("queued", self._take), ("scanned", self._take), ("missing", self._archive)):
            found = self._due(here, state)
            if found:
                work(here, found)
                return 0
        with self.house.databases.state.reading(self.house.owner) as db:
            return self._next(waiting.next_due(db, [folder.entity_id for folder in here]))

    def _resume(self, import_session_id: str, folders: Sequence[str]) -> None:
        """Do an import that was begun; one that is refused is not done later either."""
        try:
            paths.resumed(self.house, import_session_id, folders)
        except SophiaError as error:
            if error.code in PASSING_ERRORS:
                raise
            _log.exception("an import that was begun cannot be done")
            with self.house.databases.state.writing(self.house.owner, self.house.entry("ingest")) as unit:
                waiting.granted(unit.tx, import_session_id)

    def _attend(self, folders: Sequence[Registered], scans: dict[str, waiting.Scan]) -> None:
        """Know which folders are to be looked at: asked for, stirred, not seen since the start, or due again."""
        now, ids = self.house.clock.awake(), {folder.entity_id for folder in folders}
        for folder in folders:
            key = folder.entity_id
            scan = scans.get(key)
            if folder.watch and key not in self._watched:
                self.watcher.begin()
                self._watched.add(key)
                self._pending[key] = Unrest(whole=True)
            if not folder.watch and key in self._watched:
                self._left(key)
            rested = now - self._looked.get(key, now) >= LOOK_AGAIN_S * SECOND
            if scan is None or scan.due or (folder.watch and rested and self._again(key, scan)):
                self._pending.setdefault(key, Unrest()).whole = True
        for key in self._watched - ids:
            self._left(key)
        for key, unrest in self.watcher.taken().items():
            if key in ids:
                self._pending.setdefault(key, Unrest()).join(unrest)

    def _again(self, key: str, scan: waiting.Scan) -> bool:
        """Whether a folder has to be looked at now and then: nothing tells when it changes, or comes back."""
        return key in self.watcher.without or scan.state in ("gone", "not_granted")

    def _left(self, key: str) -> None:
        self._watched.discard(key)
        self._pending.pop(key, None)
        self.watcher.leave(key)

    def _look(self, folder: Registered, folders: Sequence[Registered], scan: waiting.Scan | None) -> None:
        """Note what has come, changed and gone in the folder."""
        key, unrest = folder.entity_id, self._pending[folder.entity_id]
        roots = self.house.roots.paths()
        with shelf.opened(folder.location, roots, self.house.roots.protected) as opened:
            if opened is None:
                granted = any(folder.location == str(root) or folder.location.startswith(f"{root}/") for root in roots)
                self._noted(folder, scan, "gone" if granted else "not_granted")
            else:
                self._surveyed(folder, folders, scan, opened, unrest)
        self._looked[key] = self.house.clock.awake()
        self._pending.pop(key, None)

    def _surveyed(
        self,
        folder: Registered,
        folders: Sequence[Registered],
        scan: waiting.Scan | None,
        opened: Shelf,
        unrest: Unrest,
    ) -> None:
        whole = unrest.whole or scan is None or scan.state != "here" or scan.root != opened.identity
        if whole:
            self.watcher.without.pop(folder.entity_id, None)
        watching = {"entered": self.watcher.entering(folder.entity_id)} if folder.watch else {}
        with self.house.databases.state.reading(self.house.owner) as db:
            found = survey.surveyed(
                db, folder, opened, others=folders, areas=WHOLE if whole else unrest.where,
                touched=frozenset(unrest.touched), root=scan.root if scan else None, **watching,
            )  # fmt: skip
        for part in _parts(found):
            with self.house.databases.state.writing(self.house.owner, self.house.entry("ingest")) as unit:
                survey.noted(unit.tx, folder, part)
        if not found.finds and not found.missing and not survey.news(found):
            self._noted(folder, scan, found.state, None if found.hollow else found.root)

    def _noted(self, folder: Registered, scan: waiting.Scan | None, state: str, root: str | None = None) -> None:
        """Note how the folder is, where that is not what is noted."""
        if scan and not scan.due and scan.state == state and root in (None, scan.root):
            return
        with self.house.databases.state.writing(self.house.owner, self.house.entry("ingest")) as unit:
            waiting.scanned(unit.tx, folder.entity_id, state, root)

    def _due(self, folders: Sequence[Registered], state: str) -> list[File]:
        with self.house.databases.state.reading(self.house.owner) as db:
            ids = [folder.entity_id for folder in folders]
            return waiting.due(db, ids, state, self.house.clock.now(), BATCH_FILES)

    def _take(self, folders: Sequence[Registered], files: Sequence[File]) -> None:
        """Read these files, as many as are a piece, and keep what came of them."""
        masking = self.house.secrets.masking()
        ready = list(self._read({folder.entity_id: folder for folder in folders}, files, masking))
        if not ready:
            return
        self.house.secrets.keep(masking.hits, self.house.owner.connection_id, "ingest")
        try:
            self._keep(folders, ready)
        except SophiaError as error:
            if error.code in PASSING_ERRORS:
                raise
            for one in ready:
                self._keep_alone(folders, one)

    def _keep(self, folders: Sequence[Registered], ready: Sequence[Ready]) -> None:
        with self.house.databases.state.writing(self.house.owner, self.house.entry("ingest")) as unit:
            keeper = Keeper(unit.tx, self.house.act(), folders)
            keeper.begin(ready)
            for one in ready:
                keeper.keep(one)
            keeper.settle()

    def _keep_alone(self, folders: Sequence[Registered], one: Ready) -> None:
        """Keep a file by itself, so that one that cannot be kept stops no other."""
        try:
            self._keep(folders, [one])
        except SophiaError as error:
            if error.code in PASSING_ERRORS:
                raise
            _log.exception("a file could not be kept")
            self._keep(folders, [Ready(one.find, one.folder_id, one.signature, reason=error.code)])

    def _read(self, folders: dict[str, Registered], files: Sequence[File], masking: Masking) -> Iterable[Ready]:
        with self.house.databases.state.reading(self.house.owner) as db:
            ids = [file.document_id for file in files if file.document_id]
            by_id = intake.held_by_id(db, ids)
            at = intake.held_at(db, [file.id for file in files])
        room, began = BATCH_BYTES, self.house.clock.awake()
        for key in dict.fromkeys(file.folder_id for file in files):
            mine = [file for file in files if file.folder_id == key]
            with shelf.opened(folders[key].location, self.house.roots.paths(), self.house.roots.protected) as opened:
                if opened is None:
                    self._pending.setdefault(key, Unrest()).whole = True
                    continue
                for file in mine:
                    if room <= 0 or self.house.clock.awake() - began > BATCH_US:
                        return
                    document = by_id.get(file.document_id or "") or at.get(file.id)
                    held = document["content_sha256"] if document and document["tier"] != "scanned" else None
                    one = prepared(
                        opened.read, self.house.extracting, masking, Find(file.path, file.id, file), key, held,
                        whole=file.state == "scanned",
                    )  # fmt: skip
                    room -= max(one.size, BATCH_BYTES // 8 if file.state == "scanned" else 1)
                    yield one

    def _archive(self, folders: Sequence[Registered], files: Sequence[File]) -> None:
        with self.house.databases.state.writing(self.house.owner, self.house.entry("ingest")) as unit:
            keeper = Keeper(unit.tx, self.house.act(), folders)
            for file in files:
                keeper.archive(file)
            keeper.settle()

    def _next(self, due_at: int | None) -> float | None:
        """In how many seconds something is due."""
        waits = [] if due_at is None else [max(0.05, (due_at - self.house.clock.now()) / SECOND)]
        if self._watched and (self.watcher.without or self._absent()):
            waits.append(LOOK_AGAIN_S)
        return min(waits, default=None)

    def _absent(self) -> bool:
        with self.house.databases.state.reading(self.house.owner) as db:
            return any(scan.state in ("gone", "not_granted") for scan in waiting.scans(db).values())


def _parts(found: survey.Survey) -> Iterable[survey.Survey]:
    """What was found in pieces of a bounded transaction each."""
    for first in range(0, len(found.finds), NOTES):
        yield survey.Survey(found.location, found.root, found.finds[first : first + NOTES], too_many=found.too_many)
    for first in range(0, len(found.missing), NOTES):
        missing = found.missing[first : first + NOTES]
        yield survey.Survey(found.location, found.root, missing=missing, too_many=found.too_many)
    if left_out := survey.news(found):
        yield survey.Survey(found.location, found.root, left_out=left_out, too_many=found.too_many)
