"""Raw arguments in, the tool's own struct out, or a refusal that says what to change."""

import difflib
import re
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from sophia.catalog.tool import Tool
from sophia.core.errors import BadArguments
from sophia.core.secrets.bearer import holds_bearer

_AT = re.compile(r" - at `\$\.?([^`]*)`$")
_INT64 = 2**63
_TOLD = 200
"""Characters of a complaint that are told: it repeats a word that is not among those there are."""
StructT = TypeVar("StructT", bound=msgspec.Struct)


def validated(tool: Tool, raw: dict[str, Any]) -> msgspec.Struct:
    """The arguments as the tool takes them; `BadArguments` names the argument and the valid ones."""
    return fitted(tool.short, tool.arguments, raw)


def fitted(name: str, shape: type[StructT], raw: dict[str, Any]) -> StructT:
    """The arguments of what is called `name`, in their shape; `BadArguments` names the argument and the valid ones."""
    valid = list(shape.__struct_fields__)
    for given in raw:
        if given not in valid:
            near = difflib.get_close_matches(given, valid, 1)
            raise BadArguments(
                f"{name} has no argument {given[:80]!r}.",
                argument=given[:80],
                hint=f"Did you mean {near[0]}?" if near else None,
                valid=valid,
            )
    _clean(raw, "")
    try:
        return msgspec.convert(raw, shape)
    except msgspec.ValidationError as error:
        told = str(error)
        where = _AT.search(told)
        argument = where[1] if where else _missing(told)
        raise BadArguments(
            f"{name}: {_AT.sub('', told)[:_TOLD]}" + (f" (argument {argument})." if argument else "."),
            argument=argument,
            valid=_choices(shape, where[1]) or valid if where else valid,
        ) from None


def _choices(shape: type[msgspec.Struct], at: str) -> list[str]:
    """The values that may stand at this path, where they can be counted up."""
    kinds = _plain(inspect.type_info(shape))
    for step in re.findall(r"\[[^\]]*\]|[^.\[\]]+", at):
        kinds = [one for kind in kinds for inner in _within(kind, step) for one in _plain(inner)]
    return [str(value) for kind in kinds for value in _values(kind) if value is not None]


def _plain(kind: inspect.Type) -> list[inspect.Type]:
    """The types that this one is made of, `None` aside."""
    match kind:
        case inspect.Metadata():
            return _plain(kind.type)
        case inspect.UnionType():
            return [one for option in kind.types for one in _plain(option)]
        case _:
            return [kind]


def _within(kind: inspect.Type, step: str) -> list[inspect.Type]:
    match kind:
        case inspect.StructType():
            return [field.type for field in kind.fields if field.encode_name == step]
        case inspect.ListType() if step[0] == "[":
            return [kind.item_type]
        case inspect.DictType() if step[0] == "[":
            return [kind.value_type]
        case _:
            return []


def _values(kind: inspect.Type) -> list[object]:
    match kind:
        case inspect.LiteralType():
            return list(kind.values)
        case inspect.EnumType():
            return [one.value for one in kind.cls]
        case _:
            return []


def _missing(told: str) -> str | None:
    named = re.search(r"missing required field `([^`]*)`", told)
    return named[1] if named else None


def _clean(value: Any, argument: str) -> None:
    """Refuse what SQLite or a JSON reader would cut or bend: NUL, lone surrogates, integers beyond 64 bits."""
    match value:
        case str():
            if holds_bearer(value):
                raise BadArguments(
                    "An argument holds a bearer, which is never kept; leave it out, and rotate it if it leaked.",
                    argument=argument or None,
                )
            if "\0" in value or not _encodes(value):
                raise BadArguments("Text must be valid Unicode without NUL.", argument=argument or None)
        case int() if not isinstance(value, bool):
            if not -_INT64 <= value < _INT64:
                raise BadArguments("Integers must fit in 64 bits.", argument=argument or None)
        case dict():
            for name, item in value.items():
                _clean(name, argument)
                _clean(item, argument or name)
        case list():
            for item in value:
                _clean(item, argument)
        case _:
            pass


def _encodes(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
