"""Who may do what: one table, and nothing else decides."""

from enum import Enum

from sophia.core.access import Access, Mode, Profile
from sophia.core.caller import Agent, Caller, Owner


class Verdict(Enum):
    """What the policy says of a call."""

    GO = "go"
    ASK = "ask"
    REFUSE = "refuse"


_TABLE: dict[tuple[Profile, Access], Verdict] = {
    (Profile.OBSERVER, Access.READ): Verdict.GO,
    (Profile.OBSERVER, Access.COORDINATE): Verdict.REFUSE,
    (Profile.OBSERVER, Access.WRITE): Verdict.REFUSE,
    (Profile.OBSERVER, Access.ELEVATED): Verdict.REFUSE,
    (Profile.ASSISTANT, Access.READ): Verdict.GO,
    (Profile.ASSISTANT, Access.COORDINATE): Verdict.GO,
    (Profile.ASSISTANT, Access.WRITE): Verdict.ASK,
    (Profile.ASSISTANT, Access.ELEVATED): Verdict.ASK,
    (Profile.FULL, Access.READ): Verdict.GO,
    (Profile.FULL, Access.COORDINATE): Verdict.GO,
    (Profile.FULL, Access.WRITE): Verdict.ASK,
    (Profile.FULL, Access.ELEVATED): Verdict.ASK,
}


def judge(caller: Caller, access: Access) -> Verdict:
    """Whether the call runs, waits for the owner, or is refused."""
    match caller:
        case Owner():
            return Verdict.GO
        case Agent(profile=Profile.OBSERVER, can_post=True) if access is Access.COORDINATE:
            return Verdict.GO
        case Agent(profile=Profile.FULL, mode=Mode.PRE_APPROVED) if access is Access.WRITE:
            return Verdict.GO
        case Agent():
            return _TABLE[caller.profile, access]


def reaches(caller: Caller, access: Access) -> bool:
    """Whether a tool of this class is within the caller's reach at all, asked for or not."""
    return judge(caller, access) is not Verdict.REFUSE
