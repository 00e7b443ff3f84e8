"""The part of a list that a call asks for."""

from typing import Any

from sophia.core.clock import parsed
from sophia.core.errors import BadArguments
from sophia.core.page import Key, Listed, Window


def window_of(listed: Listed, arguments: Any, after: Key | None, room: int) -> Window:
    """The window of these arguments; `BadArguments` for times that are none, or that lie the wrong way round."""
    since, until = _time(arguments, "since"), _time(arguments, "until")
    if since is not None and until is not None and since > until:
        raise BadArguments("since must not be later than until.", argument="since")
    order = arguments.order or next(iter(listed.orders))
    return Window(arguments.limit, after, room, order, since, until)


def _time(arguments: Any, name: str) -> int | None:
    given = getattr(arguments, name)
    return None if given is None else parsed(given, name)
