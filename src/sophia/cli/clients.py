"""The clients that can be connected: where each keeps its configuration, and how it reads a bearer there."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import tomlkit

from sophia.cli.config_file import ConfigFile, in_repository
from sophia.cli.merging import NAME, with_json_entry, with_toml_entry
from sophia.core.errors import BadArguments
from sophia.core.names import free_name

ClientName = Literal["claude-code", "codex", "cursor", "json"]
CLIENTS: tuple[ClientName, ...] = ("claude-code", "codex", "cursor", "json")
_FRESH_PROJECT: dict[str, Any] = {
    "allowedTools": [], "mcpContextUris": [], "mcpServers": {}, "enabledMcpjsonServers": [],
    "disabledMcpjsonServers": [], "hasTrustDialogAccepted": False,
}  # fmt: skip
"""What Claude Code itself writes for a project that it knows nothing of yet."""


@dataclass(frozen=True)
class Target:
    """One client's place for one project, or for all of this user's."""

    client: ClientName
    project: Path | None
    file: ConfigFile | None
    """The file that the client reads; `None` for one that is only printed for."""
    keys: tuple[tuple[str, ...], ...] = ()
    """Where in a JSON file the server stands: in each of these places."""
    holds_bearer: bool = False
    """Whether the file may hold the bearer: it is the user's own, and lies where nothing is committed."""

    @property
    def name(self) -> str:
        """What the connection is called, in words that can be typed where its owner is asked to."""
        if self.project is None:
            return self.client
        try:
            return free_name(f"{self.client} in {self.project.name}")
        except BadArguments:  # a folder may be called what no connection may be
            return f"{self.client} in {_short(self.project)}"

    @property
    def slug(self) -> str:
        """The same for files: no two projects share it."""
        return self.client if self.project is None else f"{self.client}-{_short(self.project)}"

    @property
    def variable(self) -> str:
        """The environment variable in which the client looks for its bearer.

        No two projects share it, whatever they are called. Its last word is one by which clients keep variables from
        the commands that their agents run.
        """
        words = [self.client] if self.project is None else [self.client, self.project.name, _short(self.project)]
        return "SOPHIA_" + re.sub(r"[^A-Z0-9]+", "_", "_".join(words).upper()).strip("_") + "_TOKEN"

    def merged(self, text: str, url: str, bearer: str) -> str:
        """The file's text with this server in it, and everything else as it was."""
        if self.client == "codex":
            return with_toml_entry(text, {"url": url, "bearer_token_env_var": self.variable})
        for keys in self.keys:
            text = with_json_entry(text, keys, self._entry(url, bearer), fresh=_FRESH_PROJECT)
        return text

    def _entry(self, url: str, bearer: str) -> dict[str, Any]:
        shown = bearer if self.holds_bearer else self._reference()
        told = {"url": url, "headers": {"Authorization": f"Bearer {shown}"}}
        return told if self.client == "cursor" else {"type": "http", **told}

    def _reference(self) -> str:
        return f"${{env:{self.variable}}}" if self.client == "cursor" else f"${{{self.variable}}}"


def target_of(client: ClientName, project: Path | None, home: Path, environ: Mapping[str, str]) -> Target:
    """Where this client looks: in the file of this user's own, or in the project's."""
    match client:
        case "claude-code":
            return _claude_code(project, home, environ)
        case "codex":
            return Target(client, project, _codex_file(project, home, environ))
        case "cursor":
            file = ConfigFile(project or home, (".cursor", "mcp.json"))
            own = project is None and not in_repository(file.path)
            return Target(client, project, file, (("mcpServers", NAME),), own)
        case "json":
            return Target(client, project, None, (("mcpServers", NAME),), holds_bearer=True)


def _claude_code(project: Path | None, home: Path, environ: Mapping[str, str]) -> Target:
    """Even for one project, Claude Code keeps what is only this user's in one file outside of it."""
    named = environ.get("CLAUDE_CONFIG_DIR")
    file = ConfigFile(Path(named) if named else home, (".claude.json",))
    keys: tuple[tuple[str, ...], ...] = (("mcpServers", NAME),)
    if project is not None:
        keys = tuple(("projects", str(root), "mcpServers", NAME) for root in dict.fromkeys((project, _main(project))))
    return Target("claude-code", project, file, keys, not in_repository(file.path))


def _codex_file(project: Path | None, home: Path, environ: Mapping[str, str]) -> ConfigFile:
    named = environ.get("CODEX_HOME")
    if project is None and named:
        return ConfigFile(Path(named), ("config.toml",))
    return ConfigFile(project or home, (".codex", "config.toml"))


def project_of(path: Path) -> Path:
    """The root of the working copy around `path`, by which clients know a project; without one, `path` itself."""
    resolved = path.resolve()
    return next((folder for folder in (resolved, *resolved.parents) if (folder / ".git").exists()), resolved)


def _main(project: Path) -> Path:
    """The root of the first working copy of the repository: clients take the others of it for the same project."""
    try:
        link = (project / ".git").read_text("utf-8")
        inside = project / link.removeprefix("gitdir:").strip()
        common = (inside / (inside / "commondir").read_text("utf-8").strip()).resolve()
    except (OSError, UnicodeDecodeError):
        return project
    return common.parent if common.name == ".git" else project


def _short(path: Path) -> str:
    return hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:8]


@dataclass(frozen=True)
class Entry:
    """How a client would reach Sophia by what its file says."""

    url: str | None
    authorization: str | None
    """The header as it stands in the file."""
    variable: str | None
    """The environment variable that the file names in its place."""


def entries(target: Target, text: str) -> list[Entry]:
    """Every entry of this server that the file holds, as the client would read it."""
    if target.client == "codex":
        own = tomlkit.parse(text).unwrap().get("mcp_servers", {}).get(NAME)
        return [] if own is None else [Entry(own.get("url"), None, own.get("bearer_token_env_var"))]
    whole = json.loads(text) if text.strip() else {}
    return [_read(found) for keys in target.keys if (found := _at(whole, keys)) is not None]


def _at(value: Any, keys: tuple[str, ...]) -> dict[str, Any] | None:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else None


def _read(entry: dict[str, Any]) -> Entry:
    shown = str((entry.get("headers") or {}).get("Authorization", ""))
    named = re.fullmatch(r"Bearer \$\{(?:env:)?(\w+)\}", shown)
    return Entry(entry.get("url"), None if named else shown, named[1] if named else None)
