"""The journal by construction: triggers made from the schema keep every change, and a chain of hashes keeps them."""

import hashlib
import hmac
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring
from types import MappingProxyType
from typing import Any

import apsw

from sophia.store import forgotten
from sophia.store.rules import RULES, Rule
from sophia.store.schema import Table, table

GENESIS = "0" * 64


@dataclass(frozen=True, slots=True)
class Entry:
    """Who changed something, through what, and why."""

    user_id: str
    connection_id: str
    actor_name: str
    tool: str
    call_id: str
    at: int
    reason: str | None = None
    import_session_id: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One row of the journal: a row's images before and after."""

    table: str
    row_id: str
    op: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Head:
    """Where the journal ends."""

    seq: int
    hash: str


class Journal:
    """The journal of one writer connection. While no mutation is open, a journaled table cannot be written at all."""

    def __init__(self, db: apsw.Connection, seal: bytes) -> None:
        self._db = db
        self._key = journal_key(seal)
        self._open: int | None = None
        db.create_scalar_function("journal_seq", self._seq, 0, flags=apsw.SQLITE_INNOCUOUS)
        db.create_scalar_function("journal_digest", self._digest, 5, flags=apsw.SQLITE_INNOCUOUS)
        forgotten.known(db, seal)
        db.execute(_OPEN)
        db.execute(_ENTRY)

    def open(self) -> int:
        """Begin the next mutation inside the transaction at hand; its sequence number."""
        self._open = self.head().seq + 1
        return self._open

    def close(self) -> None:
        """End the mutation, kept or not."""
        self._open = None

    def head(self) -> Head:
        """The last mutation and the hash that covers all up to it."""
        found = self._db.execute("SELECT seq, hash FROM main.journal_head").get
        if found is None:
            raise apsw.CorruptError("the journal has no head")
        return Head(*found)

    def hash_at(self, seq: int) -> str | None:
        """The hash of the mutation of this number, or `None`."""
        self._open = seq
        try:
            found: str | None = self._db.execute(f'SELECT hash FROM "{VIEWS[1]}"').get
        finally:
            self._open = None
        return found

    def changes(self) -> list[Change]:
        """What the open mutation has changed so far, in order."""
        return [Change(*row) for row in self._db.execute(_CHANGES)]

    def imported(self) -> int:
        """How many rows the open mutation has changed so far, those of import sessions themselves aside."""
        return int(self._db.execute(_IMPORTED).get or 0)

    def changed(self) -> bool:
        """Whether the open mutation has changed anything so far."""
        return self._db.execute(_CHANGED).get is not None

    def keep(self, entry: Entry, reverted: Mapping[int, bool] = MappingProxyType({})) -> Head | None:
        """Write the open mutation's entry and move the head; `None` where nothing was changed.

        `reverted` are the mutations that it takes back, and whether each of them as a whole.
        """
        digests = [row[0] for row in self._db.execute(_DIGESTS)]
        if not digests or self._open is None:
            return None
        before, reason = self.head(), reason_digest(self._key, entry.reason)
        link = chained(before.hash, self._open, entry, reason, digests)
        self._db.execute(_KEEP, (
            self._open, entry.user_id, entry.at, entry.connection_id, entry.actor_name, entry.tool, entry.call_id,
            entry.reason, reason, entry.import_session_id, len(digests), link,
        ))  # fmt: skip
        self._db.executemany(_REVERT, [(entry.user_id, self._open, seq, whole) for seq, whole in reverted.items()])
        self._db.execute("UPDATE main.journal_head SET seq = ?, hash = ? WHERE id = 1", (self._open, link))
        return Head(self._open, link)

    def _seq(self, *_: object) -> int:
        if self._open is None:
            raise PermissionError("no mutation is open")
        return self._open

    def _digest(self, *image: Any) -> str:
        return _digest(self._key, *image)


VIEWS = ("changes of the open mutation", "entry of the open mutation")
"""The views through which the journal itself reads, whatever the scope."""
_OPEN = (
    f'CREATE TEMP VIEW "{VIEWS[0]}" AS SELECT n, table_name, row_id, op, before, after, digest'
    " FROM main.mutation_change WHERE mutation_seq = journal_seq()"
)
_ENTRY = f'CREATE TEMP VIEW "{VIEWS[1]}" AS SELECT hash FROM main.mutation WHERE seq = journal_seq()'
_CHANGES = f'SELECT table_name, row_id, op, before, after FROM "{VIEWS[0]}" ORDER BY n'
_CHANGED = f'SELECT 1 FROM "{VIEWS[0]}" LIMIT 1'
_IMPORTED = f"SELECT count(*) FROM \"{VIEWS[0]}\" WHERE table_name <> 'import_session'"
_DIGESTS = f'SELECT digest FROM "{VIEWS[0]}" ORDER BY n'
_KEEP = (
    "INSERT INTO main.mutation (seq, user_id, at, connection_id, actor_name, tool, call_id, reason,"
    " reason_digest, import_session_id, rows, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_REVERT = "INSERT INTO main.mutation_revert (user_id, mutation_seq, reverts_seq, whole) VALUES (?, ?, ?, ?)"


def journal_key(seal: bytes) -> bytes:
    """The key of the journal's digests, which somebody who only has the file cannot make."""
    return hmac.digest(seal, b"journal", "sha256")


def digest(key: bytes, change: Change) -> str:
    """The keyed digest of a change, which stays when the owner has its images forgotten: of its parts, as JSON."""
    return _digest(key, change.table, change.row_id, change.op, change.before, change.after)


def _digest(key: bytes, *parts: str | None) -> str:
    told = ", ".join(["null" if part is None else encode_basestring(part) for part in parts])
    return hashlib.blake2b(f"[{told}]".encode(), key=key, digest_size=32).hexdigest()


def reason_digest(key: bytes, reason: str | None) -> str | None:
    """The keyed digest of a mutation's reason, which stays when the owner has the reason forgotten."""
    return None if reason is None else hashlib.blake2b(reason.encode(), key=key, digest_size=32).hexdigest()


def chained(before: str, seq: int, entry: Entry, reason: str | None, digests: list[str]) -> str:
    """The hash of a mutation: over the hash before it, the entry with its reason's digest, and those of its changes."""
    told = [
        before, seq, entry.user_id, entry.connection_id, entry.actor_name, entry.tool, entry.call_id, entry.at,
        reason, entry.import_session_id, digests,
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(told, ensure_ascii=False).encode()).hexdigest()


def broken(
    db: apsw.Connection, seal: bytes, *, after: int = 0, looked: Callable[[int], None] = lambda _seq: None
) -> Iterator[int]:
    """The sequence numbers, in order, at which the journal is not what was written. The first is the bad one.

    Only what comes after the mutation `after` is looked at, whose own hash is then taken as it stands. `looked` is told
    of each mutation. One change is held at a time, and of a mutation the digests of its changes.
    """
    key = journal_key(seal)
    last = told = max(after, 0)
    before = db.execute("SELECT hash FROM main.mutation WHERE seq = ?", (last,)).get if last else GENESIS
    numbers: Any = db.execute(
        "SELECT seq FROM main.mutation WHERE seq > ?1 UNION SELECT mutation_seq FROM main.mutation_change"
        " WHERE mutation_seq < 1 UNION SELECT mutation_seq FROM main.mutation_change WHERE mutation_seq > ?1"
        " ORDER BY 1",
        (last,),
    )
    for (seq,) in numbers:
        looked(seq)
        if seq > last + 1:
            yield (told := last + 1)
        if _link(db, key, before or "", seq) is None:
            yield (told := seq)
        last, before = seq, db.execute("SELECT hash FROM main.mutation WHERE seq = ?", (seq,)).get
    head = db.execute("SELECT seq, hash FROM main.journal_head").get or (0, GENESIS)
    if head != (last, before) and min(last, head[0]) >= told:
        yield min(last, head[0]) + 1


def _link(db: apsw.Connection, key: bytes, before: str, seq: int) -> str | None:
    """The hash of a mutation where it follows from its entry, its changes and the hash before it; `None` else.

    What a tombstone accounts for may be gone: its digest stands for it. Nothing else may.
    """
    found: Any = db.execute(
        "SELECT user_id, connection_id, actor_name, tool, call_id, at, reason, import_session_id, reason_digest, rows,"
        " hash FROM main.mutation WHERE seq = ?",
        (seq,),
    ).fetchone()
    if found is None:
        return None
    *told, reason, rows, link = found
    entry = Entry(*told)
    digests: list[str] = []
    forgot = False
    kept: Any = db.execute(
        "SELECT table_name, row_id, op, before, after, digest,"
        " EXISTS (SELECT 1 FROM main.tombstone t WHERE t.id = forgotten_by) FROM main.mutation_change"
        " WHERE mutation_seq = ? ORDER BY n",
        (seq,),
    )
    for *image, written, erased in kept:
        change = Change(*image)
        if digest(key, change) != written and not (erased and change.before is None and change.after is None):
            return None
        digests.append(written)
        forgot = forgot or bool(erased)
    if entry.reason is None and reason is not None and not forgot:
        return None
    if entry.reason is not None and reason is None:  # kept before reasons had digests
        reason = entry.reason
    elif entry.reason is not None and reason_digest(key, entry.reason) != reason:
        return None
    return link if len(digests) == rows and chained(before, seq, entry, reason, digests) == link else None


def triggers(db: apsw.Connection, rules: Mapping[str, Rule] = RULES) -> Iterator[str]:
    """The statements that make every journaled table that is there keep its own changes."""
    for name, rule in rules.items():
        shape = table(db, name)
        if rule.journaled and shape.columns:  # a later migration may be the one that makes it
            yield from _triggers(shape)


def _triggers(shape: Table) -> Iterator[str]:
    old, new = _image(shape, "old"), _image(shape, "new")
    for op, row, before, after in (
        ("insert", "new", "NULL", new), ("update", "new", old, new), ("delete", "old", old, "NULL"),
    ):  # fmt: skip
        # The limit has each image made once, where it would be made for the row and for its digest.
        yield (
            f"CREATE TRIGGER journal_{shape.name}_{op} AFTER {op.upper()} ON {shape.name} BEGIN"
            " INSERT INTO mutation_change (mutation_seq, table_name, row_id, op, before, after, digest)"
            f" SELECT journal_seq(), '{shape.name}', {row}.id, '{op}', b, a,"
            f" journal_digest('{shape.name}', {row}.id, '{op}', b, a)"
            f" FROM (SELECT {before} AS b, {after} AS a LIMIT 1); END"
        )


def _image(shape: Table, which: str) -> str:
    return "json_object(" + ", ".join(f"'{column}', {which}.{column}" for column in shape.columns) + ")"


def told(image: str | None) -> dict[str, Any] | None:
    """A kept image as a row; `None` where there was none or it was forgotten."""
    return None if image is None else json.loads(image)
