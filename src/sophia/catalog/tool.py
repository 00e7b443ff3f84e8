"""A tool is a typed function; everything else about it is derived here, once."""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from keyword import iskeyword
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from sophia.core.access import ACCESS_LOGGED_TOOLS, ELEVATED_WRITE_TOOLS, Access
from sophia.core.page import Listed, Page, Row

ElevatedWhen = Callable[[Any], bool]
MAX_LIMIT = 200
_SAFE_INTEGER = 2**53 - 1

_WINDOW: tuple[tuple[str, Any, Any], ...] = (
    ("limit", Annotated[int, Meta(ge=1, le=MAX_LIMIT)], 20),
    ("cursor", Annotated[str, Meta(max_length=4096)] | None, None),
    ("compact", bool, False),
    ("fields", list[str] | None, None),
    ("since", str | None, None),
    ("until", str | None, None),
)
_BOUND = ("max_bytes", Annotated[int, Meta(ge=512, le=40_000)] | None, None)
# A tool may take `reason` itself, where one has to be given: the journal keeps it all the same.
_WRITE: tuple[tuple[str, Any, Any], ...] = (
    ("reason", Annotated[str, Meta(max_length=1000)] | None, None),
    ("idempotency_key", Annotated[str, Meta(min_length=1, max_length=200)] | None, None),
)


@dataclass(frozen=True, slots=True)
class Traits:
    """What else clients are told of a tool."""

    destructive: bool = False
    idempotent: bool = False
    in_isolate: bool = True


@dataclass(frozen=True, slots=True)
class Tool:
    """One entry of the surface, and every face it shows."""

    run: Callable[..., Any]
    group: str
    access: Access
    elevated_when: ElevatedWhen | None
    traits: Traits
    description: str
    arguments: type[msgspec.Struct]
    own: tuple[str, ...]
    """The arguments that the function itself takes: one that Python keeps for itself has an underscore there."""
    answer: Any
    row: type[Row] | None
    """The type of a list's rows; `None` for what is no list."""

    @classmethod
    def of(
        cls, run: Callable[..., Any], group: str, access: Access, elevated_when: ElevatedWhen | None, traits: Traits
    ) -> "Tool":
        """The tool that a function is; `TypeError` where the function does not say enough to be one."""
        name = run.__name__
        description = " ".join((inspect.getdoc(run) or "").split())
        if not description:
            raise TypeError(f"{name} has no docstring")
        if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or len(name) > 40:
            raise TypeError(f"{name} is no tool name")
        access = Access.ELEVATED if name in ELEVATED_WRITE_TOOLS else access
        hints = get_type_hints(run, include_extras=True)
        answer = hints.pop("return")
        _call, *parameters = inspect.signature(run).parameters.values()
        own = [(_argument(p.name), hints[p.name], p.default) for p in parameters]
        rows = get_args(answer)[0] if get_origin(answer) is Page else None
        told = "reason" in {field for field, *_ in own}
        derived = [each for each in _derived(name, rows, access) if not (told and each[0] == "reason")]
        if clash := {field for field, *_ in own} & {field for field, *_ in derived}:
            raise TypeError(f"{name} takes {sorted(clash)} itself: these are derived")
        arguments = _struct(name, [*own, *derived])
        return cls(
            run, group, access, elevated_when, traits, description, arguments, tuple(f for f, *_ in own), answer, rows
        )

    @property
    def short(self) -> str:
        """The name without its namespace: `query_knowledge`."""
        return self.run.__name__

    @property
    def name(self) -> str:
        """The canonical name, on which policy, approvals and logs are keyed."""
        return f"sophia.{self.short}"

    @property
    def method(self) -> str:
        """The camelCase name that a script uses."""
        return re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), self.short)

    @property
    def writes(self) -> bool:
        """Whether the function is handed a transaction."""
        return self.access is not Access.READ

    def given(self, arguments: msgspec.Struct) -> dict[str, Any]:
        """What of these arguments is the function's own, by the names of its parameters."""
        return {f"{name}_" if iskeyword(name) else name: getattr(arguments, name) for name in self.own}

    @property
    def logged(self) -> bool:
        """Whether it leaves a row in the access log for each entity that it touches."""
        return self.short in ACCESS_LOGGED_TOOLS

    def access_of(self, arguments: msgspec.Struct) -> Access:
        """What a call with these arguments does: some arguments make a write an elevated one."""
        if self.elevated_when is not None and self.elevated_when(arguments):
            return Access.ELEVATED
        return self.access

    @property
    def listed(self) -> Listed | None:
        """By what its list goes; `None` for what is no list."""
        return self.row.LISTED if self.row else None

    @property
    def fields(self) -> tuple[str, ...]:
        """The keys of a row that `fields` may name."""
        return self.row.__struct_fields__ if self.row else ()

    @property
    def compact(self) -> tuple[str, ...]:
        """The keys of a row that `compact` keeps."""
        return self.row.COMPACT if self.row else ()


def _argument(parameter: str) -> str:
    """The argument that a parameter takes: `from_` takes `from`."""
    bare = parameter.removesuffix("_")
    return bare if iskeyword(bare) else parameter


def _derived(name: str, row: type[Row] | None, access: Access) -> list[tuple[str, Any, Any]]:
    match access:
        case Access.READ:
            return [*_WINDOW, ("order", _order(name, row), None), _BOUND] if row else [_BOUND]
        case Access.COORDINATE:
            return [_WRITE[1]]
        case Access.WRITE | Access.ELEVATED:
            return list(_WRITE)


def _order(name: str, row: type[Row]) -> Any:
    """The names of the orders in which a list of such rows can go."""
    if row.LISTED is None or not {row.LISTED.time, row.LISTED.key} <= set(row.__struct_fields__):
        raise TypeError(f"{name} lists {row.__name__}, whose LISTED has to say which of its keys a list goes by")
    return Literal[tuple(row.LISTED.orders)] | None


def _struct(name: str, fields: list[tuple[str, Any, Any]]) -> type[msgspec.Struct]:
    made: list[tuple[Any, ...]] = []
    for field, hint, default in fields:
        bounded = _bounded(hint)
        made.append((field, bounded) if default is inspect.Parameter.empty else (field, bounded, default))
    return msgspec.defstruct(name, made, kw_only=True, frozen=True, forbid_unknown_fields=True)


def _bounded(hint: Any) -> Any:
    """An integer that says no bounds of its own gets those that every JSON reader agrees on."""
    if hint is int:
        return Annotated[int, Meta(ge=-_SAFE_INTEGER, le=_SAFE_INTEGER)]
    return hint
