"""The whole surface: every tool once, under every name that calls it."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from sophia.catalog.group import Group
from sophia.catalog.schema import answer_schema, arguments_schema
from sophia.catalog.tool import Tool
from sophia.core.access import ELEVATED_WRITE_TOOLS, Access
from sophia.core.errors import ERRORS

CORE = frozenset(
    {
        "orient", "panorama", "capability_catalog", "get_sdk_types", "get_permissions", "execute_code", "search",
        "search_documents", "fetch_document", "query_knowledge", "get_entity_profile", "resolve_entity", "explain_fact",
        "submit_claim_graph", "remember_fact", "correct_fact", "query_codebase", "get_wiki_page", "write_wiki_page",
        "record_decision", "save_briefing", "coordination_post", "coordination_inbox", "declare_wait", "list_mutations",
    }
)  # fmt: skip
"""The 25 tools that a `core` connection lists, of which those that exist so far are listed."""


@dataclass(frozen=True)
class Catalog:
    """The tools of all groups, in the order in which the groups are listed."""

    tools: tuple[Tool, ...]

    @classmethod
    def over(cls, groups: Iterable[Group[Any]]) -> "Catalog":
        """The catalog of these groups; `TypeError` where two tools would answer to one name."""
        tools = tuple(tool for group in groups for tool in group.tools)
        catalog = cls(tools)
        if len(catalog.names) != sum(len(_spellings(tool)) for tool in tools):
            raise TypeError("two tools answer to one name")
        elevated = {tool.short for tool in tools if tool.access is Access.ELEVATED}
        if elevated - ELEVATED_WRITE_TOOLS:
            raise TypeError(f"not among the elevated writes: {sorted(elevated - ELEVATED_WRITE_TOOLS)}")
        if not catalog.version_hash:  # which reads every type that a tool names: one without a schema ends it here
            raise TypeError("the surface has no version")
        return catalog

    @cached_property
    def names(self) -> dict[str, Tool]:
        """Every accepted spelling of every tool."""
        return {spelling: tool for tool in self.tools for spelling in _spellings(tool)}

    def find(self, name: str) -> Tool | None:
        """The tool of any accepted spelling: `sophia.x`, `sophia_x`, `x` or camelCase; `None` for no tool."""
        return self.names.get(name)

    @cached_property
    def schemas(self) -> dict[str, dict[str, Any]]:
        """The arguments' schema of each tool, by canonical name."""
        return {tool.name: arguments_schema(tool) for tool in self.tools}

    @cached_property
    def version_hash(self) -> str:
        """64 hex digits over the whole surface: any change of any tool changes it, and nothing else does."""
        told = [
            [
                tool.name, tool.group, tool.access.value, tool.description, self.schemas[tool.name],
                answer_schema(tool), tool.compact,
            ]
            for tool in sorted(self.tools, key=lambda tool: tool.name)
        ]  # fmt: skip
        codes = sorted(error.code for error in ERRORS)
        return hashlib.sha256(msgspec.json.encode([told, codes], order="deterministic")).hexdigest()


def _spellings(tool: Tool) -> set[str]:
    return {tool.name, f"sophia_{tool.short}", tool.short, tool.method, f"sophia.{tool.method}"}
