"""Arguments that fit any tool, made from its own schema: so that a new tool is in every matrix by itself."""

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from sophia.catalog.catalog import Catalog
from sophia.catalog.tool import Tool

LISTING: dict[str, tuple[str, ...]] = {
    "since": ("1970-01-01T00:00:00Z",), "until": ("2100-01-01T01:00:00+01:00",), "order": (),
}  # fmt: skip
"""What every list takes: text that is no time would only be refused."""


def askings(catalog: Catalog, tool: Tool, probes: list[str]) -> Iterator[dict[str, Any]]:
    """For each probe, the required arguments filled with it; and each optional text argument set to it in turn."""
    schema = catalog.schemas[tool.name]
    properties, required = schema["properties"], set(schema.get("required", []))
    for probe in probes:
        least = {name: fitting(properties[name], probe) for name in required}
        yield least
        for name in required:
            if properties[name].get("type") == "integer":
                yield from ({**least, name: number} for number in range(1, 9))
        for name, kind in properties.items():
            if name in required or name in ("cursor", "fields", "idempotency_key", "reason"):
                continue
            if name in LISTING and tool.row:
                yield from ({**least, name: value} for value in kind.get("enum", LISTING[name]))
                continue
            if kind.get("type") in ("string", "array", "boolean") and "const" not in kind:
                yield {**least, name: fitting(kind, probe, yes=True)}


def fitting(schema: dict[str, Any], probe: str, *, yes: bool = False) -> Any:  # noqa: PLR0911 (one for each kind)
    """A value that the schema takes, the probe wherever text may stand."""
    match schema:
        case {"enum": [first, *_]}:
            return first
        case {"type": "string"}:
            return probe
        case {"type": "integer" | "number"}:
            return schema.get("default", schema.get("minimum", 1))
        case {"type": "boolean"}:
            return yes
        case {"type": "array", "items": items}:
            return [fitting(items, probe, yes=yes)]
        case {"type": "object", "properties": properties}:
            return {name: fitting(properties[name], probe) for name in schema.get("required", [])}
        case {"type": "object"}:
            return {}
        case {"anyOf": [first, *_]}:
            return fitting(first, probe, yes=yes)
        case _:
            return probe


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
"""Any small JSON value."""


def drawn(schema: dict[str, Any]) -> st.SearchStrategy[Any]:  # noqa: PLR0911 (one for each kind)
    """Values that the schema allows."""
    match schema:
        case {"enum": values}:
            return st.sampled_from(values)
        case {"type": "string"}:
            return st.text(min_size=schema.get("minLength", 0), max_size=min(schema.get("maxLength", 60), 60))
        case {"type": "integer"}:
            return st.integers(schema.get("minimum", -(2**53)), schema.get("maximum", 2**53))
        case {"type": "number"}:
            return st.floats(schema.get("minimum"), schema.get("maximum"), allow_nan=False, allow_infinity=False)
        case {"type": "boolean"}:
            return st.booleans()
        case {"type": "array"}:
            return st.lists(drawn(schema.get("items", {})), max_size=min(schema.get("maxItems", 3), 3))
        case {"type": "object", "properties": properties}:
            required = set(schema.get("required", []))
            return st.fixed_dictionaries(
                {name: drawn(properties[name]) for name in properties if name in required},
                optional={name: _drawn(name, properties[name]) for name in properties if name not in required},
            )
        case {"type": "object"}:
            return st.dictionaries(st.text(max_size=8), ANYTHING, max_size=3)
        case {"anyOf": options}:
            return st.one_of([drawn(option) for option in options])
        case _:
            return ANYTHING


def _drawn(name: str, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    times = LISTING.get(name, ())
    return st.sampled_from(times) | drawn(schema) if times else drawn(schema)
