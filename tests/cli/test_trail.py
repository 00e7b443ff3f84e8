"""The command that shows what agents touched."""

import json

from sophia.cli.session import Session
from tests.support.daemon import Daemon


def test_a_trail_is_shown_with_names_and_whole_as_json(daemon: Daemon):
    made = daemon.ask("call", "create_entity", json.dumps({"kind": "person", "name": "Ada of the trail"}))
    minted = daemon.ask("mint", "--name", "trailed")
    session = Session(daemon.mcp, minted["bearer_token"])
    for _ in range(2):
        session.call("get_entity", entity_id="Ada of the trail")
    shown = daemon.sophia("trail", "Ada of the trail", "--limit", "1")
    assert "trailed" in shown.out
    assert "sophia.get_entity" in shown.out
    assert "Touched 2 times in all." in shown.out
    assert "1 of 2" in shown.out + shown.err
    assert daemon.ask("trail", made["entity"]["entity_id"])["accesses"] == 2
    assert {item["connection_name"] for item in daemon.ask("trail", "trailed")["items"]} == {"trailed"}
    assert daemon.sophia("trail", "nobody at all").code == 1
