"""`sophia import`: each path is read as what it holds, or as what the owner says that it is."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sophia.capabilities.documents.roots import real_path
from sophia.core.errors import BadArguments
from sophia.importers import shelf, sources
from sophia.importers.bringing import Bringing
from sophia.importers.house import Intake
from sophia.importers.outcome import Outcome
from sophia.importers.paths import Progress, import_paths
from sophia.importers.sitting import Sitting
from sophia.importers.sources import FILES, SOURCES, Source

KINDS = (FILES, *SOURCES)


def taken(
    house: Intake, paths: Sequence[str], kind: str | None, progress: Progress, *, dry_run: bool = False
) -> dict[str, Any]:
    """What was taken in, or with `dry_run` what would be; `BadArguments` for a path at which there is nothing.

    Files and folders of documents are kept up with from then on. Another source is read once: reading it again takes
    in what is new, and changes nothing where nothing is.
    """
    real = list(dict.fromkeys(real_path(path) for path in paths))
    told = {path: source for path in real if (source := kind_at(house, path, kind)) is not None}
    outcomes = [_brought(house, path, source, progress, dry_run=dry_run) for path, source in told.items()]
    plain = [str(path) for path in real if path not in told]
    if plain:
        outcomes.append(import_paths(house, plain, progress, dry_run=dry_run))
    return {**_together(outcomes).told(), **({"dry_run": True} if dry_run else {})}


def kind_at(house: Intake, path: Path, kind: str | None) -> Source | None:
    """What the owner says that the path is, else what it is found to hold; `None` for documents."""
    if kind is not None:
        if kind not in KINDS:
            raise BadArguments("There is no such kind of source.", argument="kind", valid=list(KINDS))
        return SOURCES.get(kind)
    root, name = _parted(path)
    with shelf.opened(root, [Path(root)], house.roots.protected) as opened:
        return None if opened is None else sources.told(opened, root, name)


def _parted(path: Path) -> tuple[str, str | None]:
    """The folder to be opened, and the file in it that is meant."""
    return (str(path.parent), path.name) if path.is_file() else (str(path), None)


def _brought(house: Intake, path: Path, source: Source, progress: Progress, *, dry_run: bool) -> Outcome:
    root, name = _parted(path)
    sitting = Sitting.of(house, str(path), source.kind)
    outcome = Outcome(None if dry_run else sitting.session_id, kinds={str(path): source.kind})
    with shelf.opened(root, [Path(root)], house.roots.protected) as opened:
        if opened is None:
            raise BadArguments("There is no file or folder at that path.", argument="paths")
        place = sources.place(source, opened, root, name, house, outcome)
        bringing = Bringing(house, sitting, outcome, source.collection, dry_run=dry_run)
        bringing.all(source.read(place), lambda done: progress("reading", done, max(done, len(place.paths))))
    outcome.mutation_seq = sitting.mutation_seq
    return outcome


def _together(outcomes: Sequence[Outcome]) -> Outcome:
    """What several came to; the session is that of the last that changed anything."""
    last = next((one for one in reversed(outcomes) if one.mutation_seq is not None), outcomes[-1])
    whole = Outcome(last.import_session_id, last.mutation_seq)
    for one in outcomes:
        whole.documents += one.documents
        whole.entities += one.entities
        whole.facts += one.facts
        whole.masked += one.masked
        whole.folders += one.folders
        whole.skipped += one.skipped
        whole.samples += one.samples
        whole.kinds |= one.kinds
    return whole
