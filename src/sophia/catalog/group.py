"""A group of tools: the module in which a function becomes a tool."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Concatenate, Generic, ParamSpec, TypeVar

from sophia.catalog.tool import ElevatedWhen, Tool, Traits
from sophia.core.access import Access

P = ParamSpec("P")
R = TypeVar("R")
CallT = TypeVar("CallT")


@dataclass(frozen=True)
class Group(Generic[CallT]):
    """The tools of one module. `CallT` is what their functions are handed: a reader or a transaction."""

    name: str
    access: Access
    tools: list[Tool] = field(default_factory=list)

    def tool(
        self,
        *,
        access: Access | None = None,
        elevated_when: ElevatedWhen | None = None,
        destructive: bool = False,
        idempotent: bool = False,
        in_isolate: bool = True,
    ) -> Callable[[Callable[Concatenate[CallT, P], R]], Callable[Concatenate[CallT, P], R]]:
        """Make the function below a tool; everything else about it is derived from its name, types and docstring."""

        def register(run: Callable[Concatenate[CallT, P], R]) -> Callable[Concatenate[CallT, P], R]:
            traits = Traits(destructive, idempotent, in_isolate)
            self.tools.append(Tool.of(run, self.name, access or self.access, elevated_when, traits))
            return run

        return register
