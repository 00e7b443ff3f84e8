"""How often which connection called which tool, by the hour, in the ops database."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from sophia.access.trail import Rows, Writes
from sophia.core.clock import MINUTE

HOUR = 60 * MINUTE
MOST = 50
"""How many tools, and how many connections, are told of one by one: those that were called most."""
_SUMS = ", ".join(f"ifnull(sum(u.{name}), 0) AS {name}" for name in ("calls", "errors", "bytes"))
_WANTED = "u.hour >= :since AND (:among IS NULL OR u.connection_id IN (SELECT value FROM json_each(:among)))"


def keep(tx: Writes, now: int, counts: Mapping[tuple[str, str, str], int]) -> None:
    """Add to the present hour what was counted since: (connection, tool, calls or errors or bytes)."""
    if not counts:
        return
    summed: dict[tuple[str, str], dict[str, int]] = {}
    for (connection_id, tool, what), count in counts.items():
        summed.setdefault((connection_id, tool), {})[what] = count
    tx.run(
        "INSERT INTO tool_usage (hour, connection_id, tool, calls, errors, bytes)"
        " SELECT :hour, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(:counts)"
        " WHERE true ON CONFLICT (hour, connection_id, tool) DO UPDATE SET"
        " calls = calls + excluded.calls, errors = errors + excluded.errors, bytes = bytes + excluded.bytes",
        hour=_hour(now),
        counts=json.dumps(
            [[*key, one.get("calls", 0), one.get("errors", 0), one.get("bytes", 0)] for key, one in summed.items()]
        ),
    )


def told(rows: Rows, since: int | None, among: Collection[str] | None) -> dict[str, Any]:
    """The calls since the hour of `since`, or all that are kept, of all connections or of those `among`.

    In all, and those of the tools and of the connections with most of them.
    """
    asked = {
        "since": 0 if since is None else _hour(since),
        "among": None if among is None else json.dumps(sorted(among)),
    }
    (total,) = rows.rows(
        f"SELECT min(u.hour) AS since, {_SUMS}, count(DISTINCT u.tool) AS tools,"
        f" count(DISTINCT u.connection_id) AS connections FROM tool_usage u WHERE {_WANTED}",
        **asked,
    )
    return {
        **total,
        "since": total["since"] if since is None else _hour(since),
        "by_tool": rows.rows(
            f"SELECT u.tool, {_SUMS} FROM tool_usage u WHERE {_WANTED} GROUP BY u.tool"
            f" ORDER BY calls DESC, u.tool LIMIT {MOST}",
            **asked,
        ),
        "by_connection": rows.rows(
            f"SELECT u.connection_id, c.name AS connection_name, {_SUMS} FROM tool_usage u"
            f" LEFT JOIN connection c ON c.id = u.connection_id WHERE {_WANTED}"
            f" GROUP BY u.connection_id ORDER BY calls DESC, u.connection_id LIMIT {MOST}",
            **asked,
        ),
    }


def _hour(at: int) -> int:
    return at - at % HOUR
