"""What an owner's command is handed: the house, what it stands on, and a way to say how far it has come."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sophia.dispatch.parts import Parts
from sophia.opening import Opened, presence_of
from sophia.settings import Settings
from sophia.store.keys import Keys
from sophia.store.ownership import Ownership

Progress = Callable[[dict[str, Any]], None]
OWNER = "owner"
"""Who the logs say did what the owner's plane does."""


def unheard(_progress: dict[str, Any]) -> None:
    """Nobody listens."""


@dataclass(frozen=True)
class Office:
    """The owner's side of one opened data directory."""

    parts: Parts
    settings: Settings
    ownership: Ownership
    keys: Keys
    presence: str
    """How the owner's presence is known in this run: fixed when it started."""
    mcp_url: str
    serving: bool
    """Whether this process answers agents, or is a command that does its work and ends."""
    fresh: bool = False
    """Whether this very run made the data directory: there is nothing to protect yet."""
    progress: Progress = unheard

    @classmethod
    def of(cls, house: Opened, mcp_url: str, *, serving: bool, fresh: bool = False) -> "Office":
        """The office over an opened data directory."""
        presence = presence_of(house.settings, house.keys)
        return cls(house.parts, house.settings, house.ownership, house.keys, presence, mcp_url, serving, fresh)
