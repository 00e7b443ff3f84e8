"""What happened, and what is taken back, from the command line."""

import json

from sophia.cli.session import Session
from tests.support.daemon import Daemon


def test_a_life_is_shown_and_a_write_is_taken_back(daemon: Daemon):
    made = daemon.ask("call", "create_entity", json.dumps({"kind": "person", "name": "Ada"}))
    ada = made["entity"]["entity_id"]
    changed = daemon.ask("call", "update_entity", json.dumps({"entity_id": ada, "summary": "A sailor", "reason": "so"}))
    seq = str(changed["mutation_seq"])
    shown = daemon.sophia("timeline", "Ada").out
    assert f"mutation {seq}  owner: sophia.update_entity" in shown
    assert "because: so" in shown
    assert "summary: nothing → A sailor" in shown
    assert [one["mutation_seq"] for one in daemon.ask("timeline", ada, "--table", "entity")] == [
        made["mutation_seq"], changed["mutation_seq"],
    ]  # fmt: skip
    assert "Nothing happened." in daemon.sophia("timeline", "--since", "2999-01-01T00:00:00Z").out

    assert "1 rows of 1 mutations would change" in daemon.sophia("revert", seq, "--dry-run").out
    first = str(made["mutation_seq"])
    assert f"mutation {seq}: entity {ada}" in daemon.sophia("revert", first, "--dry-run").out
    assert daemon.ask("revert", first, "--dry-run")["possible"] is False
    back = daemon.ask("revert", seq, "--reason", "no sailor")
    assert back["reverted"] == [changed["mutation_seq"]]
    assert f"reverted by {back['mutation_seq']}" in daemon.sophia("timeline", "Ada").out
    assert "Taken back by mutation" in daemon.sophia("revert", first, "--cascade").out
    assert daemon.sophia("revert", first, "--json").error["code"] == "conflict"


def test_what_an_agent_did_is_undone(daemon: Daemon):
    minted = daemon.ask("mint", "--name", "hasty", "--profile", "full", "--mode", "pre_approved")
    session = Session(daemon.mcp, minted["bearer_token"])
    goal = session.call("set_goal", title="Do it all")["goal"]["goal_id"]
    kept = session.call("set_goal", title="Do a part")["goal"]["goal_id"]
    daemon.ask("call", "close_goal", json.dumps({"goal_id": kept, "outcome": "done"}))
    tried = daemon.sophia("undo", "hasty", "--since", "1h", "--dry-run").out
    assert "1 rows of 1 mutations of hasty would change" in tried
    assert f"stays: goal {kept}: changed later" in tried
    assert daemon.ask("undo", minted["connection_id"], "--since", "1h", "--dry-run")["undone"]
    assert "Undone by mutation" in daemon.sophia("undo", "hasty", "--since", "1h").out
    assert [one["goal_id"] for one in daemon.ask("call", "list_goals")["items"]] == [kept]
    assert goal in daemon.sophia("timeline", goal).out
    assert "nothing to undo" in daemon.sophia("undo", "hasty", "--since", "1h").out
