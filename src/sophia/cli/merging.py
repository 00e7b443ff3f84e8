"""One entry set in a configuration that holds others, and all the rest of it left as it is."""

import json
import math
import re
from decimal import Decimal
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from sophia.core.errors import Conflict

NAME = "sophia"
"""Under which name clients know the server."""
_INDENT = re.compile(r"\{\s*?\n([ \t]+)\"")


class Unreadable(Conflict):
    """This file cannot be read as what it should be, so nothing was written."""


def with_json_entry(text: str, keys: tuple[str, ...], entry: dict[str, Any], *, fresh: dict[str, Any]) -> str:
    """The JSON with `entry` at these keys. `fresh` is what the second last object has where it was not there yet."""
    whole = json_object(text)
    inner = whole
    for n, key in enumerate(keys[:-1]):
        inner = inner.setdefault(key, dict(fresh) if n == len(keys) - 3 else {})
        if not isinstance(inner, dict):
            raise Unreadable(f"`{key}` is no object in this file; nothing was written.", hint=_BY_HAND)
    _require_own(inner.get(keys[-1]))
    inner[keys[-1]] = entry
    return json_text(whole, like=text)


_BY_HAND = "Mend the file, or take --print and paste the lines yourself."


def json_object(text: str) -> dict[str, Any]:
    """The object that the text spells, an empty one where it is blank; `Unreadable` for anything else."""
    if not text.strip():
        return {}
    try:
        found = json.loads(
            text, object_pairs_hook=_once, parse_float=_kept, parse_constant=_kept, parse_int=_kept_whole
        )
    except Unreadable:
        raise
    except (ValueError, RecursionError) as error:
        at = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise Unreadable(f"The file is no plain JSON{at}; nothing was written.", hint=_BY_HAND) from None
    if not isinstance(found, dict):
        raise Unreadable("The file is JSON, but no object; nothing was written.", hint=_BY_HAND)
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Unreadable("The file gives a key twice, of which one would be lost; nothing was written.", hint=_BY_HAND)
    return found


def _kept(written: str) -> float:
    """The number, where it is the same once it is written back."""
    number = float(written)
    if not math.isfinite(number) or Decimal(written) != Decimal(repr(number)):
        raise Unreadable(f"The number {written[:40]} would be changed; nothing was written.", hint=_BY_HAND)
    return number


def _kept_whole(written: str) -> int | float:
    return -0.0 if written == "-0" else int(written)


def json_text(value: dict[str, Any], *, like: str) -> str:
    """The object as text, indented as `like` is."""
    indented = _INDENT.search(like)
    indent = indented[1] if indented else None if like.strip() and "\n" not in like.strip() else "  "
    told = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        told.encode("utf-8")
    except UnicodeEncodeError:  # half a character, as cut texts end: only escaped can it be written
        told = json.dumps(value, indent=indent)
    return told + ("\n" if not like or like.endswith("\n") else "")


def _require_own(entry: object) -> None:
    if isinstance(entry, dict) and "command" in entry:
        raise Conflict(
            f"There is a server called {NAME!r} already that runs a command; nothing was written.",
            hint="Rename or remove it first.",
        )


def with_toml_entry(text: str, entry: dict[str, str]) -> str:
    """The TOML with these values in `[mcp_servers.sophia]`, comments and all else kept.

    What it held of other ways to show a bearer goes.
    """
    try:
        whole = tomlkit.parse(text)
    except TOMLKitError as error:
        raise Unreadable(f"The file is no TOML ({error}); nothing was written.", hint=_BY_HAND) from None
    servers = whole.get("mcp_servers")
    if servers is None:
        servers = whole["mcp_servers"] = tomlkit.table(is_super_table=True)
    if not isinstance(servers, dict):
        raise Unreadable("`mcp_servers` is no table in this file; nothing was written.", hint=_BY_HAND)
    own = servers.get(NAME)
    _require_own(own)
    if not isinstance(own, dict):
        own = servers[NAME] = tomlkit.table()
    for stale in {"http_headers", "env_http_headers", "bearer_token_env_var"} - entry.keys():
        own.pop(stale, None)
    for name, value in entry.items():
        own[name] = value
    return _checked(tomlkit.dumps(whole), entry)


def _checked(told: str, entry: dict[str, str]) -> str:
    """The text, which reads back as what was meant."""
    read = tomlkit.parse(told).unwrap()["mcp_servers"][NAME]
    if entry.items() <= read.items():
        return told
    raise Unreadable("This TOML cannot be added to without changing it; nothing was written.", hint=_BY_HAND)
