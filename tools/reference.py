"""The reference of the surface, written from the tools themselves: docs/reference.md."""

from dataclasses import fields

from sophia.catalog.catalog import CORE, Catalog
from sophia.catalog.schema import answer_schema
from sophia.catalog.tool import Tool
from sophia.catalog.typescript import render
from sophia.core.errors import ERRORS
from sophia.core.refusals import REFUSALS
from sophia.settings import Settings
from sophia.surface import GROUPS

_HEAD = """# Reference

Written from the code by `make gen`: {tools} tools in {groups} groups, {core} of them listed on the `core` surface.

How to read it: arguments and answers are TypeScript types. Every list takes `limit`, `cursor`, `compact`, `fields`,
`since`, `until`, `order` and `max_bytes`, and answers `{{items, total, cursor?, truncated?}}`. Every write takes
`reason` and `idempotency_key` and answers with `mutation_seq`. Every answer carries `_inbox_unread`, and
`_approvals_pending` where requests wait.

| access | observer | assistant | full, per call | full, pre-approved |
|---|---|---|---|---|
| read | runs | runs | runs | runs |
| coordinate | with `can_post` | runs | runs | runs |
| write | refused | asks the owner | asks the owner | runs |
| elevated | refused | asks the owner | asks the owner | asks the owner |
"""


_SETTINGS = """
## Settings

From the environment, else from `config.toml` in the data directory, else the default; `sophia doctor --config` shows
each value and where it came from.

| in `config.toml` | in the environment | default |
|---|---|---|"""


def document() -> str:
    """The text of docs/reference.md."""
    catalog = Catalog.over(GROUPS)
    core = sum(tool.short in CORE for tool in catalog.tools)
    parts = [_HEAD.format(tools=len(catalog.tools), groups=len({tool.group for tool in catalog.tools}), core=core)]
    group = ""
    for tool in catalog.tools:
        if tool.group != group:
            group = tool.group
            parts.append(f"\n## {group}\n")
        parts.append(_entry(catalog, tool))
    parts.append("\n## Error codes\n\n| code | meaning |\n|---|---|")
    parts += [f"| `{error.code}` | {' '.join((error.__doc__ or '').split())} |" for error in ERRORS]
    parts.append("\n## Exit codes\n\n| exit | name | meaning |\n|---|---|---|")
    parts += [f"| {refusal.exit_code} | `{refusal.name}` | {refusal.sentence()} |" for refusal in REFUSALS]
    parts.append(_SETTINGS)
    parts += [f"| `{name}` | `SOPHIA_{name.upper()}` | {_default(name)} |" for name in _setting_names()]
    return "\n".join(parts) + "\n"


def _setting_names() -> list[str]:
    return [each.name for each in fields(Settings) if "read" in each.metadata]


def _default(name: str) -> str:
    """What a setting is where nobody sets it; what depends on the machine is said in words."""
    if name in ("data_dir", "key_dir"):
        return "by the platform's convention"
    value = getattr(Settings(), name)
    return "unset" if value is None else f"`{value}`"


def _entry(catalog: Catalog, tool: Tool) -> str:
    taken, _named = answer_schema(tool)
    listed = ", core" if tool.short in CORE else ""
    return (
        f"### `{tool.name}` ({tool.access.value}{listed})\n\n{tool.description}\n\n"
        f"```ts\n{tool.method}(args: {render(catalog.schemas[tool.name])}): Promise<{render(taken)}>\n```\n"
    )
