"""The TypeScript SDK of the surface, generated from the tools' own types."""

from collections.abc import Sequence

from sophia.catalog.schema import answer_schema, arguments_schema
from sophia.catalog.tool import Tool
from sophia.catalog.typescript import interface, method

_HEAD = """export type Signals = { _inbox_unread: number; _approvals_pending?: number; _degraded?: Array<string> };
"""


def declarations(tools: Sequence[Tool]) -> str:
    """One module that declares these tools as `Sophia`, with every type that they name; it compiles by itself."""
    named: dict[str, str] = {}
    methods: list[str] = []
    for tool in tools:
        taken, defs = answer_schema(tool)
        for name, schema in defs.items():
            named[name] = interface(name, schema)
        methods.append(method(tool.method, tool.description, arguments_schema(tool), taken))
    types = "\n".join(named[name] for name in sorted(named))
    body = "\n".join(methods)
    return f"{_HEAD}{types}\nexport interface Sophia {{\n{body}\n}}\ndeclare const sophia: Sophia;\n"


def index(tools: Sequence[Tool]) -> dict[str, list[dict[str, str | int]]]:
    """The methods of each group with the size of their declarations, so that one can ask for what fits."""
    found: dict[str, list[dict[str, str | int]]] = {}
    for tool in tools:
        size = len(declarations([tool])) - len(_HEAD)
        found.setdefault(tool.group, []).append({"method": tool.method, "bytes": size})
    return found
