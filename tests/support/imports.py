"""Import sessions of an agent's, each approved by the owner."""

import json

from sophia.core.caller import Agent
from tests.support.house import House


def imported(home: House, agent: Agent, source: str, kind: str = "notes", **terms: int) -> str:
    """The id of a session that the agent has open from here on."""
    asked = {"source": source, "kind": kind, "max_rows": 40} | terms
    pending = home.refused(agent, "begin_import_session", **asked)
    assert pending["code"] == "approval_pending", pending
    told = json.loads(home.parts.approvals.approve(pending["details"]["approval_id"], "owner").result or "")
    session: str = told["import_session_id"]
    return session
