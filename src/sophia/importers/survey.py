"""What has come, changed and gone in a folder since it was last looked through."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from sophia.capabilities.documents import folders, registered, waiting
from sophia.capabilities.documents.files import signature
from sophia.capabilities.documents.folders import Choice, Sight
from sophia.capabilities.documents.registered import Registered
from sophia.capabilities.documents.waiting import File
from sophia.catalog.call import Reader, Writer
from sophia.core.errors import LimitReached
from sophia.core.secrets.masked import secrets
from sophia.importers.shelf import Shelf


@dataclass(frozen=True, slots=True)
class Area:
    """A part of a folder: one of its folders, with all below it or by itself. The whole is `Area("")`."""

    path: str
    """Empty, or with a slash at the end."""
    deep: bool = True

    def holds(self, path: str) -> bool:
        """Whether a file of this path lies in it."""
        return path.startswith(self.path) and (self.deep or "/" not in path[len(self.path) :])


WHOLE = (Area(""),)


@dataclass(frozen=True, slots=True)
class Find:
    """A file to be read: new, changed, back, or known from another folder."""

    path: str
    location: str
    held: File | None


@dataclass
class Survey:
    """What a look through a folder came to. Nothing is noted of it so far."""

    location: str
    root: str
    finds: list[Find] = field(default_factory=list)
    missing: list[File] = field(default_factory=list)
    """Files that are where they were no more."""
    known: dict[str, File] = field(default_factory=dict)
    passed_over: Counter[str] = field(default_factory=Counter)
    left_out: dict[str, str] = field(default_factory=dict)
    """What is there and cannot be taken in as it is called or lies, by its path, with the reason."""
    too_many: bool = False
    hollow: bool = False
    """Whether an empty folder stands where the folder was: the place of a disk that is not there."""

    @property
    def state(self) -> str:
        """How the folder is: `here`, `gone`, or `too_many` files for one."""
        return "gone" if self.hollow else "too_many" if self.too_many else "here"


def surveyed(
    db: Reader,
    folder: Registered,
    shelf: Shelf,
    *,
    others: Iterable[Registered] = (),
    areas: Sequence[Area] = WHOLE,
    touched: frozenset[str] = frozenset(),
    root: str | None = None,
    entered: Callable[[str, int], None] = folders.unwatched,
) -> Survey:
    """The difference between what is there and what is known of it.

    Only the `areas` are looked at; `touched` are files that are to be read however they look, `root` is what the
    folder was the last time.
    """
    choice = Choice.of(folder.include, folder.exclude, registered.within(others, folder))
    survey = Survey(folder.location, shelf.identity, known=waiting.of_folder(db, folder.entity_id))
    sight = Sight(entered, passed_over=survey.passed_over)
    there: dict[str, os.stat_result] = {}
    try:
        for area in areas:
            _look(area, shelf, choice, sight, there)
    except LimitReached:
        survey.too_many = True
    live = any(file.state not in ("missing", "gone") for file in survey.known.values())
    if root not in (None, survey.root) and live and not there:
        survey.hollow = True
        return survey
    for path in [path for path in there if path not in survey.known and secrets(path)]:
        del there[path]
        survey.passed_over["secret_in_path"] += 1
    survey.left_out = {path: reason for path, reason in sight.left_out.items() if _left_out(path, survey, there)}
    survey.finds = _finds(db, folder, survey.known, there, touched)
    if not survey.too_many:
        survey.missing = [
            file
            for path, file in survey.known.items()
            if path not in there
            and path not in survey.left_out
            and file.state not in ("missing", "gone")
            and any(area.holds(path) for area in areas)
            and not any(path.startswith(unreadable) for unreadable in sight.unreadable)
            and not any(path.startswith(f"{inner}/") for inner in choice.apart)
        ]
    return survey


def _left_out(path: str, survey: Survey, there: dict[str, os.stat_result]) -> bool:
    """Whether that can be said under this path: no file has it, or had it, and it gives nothing away."""
    held = survey.known.get(path)
    return path not in there and (held is None or held.document_id is None) and not secrets(path)


def news(survey: Survey) -> dict[str, str]:
    """What is left out and is not noted so far."""
    noted = {path: file.reason for path, file in survey.known.items() if file.state == "failed"}
    return {path: reason for path, reason in survey.left_out.items() if noted.get(path) != reason}


def _look(area: Area, shelf: Shelf, choice: Choice, sight: Sight, there: dict[str, os.stat_result]) -> None:
    if not choice.enters(area.path.rstrip("/")):
        return
    try:
        folder = shelf.folder(area.path.rstrip("/"))
    except PermissionError:
        sight.unreadable.append(area.path)
        return
    except OSError:
        return  # there is none: what was in it is missing
    for seen in folders.walk(folder, shelf.protected, choice, below=area.path, deep=area.deep, sight=sight):
        there[seen.path] = seen.status


def _finds(
    db: Reader, folder: Registered, known: dict[str, File], there: dict[str, os.stat_result], touched: frozenset[str]
) -> list[Find]:
    start = folder.location.rstrip("/") + "/"
    elsewhere = waiting.at(db, [start + path for path in there if path not in known])
    found: list[Find] = []
    for path, status in there.items():
        held = known.get(path) or elsewhere.get(start + path)
        if held is None or path not in known or _differs(held, signature(status), path in touched):
            found.append(Find(path, start + path, held))
    return found


def _differs(held: File, now: str, touched: bool) -> bool:
    """Whether a known file has to be read: it is back, or it changed. One that waits is read anyway."""
    if held.state in ("missing", "gone"):
        return True
    return held.state not in ("queued", "scanned") and (touched or held.signature != now)


def noted(db: Writer, folder: Registered, survey: Survey) -> None:
    """Note what was found, for it to be taken in, in what order it may be: first what is there, then what is gone."""
    for find in survey.finds:
        held = find.held
        if held is None or held.folder_id != folder.entity_id:
            waiting.put(db, find.location, folder_id=folder.entity_id, path=find.path, state="queued", due_at=0)
        else:
            waiting.put(db, find.location, folder_id=held.folder_id, path=held.path, state="queued", tries=0, due_at=0)
    for file in survey.missing:
        if file.document_id is None:
            waiting.forget(db, file.id)
        else:
            waiting.put(db, file.id, folder_id=file.folder_id, path=file.path, state="missing", reason=None)
    note_left_out(db, folder, survey.left_out)
    waiting.scanned(db, folder.entity_id, survey.state, None if survey.hollow else survey.root)


def note_left_out(db: Writer, folder: Registered, left_out: dict[str, str]) -> None:
    """Note what cannot be taken in as it is called or lies: it is failed, and stays so until it is gone."""
    start = folder.location.rstrip("/") + "/"
    for path, reason in left_out.items():
        waiting.put(
            db, start + path, folder_id=folder.entity_id, path=path, state="failed", tries=1, due_at=0, reason=reason
        )
