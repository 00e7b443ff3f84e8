"""The owner's command that writes all of it out in open formats: JSON Lines by table, Markdown by document."""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from sophia.core.clock import rfc3339
from sophia.core.errors import BadArguments, Conflict, NotPermitted, Unavailable
from sophia.owner.folders import PathText
from sophia.owner.office import OWNER, Office
from sophia.owner.presence import Confirmation
from sophia.store.snapshotted import Snapshotted, snapshotted
from sophia.version import VERSION

MANIFEST = "manifest.json"
_SLUG = re.compile(r"[^\w-]+")
_READ_ME = """\
# What Sophia held

`tables/NAME.jsonl` has each row of the table NAME as one JSON object, by id. `documents/` has each document's text with
what is known of it above; `content_sha256` is the digest of the original, which stays where `location` says it is.
`manifest.json` has the number of rows and the SHA-256 of each table's file, and the mutation that all of it is of.
Nothing of this is encrypted.
"""


class Export(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A folder that is not there yet, or is empty, by its absolute path."""

    path: PathText


def run(office: Office, asked: Export) -> dict[str, Any]:
    """What was written: `{path, mutations, journal_hash, documents, tables: {name: {rows, sha256}}, warning}`."""
    folder = _folder(office, Path(asked.path))
    try:
        with snapshotted(office.ownership, office.keys) as found:
            told = _written(office, folder, found)
    except OSError as error:
        raise Unavailable(f"The export cannot be written: {error.strerror}.") from None
    with office.parts.databases.ops.writing() as tx:
        tx.log("exported", OWNER, asked.path, mutations=told["mutations"])
    return {"path": asked.path, **told, "warning": "Nothing of this is encrypted: keep it where nobody else reads."}


def confirmed(office: Office, asked: Export) -> Confirmation:
    """What an export confirms."""
    return Confirmation(f"Write all of {office.ownership.directory} to {asked.path}, unencrypted.", "export")


def _folder(office: Office, path: Path) -> Path:
    """The folder, made if need be, for nobody else to read."""
    try:
        parent = path.parent.resolve(strict=True)
    except (OSError, RuntimeError):
        raise BadArguments("There is no folder to make the export in; make it first.", argument="path") from None
    folder = parent / path.name
    for own in (office.ownership.directory, office.settings.key_dir):
        if folder.is_relative_to(own.resolve()):
            raise NotPermitted("An export is not put into the data directory or beside its key.", argument="path")
    try:
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        empty = folder.is_dir() and not folder.is_symlink() and next(folder.iterdir(), None) is None
    except OSError as error:
        raise Unavailable(f"The export cannot be written: {error.strerror}.") from None
    if not empty:
        raise Conflict("An export needs a folder that is new, or empty.", argument="path")
    return folder


def _written(office: Office, folder: Path, found: Snapshotted) -> dict[str, Any]:
    (folder / "tables").mkdir(mode=0o700)
    (folder / "documents").mkdir(mode=0o700)
    tables: dict[str, dict[str, Any]] = {}
    for done, name in enumerate(found.tables):
        office.progress({"step": f"writing {name}", "done": done, "total": len(found.tables)})
        rows, sha256 = _lines(folder / "tables" / f"{name}.jsonl", found.rows(name))
        tables[name] = {"rows": rows, "sha256": sha256}
    documents = _documents(folder / "documents", found)
    told = {
        "mutations": found.head.seq,
        "journal_hash": found.head.hash,
        "documents": documents,
        "tables": tables,
    }
    made = {"format": 1, "version": VERSION, "schema": found.version, "made_at": rfc3339(office.parts.clock.now())}
    _put(folder / "README.md", _READ_ME)
    _put(folder / MANIFEST, json.dumps({**made, **told}, indent=1) + "\n")
    return told


def _lines(path: Path, rows: Iterable[dict[str, Any]]) -> tuple[int, str]:
    """How many rows were written, and the SHA-256 of the file."""
    digest, many = hashlib.sha256(), 0
    with path.open("xb") as file:
        for row in rows:
            line = msgspec.json.encode(row) + b"\n"
            digest.update(line)
            file.write(line)
            many += 1
        file.flush()
        os.fsync(file.fileno())
    return many, digest.hexdigest()


def _documents(folder: Path, found: Snapshotted) -> int:
    """Each document as a file of its own: what is known of it, then its text; how many there are."""
    many = 0
    for document, text in _paired(found):
        known = {
            name: rfc3339(value) if name.endswith("_at") and value is not None else value
            for name, value in document.items()
            if name != "user_id" and value is not None
        }
        above = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in known.items())
        slug = _SLUG.sub("-", str(document["title"])).strip("-")[:60]
        _put(folder / f"{document['id']}{'-' if slug else ''}{slug}.md", f"---\n{above}---\n\n{text}")
        many += 1
    return many


def _paired(found: Snapshotted) -> Iterator[tuple[dict[str, Any], str]]:
    """Each document with its text, from two tables that are both in the order of the ids."""
    texts = found.rows("document_text")
    text = next(texts, None)
    for document in found.rows("document"):
        if text is not None and text["id"] == document["id"]:
            yield document, text["text"]
            text = next(texts, None)
        else:
            yield document, ""


def _put(path: Path, text: str) -> None:
    with path.open("x", encoding="utf-8", newline="") as file:
        file.write(text)
