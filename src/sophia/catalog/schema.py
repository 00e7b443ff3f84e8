"""JSON Schemas of a tool's arguments and answers: flat for clients, with names for types."""

from functools import cache
from typing import Any

import msgspec

from sophia.catalog.tool import Tool
from sophia.core.access import Access

_REF = "#/$defs/"


@cache
def arguments_schema(tool: Tool) -> dict[str, Any]:
    """One flat, inlined object schema without references: what every client accepts."""
    (found,), defs = msgspec.json.schema_components([tool.arguments], ref_template=_REF + "{name}")
    inlined: dict[str, Any] = _inlined(found, defs)
    inlined.pop("title", None)
    inlined.setdefault("properties", {})
    return inlined


@cache
def answer_schema(tool: Tool) -> tuple[dict[str, Any], dict[str, Any]]:
    """The schema of the tool's answer, and the named types that it refers to."""
    listed = tool.row or tool.answer
    (found,), defs = msgspec.json.schema_components([listed], ref_template=_REF + "{name}")
    if tool.row:
        extra = tool.row.PAGE
        return {
            "type": "object",
            "properties": {
                "items": {"type": "array", "items": found},
                "total": {"type": "integer"},
                "cursor": {"type": "string"},
                "truncated": {"type": "boolean"},
                **extra,
            },
            "required": ["items", "total"],
        }, defs
    if tool.access in (Access.WRITE, Access.ELEVATED):
        shape = defs.pop(str(found["$ref"]).removeprefix(_REF)) if "$ref" in found else found
        properties = {"mutation_seq": {"type": "integer"}, **shape.get("properties", {})}
        return {"type": "object", "properties": properties, "required": shape.get("required", [])}, defs
    return found, defs


def _inlined(schema: Any, defs: dict[str, Any]) -> Any:
    match schema:
        case {"$ref": str(ref)}:
            return _inlined(defs[ref.removeprefix(_REF)], defs)
        case {"anyOf": [*options]}:
            rest = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
            some = [_inlined(option, defs) for option in options if option != {"type": "null"}]
            return {**some[0], **rest} if len(some) == 1 else {"anyOf": some, **rest}
        case dict():
            return {
                key: _inlined(value, defs)
                for key, value in schema.items()
                if key != "title" or not isinstance(value, str)
                if not (key == "default" and value is None)
            }
        case list():
            return [_inlined(item, defs) for item in schema]
        case _:
            return schema
