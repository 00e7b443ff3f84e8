"""JSON Schema in, TypeScript out."""

import re
from collections.abc import Mapping
from typing import Any

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
Schema = Mapping[str, Any]


def method(name: str, description: str, given: Schema, taken: Schema) -> str:
    """One method of the SDK, with its doc comment."""
    optional = "" if given.get("required") else "?"
    comment = description.replace("*/", "* /")
    return f"  /** {comment} */\n  {name}(args{optional}: {render(given)}): Promise<{render(taken)} & Signals>;"


def interface(name: str, schema: Schema) -> str:
    """A named type."""
    return f"export type {name} = {render(schema)};"


def render(schema: Schema) -> str:  # noqa: PLR0911 (one return for each shape of schema)
    """The TypeScript type that a JSON Schema means; `unknown` where it says nothing."""
    match schema:
        case {"$ref": str(ref)}:
            return ref.rsplit("/", 1)[-1]
        case {"enum": [*values]}:
            return " | ".join(_literal(value) for value in values)
        case {"const": value}:
            return _literal(value)
        case {"anyOf": [*options]}:
            return " | ".join(dict.fromkeys(render(option) for option in options))
        case {"type": "array", "items": items} if isinstance(items, Mapping):
            return f"Array<{render(items)}>"
        case {"type": "array"}:
            return "Array<unknown>"
        case {"type": "object", "properties": properties}:
            return _object(properties, schema.get("required", []))
        case {"type": "object", "additionalProperties": Mapping() as values}:
            return f"Record<string, {render(values)}>"
        case {"type": "object"}:
            return "Record<string, unknown>"
        case {"type": "integer" | "number"}:
            return "number"
        case {"type": "string" | "boolean" | "null" as kind}:
            return str(kind)
        case _:
            return "unknown"


def _object(properties: Mapping[str, Any], required: list[str]) -> str:
    members = [
        f"{_key(name)}{'' if name in required else '?'}: {render(schema)}" for name, schema in properties.items()
    ]
    return "{ " + "; ".join(members) + " }" if members else "Record<string, never>"


def _key(name: str) -> str:
    return name if _IDENTIFIER.fullmatch(name) else _literal(name)


def _literal(value: object) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value)
