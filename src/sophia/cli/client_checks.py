"""What `doctor` finds in the clients' own files: whether each still reaches Sophia, and whether it keeps its secret."""

import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from sophia.cli.clients import CLIENTS, ClientName, Entry, Target, entries, project_of, target_of
from sophia.cli.config_file import ConfigFile, in_repository
from sophia.cli.environment import home
from sophia.cli.failed import Failed
from sophia.cli.kept import FOLDER, records
from sophia.cli.session import Session
from sophia.cli.snippets import command
from sophia.core.errors import SophiaError

Check = dict[str, Any]
_BEARER = re.compile(r"sophia_[A-Za-z0-9_-]{43}")
_PRIVATE = 0o077


@dataclass(frozen=True)
class Clients:
    """The files of every client that `sophia connect` wrote to, and those of the folder at hand."""

    key_dir: Path
    home: Path
    here: Path
    environ: Mapping[str, str]

    def checks(self, mcp_url: str | None) -> list[Check]:
        """One check for each client that is connected. Without the daemon's address, only what files show."""
        return [*self._connected(mcp_url), *self._open()]

    def _targets(self) -> Iterator[tuple[Target, ConfigFile]]:
        for record in records(self.key_dir):
            try:
                told = json.loads(record.text())
                client, project, written = told["client"], told["project"], told["written"]
            except (OSError, ValueError, KeyError, TypeError, SophiaError):
                continue
            if written and client in CLIENTS:
                root = None if project is None else Path(project)
                target = target_of(cast(ClientName, client), root, self.home, self.environ)
                yield target, ConfigFile(self.key_dir, (FOLDER, f"{record.path.stem}.env"))

    def _connected(self, mcp_url: str | None) -> Iterator[Check]:
        for target, env in self._targets():
            if target.file is None:
                continue
            again = f"{command()} connect {target.client}"
            again += "" if target.project is None else f" --project {shlex.quote(str(target.project))}"
            told, fix = self._looked(target, target.file, env, mcp_url)
            yield _check(target.name, f"{target.file.path}: {told}", fix and fix.replace("AGAIN", again))

    def _looked(self, target: Target, file: ConfigFile, env: ConfigFile, mcp_url: str | None) -> tuple[str, str | None]:
        """What was found, and what mends it; `AGAIN` stands for connecting the client once more."""
        try:
            found = entries(target, file.text())
        except (OSError, ValueError, SophiaError, AttributeError) as error:
            return f"cannot be read: {error}", "Mend the file; then AGAIN."
        if not found:
            return "no server called sophia", "AGAIN, or revoke its connection."
        for one in found:
            bearer = self._bearer(one, env)
            if bearer is None:
                return (
                    f"{one.variable or 'its bearer'} is not to be had",
                    "AGAIN, and start it as that says.",
                )
            if mcp_url is not None and (told := _unreached(one, bearer, mcp_url)) is not None:
                return told
        return "it connects" if mcp_url else "it is as it was written", None

    def _bearer(self, entry: Entry, env: ConfigFile) -> str | None:
        if entry.variable is None:
            shown = _BEARER.search(entry.authorization or "")
            return shown[0] if shown else None
        if entry.variable in self.environ:
            return self.environ[entry.variable]
        try:
            kept = _BEARER.search(env.text())
        except (OSError, SophiaError):
            return None
        return kept[0] if kept else None

    def _open(self) -> Iterator[Check]:
        """The files that hold a bearer where others may read it, or where it is committed."""
        seen: set[Path] = set()
        for file in self._files():
            path = file.path
            if path in seen:
                continue
            seen.add(path)
            try:
                status = path.stat()
                holds = _BEARER.search(path.read_text("utf-8", "replace"))
            except OSError:
                continue
            if holds is None:
                continue
            name = f"bearer in {path.name}"
            if in_repository(path) and self.key_dir not in path.parents:
                yield _check(
                    name,
                    f"{path} lies in a repository and holds a bearer",
                    f"Take it out, revoke that connection, and let `{command()} connect` write the file.",
                )
            elif status.st_mode & _PRIVATE:
                fix = f"chmod 600 {shlex.quote(str(path))}"
                yield _check(name, f"{path} can be read by others and holds a bearer", fix)

    def _files(self) -> Iterator[ConfigFile]:
        here = project_of(self.here)
        for client in CLIENTS:
            for project in (None, here):
                file = target_of(client, project, self.home, self.environ).file
                if file is not None:
                    yield file
        yield ConfigFile(here, (".mcp.json",))
        for target, env in self._targets():
            yield env
            if target.file is not None:
                yield target.file


def _unreached(entry: Entry, bearer: str, mcp_url: str) -> tuple[str, str] | None:
    """Why the client would not get through, and what mends it; `None` where it does."""
    if (entry.url or "").partition("?")[0] != mcp_url:
        return f"it points to {entry.url}, and Sophia is at {mcp_url}", "AGAIN."
    try:
        Session(mcp_url, bearer).tools()
    except Failed:
        return "its bearer was revoked, or has expired", "AGAIN."
    return None


def _check(name: str, told: str, fix: str | None) -> Check:
    return {"check": name, "ok": fix is None, "told": told} | ({} if fix is None else {"fix": fix})


def watches(limit: Path = Path("/proc/sys/fs/inotify/max_user_watches")) -> list[Check]:
    """Whether the system lets enough folders be watched; nothing where it has no such limit."""
    try:
        most = int(limit.read_text("ascii"))
    except (OSError, ValueError):
        return []
    fix = f"Watching {_WATCHES} folders takes more: sudo sysctl fs.inotify.max_user_watches={_WATCHES}."
    return [_check("folders to watch", f"{most} at most", fix if most < _WATCHES else None)]


_WATCHES = 8192


def clients(key_dir: Path) -> Clients:
    """The clients of whoever runs this command."""
    return Clients(key_dir, home(), Path.cwd(), os.environ)
