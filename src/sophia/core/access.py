"""What a tool may do, and what a connection is: the two sides that the policy weighs."""

from enum import Enum
from typing import Literal


class Access(Enum):
    """What a call does to the state."""

    READ = "read"
    COORDINATE = "coordinate"
    WRITE = "write"
    ELEVATED = "elevated"


class Profile(Enum):
    """What a connection was minted as."""

    OBSERVER = "observer"
    ASSISTANT = "assistant"
    FULL = "full"


class Mode(Enum):
    """Whether ordinary writes of a `full` connection wait for the owner."""

    PRE_APPROVED = "pre_approved"
    PER_CALL = "per_call"


class SurfaceSize(Enum):
    """How much of the surface `tools/list` shows."""

    FULL = "full"
    CORE = "core"


class NameStyle(Enum):
    """How tool names are spelled for a connection."""

    DOTTED = "dotted"
    UNDERSCORE = "underscore"


ApprovalStatus = Literal["pending", "approved", "denied", "expired", "void", "failed"]
"""How a request to the owner stands."""
ELEVATED_WRITE_TOOLS = frozenset({"remember_fact", "create_entity", "begin_import_session", "revert_mutation"})
"""The writes that always ask the owner, whatever the profile. Fixed here and nowhere else."""
ACCESS_LOGGED_TOOLS = frozenset(
    {
        "fetch_document", "get_entity", "get_entity_profile", "query_knowledge", "explain_fact", "read_source",
        "get_transaction", "get_event", "remember_fact", "submit_claim_graph", "create_entity", "update_entity",
        "merge_entities", "revert_mutation",
    }
)  # fmt: skip
"""The tools that leave a row in the access log for each entity that they touch. Others leave none, on purpose."""
