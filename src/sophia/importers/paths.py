"""`sophia import`: the owner's folders and files, taken in as one mutation."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sophia.capabilities.documents import intake, registered, waiting
from sophia.capabilities.documents.registered import Registered, Terms as FolderTerms
from sophia.capabilities.documents.roots import real_path
from sophia.capabilities.meta import import_sessions
from sophia.capabilities.meta.import_sessions import Terms
from sophia.core.errors import BadArguments, SophiaError
from sophia.core.secrets.masked import secrets
from sophia.core.secrets.masking import Masking
from sophia.importers import shelf, survey
from sophia.importers.house import Intake
from sophia.importers.keeping import Keeper
from sophia.importers.outcome import Outcome
from sophia.importers.reading import Ready, prepared
from sophia.importers.survey import Find, Survey
from sophia.store.tx import Tx

MAX_NAMED = 500
MAX_TEXT = 100_000_000
"""The most bytes that one import takes in at once; the work behind the calls goes on where it ended."""
Progress = Callable[[str, int, int], None]
"""Told the stage, `reading` or `writing`, how many files are done, and of how many."""


@dataclass(frozen=True, slots=True)
class Source:
    """One path that the owner named: a folder with what is new in it, or a file by itself."""

    location: str
    finds: tuple[Find, ...]
    folder: Registered | None
    """The folder as it is registered; of a file by itself the one that it lies in. `None` where there is none yet."""
    survey: Survey | None = None
    """What the look through a folder came to; `None` for a file by itself."""


class _DryRun(Exception):
    """Has everything rolled back."""


def import_paths(house: Intake, paths: Sequence[str], progress: Progress, *, dry_run: bool = False) -> Outcome:
    """Take the files of these folders, and these files, in as documents; what was made of them.

    Each folder is granted to agents and registered, so that it is watched from now on. A file that was imported before
    changes its document where its bytes changed, and nothing where they did not; the document of one that is gone is
    archived. One that cannot be read is named in `skipped`. `BadArguments` for a path at which there is nothing.
    With `dry_run` nothing of it is kept.
    """
    named = list(dict.fromkeys(_named(house, path) for path in paths))
    folders = [str(path) for path, is_folder in named if is_folder]
    lone = [str(path) for path, is_folder in named if not is_folder]
    outcome = Outcome(house.ids.new("imp"))
    if dry_run:
        with house.alone, suppress(_DryRun):
            _import(house, folders, lone, outcome, progress, dry_run=True)
        return Outcome(**{**vars(outcome), "import_session_id": None, "mutation_seq": None})
    with house.alone:
        for folder in folders:
            house.roots.grants.grant(folder, house.owner.connection_id)
        if folders:
            with house.databases.state.writing(house.owner, house.entry("sophia import")) as unit:
                waiting.wish(unit.tx, str(outcome.import_session_id), folders, house.clock.now())
        try:
            _import(house, folders, lone, outcome, progress)
        except SophiaError:
            # It was refused, and said so: nobody waits for it to be done later.
            with house.databases.state.writing(house.owner, house.entry("sophia import")) as unit:
                waiting.granted(unit.tx, str(outcome.import_session_id))
            raise
    return outcome


def resumed(house: Intake, import_session_id: str, folders: Sequence[str]) -> None:
    """Do an import that was begun and did not come to its end. Only by whoever holds `house.alone`."""
    there = [folder for folder in folders if Path(folder).is_dir()]
    _import(house, there, [], Outcome(import_session_id), lambda _stage, _done, _total: None)


def _named(house: Intake, path: str) -> tuple[Path, bool]:
    real = real_path(path)
    return (real, False) if real.is_file() else (house.roots.folder(path), True)


def _import(
    house: Intake,
    folders: Sequence[str],
    lone: Sequence[str],
    outcome: Outcome,
    progress: Progress,
    *,
    dry_run: bool = False,
) -> None:
    with house.databases.state.reading(house.owner) as db:
        known = registered.listed(db)
    sources = [_looked(house, known, folders, path, outcome) for path in folders]
    sources += [_file(house, known, path) for path in lone]
    masking = house.secrets.masking()
    ready = _read(house, sources, masking, outcome, progress)
    if not dry_run:
        house.secrets.keep(masking.hits, house.owner.connection_id, "sophia import")
    outcome.masked = len(masking.hits)
    if ready or folders:
        named = ", ".join([*folders, *lone])[:MAX_NAMED]
        _write(house, sources, ready, Writing(outcome, progress, Terms(named, "files", None, None), dry_run))


def _looked(house: Intake, known: Sequence[Registered], wanted: Sequence[str], path: str, outcome: Outcome) -> Source:
    """What is new in a folder."""
    held = next((folder for folder in known if folder.location == path), None)
    coming = [Registered("", "", one, (), (), True, "") for one in wanted]
    as_if = held or Registered("", "", path, (), registered.LEFT_OUT, True, house.owner.connection_id)
    with shelf.opened(path, [Path(path)], house.roots.protected) as opened:
        if opened is None:
            raise BadArguments("There is no folder at that path.", argument="path")
        with house.databases.state.reading(house.owner) as db:
            scan = waiting.scans(db).get(as_if.entity_id)
            found = survey.surveyed(db, as_if, opened, others=[*known, *coming], root=scan.root if scan else None)
            waits = [Find(file.path, file.id, file) for file in found.known.values() if file.state in
                     ("queued", "scanned", "failed", "quarantined") and not _in(file.path, found)]  # fmt: skip
    if found.too_many:
        outcome.skip(path, "limit_reached")
    for left_out, reason in found.left_out.items():
        outcome.skip(f"{path.rstrip('/')}/{left_out}", reason)
    return Source(path, (*found.finds, *waits), held, found)


def _in(path: str, found: Survey) -> bool:
    return (
        path in found.left_out
        or any(find.path == path for find in found.finds)
        or any(file.path == path for file in found.missing)
    )


def _file(house: Intake, known: Sequence[Registered], path: str) -> Source:
    """A file by itself, in the registered folder that it lies in, where there is one."""
    around = registered.nearest(known, path)
    within = path.removeprefix(around.location.rstrip("/") + "/") if around else Path(path).name
    with house.databases.state.reading(house.owner) as db:
        held = waiting.at(db, [path]).get(path)
    return Source(str(Path(path).parent), (Find(within, path, held),), around)


def _read(
    house: Intake, sources: Sequence[Source], masking: Masking, outcome: Outcome, progress: Progress
) -> list[list[Ready]]:
    """Of each source the files, read and made ready, each once."""
    total = sum(len(source.finds) for source in sources)
    done, room, seen = 0, MAX_TEXT, set[str]()
    found: list[list[Ready]] = []
    for source in sources:
        mine: list[Ready] = []
        found.append(mine)
        with house.databases.state.reading(house.owner) as db:
            at = intake.held_at(db, [find.location for find in source.finds])
        root = source.location if source.survey or not source.folder else source.folder.location
        with shelf.opened(root, [Path(root)], house.roots.protected) as opened:
            for find in source.finds:
                done += 1
                progress("reading", done, total)
                if opened is None or find.location in seen:
                    continue
                if source.survey is None and secrets(find.location):
                    outcome.skip(find.location, "secret_in_path")
                    continue
                seen.add(find.location)
                document = at.get(find.location)
                held = document["content_sha256"] if document and document["tier"] != "scanned" else None
                folder_id = source.folder.entity_id if source.folder else None
                one = prepared(opened.read, house.extracting, masking, find, folder_id, held, whole=True)
                if one.size > room:
                    outcome.skip(find.location, "limit_reached")
                    mine.append(Ready(find, folder_id, reason="limit_reached"))
                else:
                    room -= one.size
                    mine.append(one)
    return found


@dataclass(frozen=True, slots=True)
class Writing:
    """How what was read is written: for which session, who is told, and whether any of it is kept."""

    outcome: Outcome
    progress: Progress
    terms: Terms
    dry_run: bool


def _write(house: Intake, sources: Sequence[Source], ready: Sequence[Sequence[Ready]], how: Writing) -> None:
    act, total, outcome = house.act(), sum(len(mine) for mine in ready), how.outcome
    entry = house.entry("sophia import", outcome.import_session_id)
    with house.databases.state.writing(house.owner, entry) as unit:
        registering = {
            source.location: _registered(unit.tx, source, house, outcome) for source in sources if source.survey
        }
        for source in sources:
            for file in source.survey.missing if source.survey else ():
                waiting.put(unit.tx, file.id, folder_id=file.folder_id, path=file.path, state="missing")
        keeper = Keeper(unit.tx, act, registered.listed(unit.tx))
        keeper.begin([one for mine in ready for one in mine])
        done = 0
        for source, mine in zip(sources, ready, strict=True):
            folder = registering.get(source.location) if source.survey else source.folder
            for one in mine:
                done += 1
                how.progress("writing", done, total)
                _keep(keeper, one, folder)
        for source in sources:
            if source.survey:
                _archive(keeper, source.survey, registering[source.location], outcome)
        keeper.settle()
        waiting.granted(unit.tx, str(outcome.import_session_id))
        kept = keeper.kept
        outcome.documents = kept.documents
        for location, reason in kept.left_out:
            outcome.skip(location, reason)
        if how.dry_run:
            raise _DryRun
        if unit.changed():
            import_sessions.begin(
                unit.tx, outcome.import_session_id or "", house.owner, how.terms, house.clock, status="committed"
            )
            outcome.mutation_seq = unit.seq


def _registered(tx: Tx, source: Source, house: Intake, outcome: Outcome) -> Registered:
    """The folder of a source, registered and looked through."""
    assert source.survey is not None  # noqa: S101 - a folder was looked through
    act = house.act()
    folder, made = registered.register(tx, FolderTerms(source.location), act.connection_id, act.now, act.new_id)
    outcome.entities += made
    survey.note_left_out(tx, folder, source.survey.left_out)
    waiting.scanned(tx, folder.entity_id, source.survey.state, None if source.survey.hollow else source.survey.root)
    return folder


def _archive(keeper: Keeper, found: Survey, folder: Registered, outcome: Outcome) -> None:
    """Archive what is gone from a folder, and tell of the folder."""
    before = keeper.kept.did["archived"]
    for file in found.missing:
        keeper.archive(file)
    told = {"entity_id": folder.entity_id, "path": folder.location}
    archived = keeper.kept.did["archived"] - before
    more = {"archived": archived, "passed_over": dict(sorted(found.passed_over.items()))}
    outcome.folders.append(told | {name: value for name, value in more.items() if value})


def _keep(keeper: Keeper, one: Ready, folder: Registered | None) -> None:
    folder_id = folder.entity_id if folder else None
    placed = Ready(one.find, folder_id, one.signature, one.bytes, one.text, one.reason)
    if one.reason == "limit_reached":
        if folder_id is not None:
            waiting.put(keeper.db, one.find.location, folder_id=folder_id, path=one.find.path, state="queued", due_at=0)
    else:
        keeper.keep(placed)
