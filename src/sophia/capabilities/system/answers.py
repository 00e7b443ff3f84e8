"""The answers of the system tools."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from sophia.access import approvals
from sophia.capabilities.knowledge.registry import PredicateRow
from sophia.catalog.call import ReadCall
from sophia.catalog.catalog import CORE, Catalog
from sophia.catalog.house import Health
from sophia.catalog.tool import Tool
from sophia.core.access import ELEVATED_WRITE_TOOLS, ApprovalStatus
from sophia.core.caller import Agent
from sophia.core.clock import rfc3339
from sophia.core.errors import ERRORS
from sophia.core.page import Listed, Row


class ToolEntry(Row, frozen=True):
    """One callable tool."""

    name: str
    access: Literal["read", "coordinate", "write", "elevated"]
    listed: bool
    description: str


class CatalogAnswer(Row, frozen=True):
    """The callable surface, by group."""

    total_tools: int
    version_hash: str
    groups: dict[str, list[ToolEntry | str]]
    error_codes: list[str] | None = None
    access_log_registry: list[str] | None = None

    @classmethod
    def of(cls, catalog: Catalog, tools: Sequence[Tool], *, brief: bool) -> "CatalogAnswer":
        """These tools by group; names alone where it is to be brief."""
        groups: dict[str, list[ToolEntry | str]] = {}
        for tool in tools:
            entry = tool.name if brief else _entry(tool)
            groups.setdefault(tool.group, []).append(entry)
        if brief:
            return cls(total_tools=len(tools), version_hash=catalog.version_hash, groups=groups)
        codes = [error.code for error in ERRORS]
        return cls(
            total_tools=len(tools), version_hash=catalog.version_hash, groups=groups, error_codes=codes,
            access_log_registry=[tool.name for tool in catalog.tools if tool.logged],
        )  # fmt: skip


def _entry(tool: Tool) -> ToolEntry:
    return ToolEntry(name=tool.name, access=tool.access.value, listed=tool.short in CORE, description=tool.description)


class TypesAnswer(Row, frozen=True):
    """TypeScript declarations, or the index of what can be asked for."""

    version_hash: str
    declarations: str | None = None
    index: dict[str, list[dict[str, str | int]]] | None = None


class Limits(Row, frozen=True):
    """What bounds this connection."""

    pending_approvals: int
    answer_characters: int
    list_rows: int


class Permissions(Row, frozen=True, omit_defaults=False):
    """What this connection is and may do."""

    permission_profile: str
    entity_scope: str | list[str]
    write_approval_mode: str
    approved_tools: list[str]
    request_count: int
    connection_id: str
    connection_short: str
    name: str
    can_delegate: bool
    can_post: bool
    elevated_tools: list[str]
    expires_at: str | None
    surface: str
    name_style: str
    lease: str | None
    limits: Limits
    sandbox_guards: list[str]
    owner_presence: str
    team_mode: bool


def permissions_of(call: ReadCall) -> Permissions:
    """The caller's permissions, from the row that this very call was authenticated by."""
    caller = call.caller
    reach = call.house.callable_tools(caller)
    agent = caller if isinstance(caller, Agent) else None
    return Permissions(
        permission_profile=agent.profile.value if agent else "owner",
        entity_scope=caller.scope.told(),
        write_approval_mode=agent.mode.value if agent else "pre_approved",
        approved_tools=[tool.name for tool in reach],
        request_count=call.house.request_count(agent) if agent else 0,
        connection_id=caller.connection_id,
        connection_short=caller.connection_id[:8],
        name=caller.name,
        can_delegate=agent.can_delegate if agent else False,
        can_post=agent.can_post if agent else True,
        elevated_tools=sorted(f"sophia.{name}" for name in ELEVATED_WRITE_TOOLS & {tool.short for tool in reach}),
        expires_at=rfc3339(agent.expires_at) if agent and agent.expires_at is not None else None,
        surface=caller.surface.value,
        name_style=caller.name_style.value,
        lease=None,
        limits=Limits(pending_approvals=20, answer_characters=40_000, list_rows=200),
        sandbox_guards=[],
        owner_presence=call.house.presence,
        team_mode=False,
    )


class ColumnEntry(Row, frozen=True):
    """One column of a table."""

    name: str
    type: str
    refers_to: str | None = None


class SchemaAnswer(Row, frozen=True):
    """What there is to know of the data model."""

    tables: dict[str, list[ColumnEntry]]
    predicates: list[PredicateRow] | None = None


class Model(Row, frozen=True):
    """Whether meaning is searched, and by which model."""

    dense: bool
    model_id: str | None = None


class HealthAnswer(Row, frozen=True):
    """How the daemon is."""

    status: Literal["ok", "degraded", "failing"]
    reasons: list[str]
    version: str
    uptime_s: int
    write_ok: bool
    model: Model

    @classmethod
    def of(cls, health: Health, version: str) -> "HealthAnswer":
        """The daemon's condition, as told to an agent."""
        return cls(
            status=health.status, reasons=health.reasons, version=version, uptime_s=health.uptime_s,
            write_ok=health.write_ok, model=Model(dense=health.model.dense, model_id=health.model.model_id),
        )  # fmt: skip


class Approval(Row, frozen=True):
    """One request of this connection to the owner."""

    COMPACT: ClassVar[tuple[str, ...]] = ("approval_id", "status", "tool", "reason")
    LISTED: ClassVar[Listed] = approvals.LISTED

    approval_id: str
    status: ApprovalStatus
    tool: str
    created_at: str
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    reason: str | None = None
