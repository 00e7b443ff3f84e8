"""What the owner can set: by environment, else in `config.toml`, else as it comes."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from ipaddress import IPv4Network, IPv6Address, ip_address
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal
from urllib.parse import urlsplit

import platformdirs

from sophia.core.errors import SophiaError
from sophia.core.refusals import BindNotLoopback

Presence = Literal["unattended", "terminal", "passphrase"]
CONFIG_FILE = "config.toml"
DEFAULT_PORT = 7342
EMBEDDINGS = ("packaged", "openai_compatible", "none")
"""The embedding providers that are registered: another name is refused, and none is ever guessed."""


class BadSetting(SophiaError):
    """A setting is wrong; correct it and start again."""

    code = "bad_setting"


def bind_address(host: str) -> str:
    """The literal address to bind for `host`; `BindNotLoopback` for all but loopback. No name is ever looked up."""
    if host == "localhost":
        return "127.0.0.1"
    try:
        address = ip_address(host)
    except ValueError:
        address = None
    if address is None or not (address == IPv6Address("::1") or address in IPv4Network("127.0.0.0/8")):
        raise BindNotLoopback(
            f"Sophia listens on loopback only, and {host!r} is not: use 127.0.0.1, ::1 or localhost.", host=host
        )
    return str(address)


@dataclass(frozen=True, slots=True)
class EmbeddingsServer:
    """Where a server of embeddings is, as it is connected to."""

    address: str
    port: int
    path: str
    encrypted: bool


def embeddings_server(url: str, *, may_leave: bool) -> EmbeddingsServer:
    """The server at `url`; `BadSetting` for one that is not on this machine, unless documents may leave it."""
    name = "embeddings_url"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise BadSetting(f"{name} must look like http://127.0.0.1:11434/v1.", argument=name) from None
    if not host or parts.scheme not in ("http", "https") or parts.query or parts.fragment or parts.username:
        raise BadSetting(f"{name} must look like http://127.0.0.1:11434/v1.", argument=name)
    encrypted = parts.scheme == "https"
    try:
        host = bind_address(host)
    except BindNotLoopback:
        if not may_leave:
            raise BadSetting(
                f"{name} is not on this machine, and what documents say would leave it: "
                "set documents_leave_machine to allow that.",
                argument=name,
            ) from None
        if not encrypted:
            raise BadSetting(f"{name} is not on this machine: it has to be https.", argument=name) from None
    return EmbeddingsServer(host, port or (443 if encrypted else 80), parts.path.rstrip("/") + "/embeddings", encrypted)


def data_directory(environ: Mapping[str, str]) -> Path:
    """Where the state lies, which has to be known before the rest can be read from there."""
    named = environ.get("SOPHIA_DATA_DIR")
    return _default_data_dir() if named is None else _path("SOPHIA_DATA_DIR", named)


def _text(name: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise BadSetting(f"{name} must be a text that is not blank.", argument=name)
    return value


def _path(name: str, value: object) -> Path:
    path = Path(_text(name, value)).expanduser()
    if not path.is_absolute():
        path = Path.cwd() / path
    return path


def _host(name: str, value: object) -> str:
    return bind_address(_text(name, value))


def _number(name: str, value: object, kind: type[int] | type[float], least: float, most: float) -> Any:
    try:
        number = kind(value) if isinstance(value, str) else value
    except ValueError:
        number = None
    if isinstance(number, bool) or not isinstance(number, (int, kind)) or not least <= number <= most:
        raise BadSetting(f"{name} must be a number from {least:g} to {most:g}, not {value!r}.", argument=name)
    return kind(number)


def _port(name: str, value: object) -> int:
    return int(_number(name, value, int, 0, 65535))


def _seconds(name: str, value: object) -> float:
    return float(_number(name, value, float, 0, 600))


def _minutes(name: str, value: object) -> int:
    return int(_number(name, value, int, 1, 1440))


def _switch(name: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    return _one_of("on", "off")(name, value) == "on"


def _one_of(*valid: str) -> Callable[[str, object], str]:
    def chosen(name: str, value: object) -> str:
        if not isinstance(value, str) or value not in valid:
            raise BadSetting(
                f"{name} is {value!r}; it must be one of {', '.join(valid)}.", argument=name, valid=[*valid]
            )
        return value

    return chosen


def _provider(name: str, value: object) -> str:
    if not isinstance(value, str) or value not in EMBEDDINGS:
        raise BadSetting(
            f"{name} names the embedding provider {value!r}, which is not registered; use {', '.join(EMBEDDINGS)}.",
            argument=name,
            valid=[*EMBEDDINGS],
        )
    return value


def _by(read: Callable[[str, object], Any], *, in_file: bool = True) -> dict[str, Any]:
    """How a field's text is read, and whether `config.toml` may set it."""
    return {"read": read, "in_file": in_file}


def _default_data_dir() -> Path:
    return platformdirs.user_data_path("sophia", appauthor=False)


def _default_key_dir() -> Path:
    return platformdirs.user_config_path("sophia", appauthor=False) / "keys"


@dataclass(frozen=True)
class Settings:
    """Every setting there is. `NAME` is `SOPHIA_NAME` in the environment and `name` in `config.toml`."""

    data_dir: Path = field(default_factory=_default_data_dir, metadata=_by(_path, in_file=False))
    key_dir: Path = field(default_factory=_default_key_dir, metadata=_by(_path))
    host: str = field(default="127.0.0.1", metadata=_by(_host))
    port: int = field(default=DEFAULT_PORT, metadata=_by(_port))
    approval_wait_s: float = field(default=20.0, metadata=_by(_seconds))
    approval_ttl_minutes: int = field(default=10, metadata=_by(_minutes))
    presence: Presence | None = field(default=None, metadata=_by(_one_of("unattended", "terminal", "passphrase")))
    keyring: bool = field(default=True, metadata=_by(_switch))
    log_level: str = field(default="info", metadata=_by(_one_of("debug", "info", "warning", "error")))
    embeddings: str = field(default="packaged", metadata=_by(_provider))
    embeddings_url: str | None = field(default=None, metadata=_by(_text))
    embeddings_model: str | None = field(default=None, metadata=_by(_text))
    embeddings_key: str | None = field(default=None, repr=False, metadata=_by(_text) | {"secret": True})
    documents_leave_machine: bool = field(default=False, metadata=_by(_switch))
    failpoint: str | None = field(default=None, metadata=_by(_text, in_file=False))
    origins: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), compare=False)
    """Where each value came from, for `doctor --config`."""

    @classmethod
    def from_environ(cls, environ: Mapping[str, str], config_text: str | None) -> "Settings":
        """The settings that the environment and the text of `config.toml` make; `BadSetting` names what is wrong."""
        in_file = _in_file(config_text)
        values: dict[str, Any] = {}
        origins: dict[str, str] = {}
        for each in _declared():
            variable = "SOPHIA_" + each.name.upper()
            if variable in environ:
                values[each.name] = each.metadata["read"](variable, environ[variable])
                origins[each.name] = f"environment ({variable})"
            elif each.name in in_file:
                values[each.name] = each.metadata["read"](each.name, in_file[each.name])
                origins[each.name] = CONFIG_FILE
            else:
                origins[each.name] = "default"
        return cls(**values, origins=MappingProxyType(origins))

    def __post_init__(self) -> None:
        """Refuse an embedding server that cannot be asked, or that documents must not be sent to."""
        if self.embeddings == "openai_compatible":
            for name in ("embeddings_url", "embeddings_model"):
                if getattr(self, name) is None:
                    raise BadSetting(f"The embedding provider openai_compatible needs {name}.", argument=name)
            embeddings_server(self.embeddings_url or "", may_leave=self.documents_leave_machine)

    def overridden(self, **given: object) -> "Settings":
        """The settings with what the command line gave instead, read as strictly as the rest."""
        values = {
            each.name: each.metadata["read"](each.name, given[each.name]) for each in _declared() if each.name in given
        }
        origins = {**self.origins, **dict.fromkeys(values, "command line")}
        return replace(self, **values, origins=MappingProxyType(origins))

    def told(self) -> list[dict[str, Any]]:
        """Each setting with its value and where that came from. What is secret is told to be set, and no more."""
        return [
            {
                "setting": each.name,
                "value": self._shown(each),
                "from": self.origins.get(each.name, "default"),
            }
            for each in _declared()
        ]

    def _shown(self, each: Any) -> str | None:
        value = getattr(self, each.name)
        return None if value is None else "(set)" if each.metadata.get("secret") else str(value)


def _declared() -> tuple[Any, ...]:
    return tuple(each for each in fields(Settings) if "read" in each.metadata)


def _in_file(config_text: str | None) -> dict[str, Any]:
    try:
        found = tomllib.loads(config_text or "")
    except tomllib.TOMLDecodeError as error:
        raise BadSetting(f"{CONFIG_FILE} is not TOML: {error}.", argument=CONFIG_FILE) from None
    valid = sorted(each.name for each in _declared() if each.metadata["in_file"])
    unknown = sorted(set(found) - set(valid))
    if unknown:
        raise BadSetting(
            f"{CONFIG_FILE} has no setting {', '.join(unknown)}; there are: {', '.join(valid)}.",
            argument=unknown[0],
            valid=valid,
        )
    return found
