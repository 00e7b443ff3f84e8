"""The owner's commands over Sophia itself: how it is, whether the installation is sound, whether the data is whole."""

import os
import platform
import shutil
import stat
from pathlib import Path
from typing import Any

import msgspec

from sophia.access import approvals
from sophia.access.approvals import Wanted
from sophia.core.clock import rfc3339
from sophia.owner import records
from sophia.owner.command import Nothing
from sophia.owner.office import OWNER, Office
from sophia.owner.presence import Confirmation
from sophia.store import anchor
from sophia.store.anchor import Anchor, Missing, Tampered
from sophia.store.engine import library
from sophia.store.keys import home_of
from sophia.store.verify import verified
from sophia.version import VERSION

_LITTLE_SPACE = 500_000_000


class Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a check is to tell."""

    config: bool = False


class Verifying(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether the state is accepted as it is, though its anchor says that it was another."""

    accept: bool = False


def status(office: Office, _nothing: Nothing) -> dict[str, Any]:
    """Who serves, since when, how it is, and what waits for the owner."""
    parts = office.parts
    health = parts.interior.health()
    with parts.databases.ops.reading() as rows:
        live = records.live(rows, parts.clock.now())
        waiting = approvals.counted(rows, parts.clock, Wanted(status="pending"))
    head = parts.databases.state.head
    return {
        "running": office.serving,
        "pid": os.getpid(),
        "version": VERSION,
        "mcp_url": office.mcp_url,
        "data_dir": str(office.ownership.directory),
        "presence": office.presence,
        "key_home": home_of(office.ownership),
        "status": health.status,
        "reasons": health.reasons,
        "uptime_s": health.uptime_s,
        "write_ok": health.write_ok,
        "connections": live,
        "approvals_pending": waiting,
        "mutations": head.seq,
        "tools": len(parts.catalog.tools),
    }


def doctor(office: Office, asked: Asked) -> dict[str, Any]:
    """Each check of the installation with what it found and, where it failed, what mends it."""
    checks = [*_installation(office), *_privacy(office), *_state(office)]
    told: dict[str, Any] = {
        "ok": all(check["ok"] for check in checks),
        "version": VERSION,
        "presence": office.presence,
        "mcp_url": office.mcp_url if office.serving else None,
        "checks": checks,
    }
    if asked.config:
        told["config"] = office.settings.told()
    return told


def _check(name: str, told: str, fix: str | None = None) -> dict[str, Any]:
    return {"check": name, "ok": fix is None, "told": told} | ({} if fix is None else {"fix": fix})


def _installation(office: Office) -> list[dict[str, Any]]:
    free = shutil.disk_usage(office.ownership.directory).free
    return [
        _check("python", f"{platform.python_implementation()} {platform.python_version()} on {platform.system()}"),
        _check("database engine", library()),
        _check("daemon", f"process {os.getpid()}" if office.serving else "not running: this command did the work"),
        _check(
            "disk space",
            f"{free // 1_000_000} MB free",
            "Make room on the disk of the data directory." if free < _LITTLE_SPACE else None,
        ),
    ]


def _privacy(office: Office) -> list[dict[str, Any]]:
    directory = office.ownership.directory
    open_ones = [str(path.relative_to(directory)) for path in _open_to_others(directory)]
    unattended = office.presence == "unattended"
    unset = office.presence == "passphrase" and office.keys.home != "passphrase"
    return [
        _check(
            "data directory",
            f"{directory}" if not open_ones else f"open to other users: {', '.join(open_ones[:10])}",
            "Take the others' permissions away: chmod -R go= on the data directory." if open_ones else None,
        ),
        _check("key", f"{office.keys.key_id[:8]}, kept in: {office.keys.home}"),
        _check(
            "owner's presence",
            office.presence + (": nothing is asked, any program of yours can act as you" if unattended else ""),
            "Set a passphrase, or set presence to terminal: passphrase without one refuses everything."
            if unset
            else None,
        ),
    ]


def _open_to_others(directory: Path) -> list[Path]:
    return [
        path
        for path in (directory, *directory.rglob("*"))
        if not path.is_symlink() and path.exists() and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    ]


def _state(office: Office) -> list[dict[str, Any]]:
    health = office.parts.interior.health()
    state, unreadable = anchored(office), _unreadable(office)
    return [
        _check(
            "health",
            health.status + (f": {', '.join(health.reasons)}" if health.reasons else ""),
            "See the log below the data directory; reads go on meanwhile." if health.status == "failing" else None,
        ),
        _check(
            "anchor",
            state["anchor"],
            None
            if state["anchor"] in ("holds", "missing")
            else "Run `sophia verify`; if you restored a backup yourself, `sophia verify --accept`.",
        ),
        _check(
            "scopes",
            f"unreadable, so they count as empty: {', '.join(unreadable)}" if unreadable else "each can be read",
            "Give each of them a scope again: sophia scope CONNECTION all|ID,ID." if unreadable else None,
        ),
    ]


def _unreadable(office: Office) -> list[str]:
    """The live connections whose stored scope cannot be read."""
    with office.parts.databases.ops.reading() as rows:
        live = records.connections(rows, office.parts.clock.now(), ended=False)
    return [f"{one['name']} ({one['connection_short']})" for one in live if one["entity_scope"] == records.UNREADABLE]


def anchored(office: Office) -> dict[str, Any]:
    """How the state stands to the anchor that is kept outside it: `holds`, `missing`, `tampered` or `older`."""
    state = office.parts.databases.state
    match anchor.read(office.settings.key_dir, office.keys.key_id, office.keys.seal):
        case Missing():
            return {"anchor": "missing"}
        case Tampered(why):
            return {"anchor": "tampered", "why": why}
        case Anchor(seq, link, epoch):
            holds = state.read_only is None and epoch <= state.epoch and state.passed(seq, link)
            return {"anchor": "holds" if holds else "older", "anchor_seq": seq, "state_seq": state.head.seq}


def verify(office: Office, verifying: Verifying) -> dict[str, Any]:
    """What a reading of everything found. With `accept` the state counts from here on, whatever its anchor says."""

    def step(told: str, done: int, total: int | None) -> None:
        office.progress({"step": told, "done": done, "total": total})

    findings = verified(office.ownership, office.keys, step)
    before = anchored(office)
    if verifying.accept:
        _accept(office, before)
    after = anchored(office)
    return {
        "ok": findings.whole and after["anchor"] in ("holds", "missing"),
        "mutations": office.parts.databases.state.head.seq,
        "damage": findings.damage,
        "journal_breaks_at": findings.journal_breaks[0] if findings.journal_breaks else None,
        "journal_breaks": len(findings.journal_breaks),
        "rows_differ": [{"table": table, "id": row_id} for table, row_id in findings.differing],
        "security_log_breaks_at": findings.log_breaks_at,
        "checked_at": rfc3339(office.parts.clock.now()),
        "accepted": verifying.accept,
        **after,
    }


def _accept(office: Office, before: dict[str, Any]) -> None:
    state, ops = office.parts.databases.state, office.parts.databases.ops
    office.parts.databases.take_epoch()
    with ops.writing() as tx:
        tx.log("state_accepted", OWNER, str(state.head.seq), **before)
    now = Anchor(
        state.head.seq, state.head.hash, state.epoch, ops.head.n, ops.head.hash, state.head.seq, ops.head.n
    )  # fmt: skip
    anchor.write(office.settings.key_dir, office.keys.key_id, office.keys.seal, now)
    state.read_only = None


def verify_confirmed(office: Office, verifying: Verifying) -> Confirmation | None:
    """What accepting the state confirms; reading it confirms nothing."""
    if not verifying.accept:
        return None
    seq = office.parts.databases.state.head.seq
    return Confirmation(f"Accept the state as it is, at mutation {seq}, whatever was there after it.", f"accept {seq}")
