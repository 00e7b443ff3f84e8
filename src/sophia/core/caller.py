"""Who is calling, as the daemon established it: never as the call says."""

from dataclasses import dataclass

from sophia.core.access import Mode, NameStyle, Profile, SurfaceSize
from sophia.core.scope import Scope


@dataclass(frozen=True)
class Agent:
    """One authenticated connection, as its row stood when this request began."""

    connection_id: str
    user_id: str
    name: str
    profile: Profile
    mode: Mode
    scope: Scope
    can_delegate: bool
    can_post: bool
    surface: SurfaceSize
    name_style: NameStyle
    epoch: int
    expires_at: int | None
    parent_id: str | None = None
    request_count: int = 0
    by_owner: bool = False
    """Whether it is the owner who looks through its eyes: nothing of that counts as its own."""

    @property
    def connection_short(self) -> str:
        """The first 8 hex characters of the connection id, which a rename never moves."""
        return self.connection_id[:8]


@dataclass(frozen=True)
class Owner:
    """The owner's own session. Only the owner's plane makes one; no stored row can become it."""

    user_id: str
    scope: Scope
    connection_id: str = "owner"
    name: str = "owner"
    surface: SurfaceSize = SurfaceSize.FULL
    name_style: NameStyle = NameStyle.DOTTED
    epoch: int = 0


Caller = Agent | Owner
