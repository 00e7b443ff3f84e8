"""The tools that a recommendation may name: those of the caller, and no others."""

from collections.abc import Sequence
from dataclasses import dataclass

from sophia.catalog.catalog import CORE
from sophia.catalog.tool import Tool
from sophia.core.access import SurfaceSize


@dataclass(frozen=True, slots=True)
class Reach:
    """The allow-list of one connection."""

    names: frozenset[str]

    @classmethod
    def of(cls, tools: Sequence[Tool], surface: SurfaceSize) -> "Reach":
        """What registration itself uses: the callable tools, and of those the listed ones on a `core` surface."""
        if not tools:
            raise ValueError("a connection without a single tool cannot be advised")
        return cls(frozenset(tool.short for tool in tools if surface is SurfaceSize.FULL or tool.short in CORE))

    def __contains__(self, tool: str) -> bool:
        return tool in self.names
