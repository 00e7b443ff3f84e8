"""Terms to mint connections on, where it does not matter which."""

from sophia.access.connections import Terms
from sophia.core.access import Mode, NameStyle, Profile, SurfaceSize
from sophia.core.scope import EVERYTHING

FULL = Terms("agent", Profile.FULL, EVERYTHING, Mode.PRE_APPROVED, False, False, SurfaceSize.FULL, NameStyle.DOTTED)
