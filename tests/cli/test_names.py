"""Connections and entities by their names, where those are theirs alone."""

import json

import pytest

from sophia.cli.session import Session
from tests.support.daemon import Daemon


def entity(daemon: Daemon, name: str, kind: str = "person") -> str:
    made = daemon.ask("call", "create_entity", json.dumps({"kind": kind, "name": name}))
    entity_id: str = made["entity"]["entity_id"]
    return entity_id


def test_a_connection_is_found_by_its_name_everywhere(daemon: Daemon):
    ada = entity(daemon, "Ada of the names")
    one = daemon.ask("mint", "--name", "by name")
    assert daemon.ask("scope", "by name", "Ada of the names")["entity_scope"] == [ada]
    assert Session(daemon.mcp, daemon.ask("rotate", "by name")["bearer_token"]).call("get_permissions")
    assert daemon.ask("allow", "update_entity", "by name", "--minutes", "1")["connection_id"] == one["connection_id"]
    assert daemon.ask("call", "list_entities", "{}", "--as", "by name")["total"] == 1
    assert daemon.ask("rename", "by name", "renamed by name")["was"] == "by name"
    assert daemon.ask("revoke", "renamed by name")["revoked"] == [one["connection_id"]]
    error = daemon.sophia("revoke", "renamed by name", "--json").error
    assert (error["code"], "sophia connections" in error["hint"]) == ("not_found", True)


def test_what_could_have_been_said_is_shown(daemon: Daemon):
    said = daemon.sophia("mint", "--name", "x", "--profile", "boss")
    assert said.code == 1
    assert "  valid: observer, assistant, full\n" in said.err


def test_what_is_found_is_shown_with_the_id_that_shows_it_whole(daemon: Daemon):
    ada = entity(daemon, "Ada of the findings")
    assert f"Ada of the findings  ({ada})" in daemon.sophia("search", "Ada of the findings").out
    assert "Ada of the findings" in daemon.sophia("show", ada).out


def test_a_name_that_two_have_is_nobodys(daemon: Daemon):
    both = [daemon.ask("mint", "--name", "twin")["connection_id"] for _ in range(2)]
    error = daemon.sophia("revoke", "twin", "--json").error
    assert error["code"] == "ambiguous"
    assert {one["connection_id"] for one in error["candidates"]} == {*both}
    assert all(connection_id in daemon.sophia("revoke", "twin").err for connection_id in both)
    daemon.ask("revoke", both[0])
    assert daemon.ask("revoke", "twin")["revoked"] == [both[1]]


def test_a_scope_is_made_of_names_and_ids(daemon: Daemon):
    ada, grace = entity(daemon, "Ada of the scopes"), entity(daemon, "Grace of the scopes")
    told = daemon.ask("mint", "--name", "scoped", "--scope", f"ada of the scopes,{grace}")
    assert told["entity_scope"] == sorted([ada, grace])
    others = [entity(daemon, "Double", kind) for kind in ("person", "place")]
    error = daemon.sophia("mint", "--name", "x", "--scope", "Double", "--json").error
    assert error["code"] == "ambiguous"
    assert {one["entity_id"] for one in error["candidates"]} == {*others}


@pytest.mark.parametrize("scope", ["nobody at all", "ALL", "Ada of the scopes,,", "e-none"])
def test_a_name_of_nothing_makes_no_scope(daemon: Daemon, scope: str):
    error = daemon.sophia("mint", "--name", "x", "--scope", scope, "--json").error
    assert error["code"] == "bad_arguments"
    assert "sophia entities" in error["hint"]


def test_entities_are_listed_and_looked_for(daemon: Daemon):
    ada = entity(daemon, "Ada of the list", kind="listed")
    rows = daemon.ask("entities", "--kind", "listed")
    assert [(one["entity_id"], one["name"]) for one in rows] == [(ada, "Ada of the list")]
    assert daemon.ask("entities", "ada of the list")[0]["entity_id"] == ada
    assert ada in daemon.sophia("entities", "--kind", "listed").out
    assert "No entity is called that." in daemon.sophia("entities", "qqqqqqqq").out
    entity(daemon, "Somebody else entirely", kind="listed")
    assert "1 of 2" in daemon.sophia("entities", "--kind", "listed", "--limit", "1").err
