"""How far a fact is to be trusted: by whose word it stands, and on what."""

from enum import Enum

from sophia.core.source_text import Origin


class Tier(Enum):
    """The tiers, the most trusted first."""

    OWNER = "owner"
    VERIFIED = "verified"
    QUOTED = "quoted"
    IMPORTED = "imported"
    INFERRED = "inferred"

    @property
    def rank(self) -> int:
        """A number that is greater for what is trusted more."""
        return _RANKS[self]


_RANKS = {tier: rank for rank, tier in enumerate(reversed(Tier))}


def of_quote(origin: Origin) -> Tier:
    """The most that a quote from a source of this origin can be worth: what an agent wrote grounds nothing."""
    return Tier.QUOTED if origin.grounds else Tier.INFERRED
