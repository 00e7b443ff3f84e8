"""Who is calling."""

from sophia.core.access import Mode, NameStyle, Profile, SurfaceSize
from sophia.core.caller import Agent, Owner
from sophia.core.scope import EVERYTHING, NOTHING


def test_the_short_name_of_a_connection_is_the_start_of_its_id():
    agent = Agent(
        connection_id="99d0513e-8c1f-4f4e-a5b8-0d2f6c1a7e55",
        user_id="u-1",
        name="renamed",
        profile=Profile.OBSERVER,
        mode=Mode.PER_CALL,
        scope=NOTHING,
        can_delegate=False,
        can_post=False,
        surface=SurfaceSize.CORE,
        name_style=NameStyle.DOTTED,
        epoch=1,
        expires_at=None,
    )
    assert agent.connection_short == "99d0513e"


def test_the_owner_is_no_connection():
    assert Owner(user_id="u-1", scope=EVERYTHING).connection_id == "owner"
