"""The forms of the command line that scripts rely on, with a daemon that runs."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from sophia.cli.failed import Failed
from sophia.cli.session import Session
from tests.support.daemon import Daemon, place

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


@pytest.fixture
def agent(daemon: Daemon) -> Callable[..., Session]:
    def minted(*options: str) -> Session:
        return Session(daemon.mcp, daemon.ask("mint", "--name", "agent", *options)["bearer_token"])

    return minted


def entity(daemon: Daemon, name: str) -> str:
    made = daemon.ask("call", "create_entity", json.dumps({"kind": "person", "name": name}))
    entity_id: str = made["entity"]["entity_id"]
    return entity_id


def test_a_daemon_is_ready_with_one_line(daemon: Daemon):
    assert daemon.ready.keys() == {"ready", "url", "mcp", "pid", "version"}
    assert daemon.ready["pid"] == daemon.pid
    assert daemon.mcp == daemon.ready["url"] + "/mcp"


@pytest.mark.guarantee("M3", "M8")
def test_a_mint_has_the_defaults_of_the_contract_and_works_at_once(daemon: Daemon):
    told = daemon.ask("mint", "--name", "defaults")
    assert UUID.fullmatch(told["connection_id"])
    assert told["mcp_url"] == daemon.mcp
    assert (told["profile"], told["write_approval_mode"], told["entity_scope"]) == ("assistant", "per_call", "all")
    assert (told["surface"], told["name_style"], told["expires_at"]) == ("full", "dotted", None)
    assert (told["can_delegate"], told["can_post"], told["siblings_may_review"]) == (False, True, False)
    permissions = Session(told["mcp_url"], told["bearer_token"]).call("get_permissions")
    assert permissions["connection_id"] == told["connection_id"]
    assert permissions["can_post"] == told["can_post"]
    row = next(one for one in daemon.ask("connections") if one["connection_id"] == told["connection_id"])
    assert row["delivered"]


def test_every_option_of_a_mint_arrives(daemon: Daemon):
    ada = entity(daemon, "Ada of the options")
    told = daemon.ask(
        "mint", "--name", "options", "--profile", "full", "--mode", "pre_approved", "--scope", ada, "--delegate",
        "--can-post", "--ttl", "30", "--surface", "core", "--names", "underscore", "--siblings-may-review",
    )  # fmt: skip
    assert told["entity_scope"] == [ada]
    assert (told["profile"], told["write_approval_mode"]) == ("full", "pre_approved")
    assert (told["surface"], told["name_style"]) == ("core", "underscore")
    assert told["can_delegate"]
    assert told["can_post"]
    assert told["siblings_may_review"]
    assert told["expires_at"].endswith("Z")


@pytest.mark.guarantee("M4", "M5")
@pytest.mark.parametrize(
    "options",
    [
        ("--profile", "Full"), ("--profile", "full "), ("--scope", ""), ("--scope", "ALL"), ("--scope", "all "),
        ("--scope", "e-none"), ("--scope", "e-1,e-1"), ("--mode", "pre_approved"), ("--names", "kebab"),
        ("--surface", ""), ("--ttl", "0"), ("--name", "a\u202eb"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_is_not_exact_is_no_mint(daemon: Daemon, options: tuple[str, ...]):
    if options == ("--scope", ""):
        assert daemon.ask("mint", "--name", "none", *options)["entity_scope"] == []
        return
    said = daemon.sophia("mint", "--name", "inexact", *options, "--json")
    assert said.error["code"] == "bad_arguments"


def test_an_approval_goes_from_the_agent_over_the_owner_to_the_agent(daemon: Daemon, agent: Callable[..., Session]):
    session, ada = agent(), entity(daemon, "Ada of the approvals")
    with pytest.raises(Failed) as pending:
        session.call("update_entity", entity_id=ada, name="Ada L.")
    approval_id = pending.value.error["details"]["approval_id"]
    listed = next(one for one in daemon.ask("approvals") if one["approval_id"] == approval_id)
    assert {"approval_id", "connection_id", "tool", "arguments", "preview", "expires_at"} <= listed.keys()
    assert listed["arguments"] == {"entity_id": ada, "name": "Ada L."}
    assert daemon.ask("approve", approval_id)["status"] == "approved"
    assert session.call("update_entity", entity_id=ada, name="Ada L.")["entity"]["name"] == "Ada L."
    again = daemon.sophia("approve", approval_id, "--json")
    assert again.error["code"] == "conflict"


def test_a_denial_carries_its_reason(daemon: Daemon, agent: Callable[..., Session]):
    session, ada = agent(), entity(daemon, "Ada of the denials")
    with pytest.raises(Failed) as pending:
        session.call("update_entity", entity_id=ada, name="Ada L.")
    approval_id = pending.value.error["details"]["approval_id"]
    assert daemon.ask("deny", approval_id, "--reason", "not today")["reason"] == "not today"
    with pytest.raises(Failed) as denied:
        session.call("update_entity", entity_id=ada, name="Ada L.")
    assert denied.value.error["code"] == "approval_denied"


def test_a_tool_is_allowed_ahead_and_an_elevated_one_is_not(daemon: Daemon, agent: Callable[..., Session]):
    session, ada = agent(), entity(daemon, "Ada of the allowances")
    connection = session.call("get_permissions")["connection_id"]
    assert daemon.ask("allow", "update_entity", connection, "--minutes", "5")["tool"] == "sophia.update_entity"
    assert session.call("update_entity", entity_id=ada, name="Ada A.")["mutation_seq"]
    refused = daemon.sophia("allow", "create_entity", connection, "--minutes", "5", "--json")
    assert refused.error["code"] == "not_permitted"


def test_a_connection_is_renamed_narrowed_rotated_and_revoked(daemon: Daemon, agent: Callable[..., Session]):
    session, ada = agent(), entity(daemon, "Ada of the scopes")
    connection = session.call("get_permissions")["connection_id"]
    daemon.ask("rename", connection, "renamed")
    daemon.ask("scope", connection, ada)
    told = session.call("get_permissions")
    assert (told["name"], told["entity_scope"]) == ("renamed", [ada])
    bearer = daemon.ask("rotate", connection)["bearer_token"]
    assert Session(daemon.mcp, bearer).call("get_permissions")["connection_id"] == connection
    assert daemon.ask("revoke", connection)["revoked"] == [connection]
    with pytest.raises(Failed):
        Session(daemon.mcp, bearer).call("get_permissions")
    assert connection not in [one["connection_id"] for one in daemon.ask("connections")]
    assert connection in [one["connection_id"] for one in daemon.ask("connections", "--all")]


def test_the_owner_calls_any_tool_and_looks_through_a_connection(daemon: Daemon, agent: Callable[..., Session]):
    ada, other = entity(daemon, "Ada of the calls"), entity(daemon, "Other")
    connection = agent("--scope", ada).call("get_permissions")["connection_id"]
    seen = daemon.ask("call", "list_entities", "{}", "--as", connection)
    assert [row["entity_id"] for row in seen["items"]] == [ada]
    hidden = daemon.sophia("call", "get_entity", json.dumps({"entity_id": other}), "--as", connection, "--json")
    assert hidden.error["code"] == "not_found"
    assert daemon.ask("show", ada)["name"] == "Ada of the calls"
    assert daemon.sophia("show", "e-none", "--json").error["code"] == "not_found"


def test_a_code_stands_for_one_mint(daemon: Daemon):
    terms: dict[str, Any] = {
        "name": "coded", "profile": "full", "entity_scope": "all", "write_approval_mode": "per_call",
        "can_delegate": True, "can_post": False, "ttl_minutes": None, "surface": "full", "name_style": "dotted",
        "siblings_may_review": False,
    }  # fmt: skip
    told = daemon.ask("grant", "mint", json.dumps(terms))
    assert len(told["code"]) == 8
    assert "may mint workers" in told["for"]


def test_folders_are_granted_and_taken_back(daemon: Daemon):
    folder = daemon.root / "notes"
    folder.mkdir(exist_ok=True)
    assert daemon.ask("folders", "grant", str(folder))["path"] == str(folder.resolve())
    assert str(folder.resolve()) in [one["path"] for one in daemon.ask("folders", "list")]
    assert daemon.ask("folders", "revoke", str(folder))["revoked"]


def test_people_get_tables_and_the_same_exit_codes(daemon: Daemon):
    for words in (
        ("status",), ("connections",), ("approvals",), ("folders", "list"), ("doctor", "--config"), ("verify",),
        ("call", "list_entities"), ("call", "health"), ("mint", "--name", "seen by people"),
    ):  # fmt: skip
        said = daemon.sophia(*words)
        assert said.code == 0, said
        assert said.out.strip()
        assert "\x1b" not in said.out, "no colour where there is no terminal"
    refused = daemon.sophia("approve", "appr-none")
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith("not_found: ")
    assert daemon.sophia("call", "list_entities", "[]").code == 1
    assert daemon.sophia("call", "list_entities", "{").code == 1


@pytest.mark.parametrize("words", [("nonsense",), ("mint",), ("allow", "x", "y"), ("serve", "--port", "x"), ("scope",)])
def test_wrong_usage_has_its_own_exit_code(daemon: Daemon, words: tuple[str, ...]):
    assert daemon.sophia(*words).code == 2


def test_status_and_doctor_and_verify_tell_the_same_daemon(daemon: Daemon):
    status = daemon.ask("status")
    assert (status["running"], status["pid"], status["mcp_url"]) == (True, daemon.pid, daemon.mcp)
    assert daemon.ask("doctor")["ok"]
    verified = daemon.ask("verify")
    assert verified["ok"]
    assert verified["anchor"] in ("holds", "missing")


@pytest.mark.guarantee("T8")
def test_no_bearer_lies_in_any_file(daemon: Daemon):
    token = daemon.ask("mint", "--name", "unseen")["bearer_token"].encode()
    for path in (path for path in daemon.root.rglob("*") if path.is_file()):
        content = path.read_bytes()
        assert token not in content, path
        assert token[7:27] not in content, path


@pytest.mark.guarantee("A10", "4.19")
def test_every_file_is_its_owners_alone(daemon: Daemon):
    for path in (daemon.data, *daemon.data.rglob("*"), daemon.keys, *daemon.keys.rglob("*")):
        assert path.stat().st_mode & 0o077 == 0, path


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_completion_for_each_shell(daemon: Daemon, shell: str):
    assert "_SOPHIA_COMPLETE" in daemon.sophia("completion", shell).out


def test_what_is_imported_is_found_and_shown(daemon: Daemon):
    folder = daemon.root / "library"
    folder.mkdir()
    (folder / "cape.md").write_text("# The cape\n\nThe lighthouse was built in 1874.\n")
    told = daemon.ask("import", str(folder))
    kept = {"import_session_id", "mutation_seq", "documents", "entities", "facts", "masked", "skipped"}
    assert told.keys() == kept | {"folders"}
    found = daemon.ask("search", "lighthouse", "built")
    assert [hit["title"] for hit in found["items"]] == ["The cape"]
    assert found.keys() >= {"items", "total", "fusion"}
    shown = daemon.ask("show", found["items"][0]["id"])
    assert "1874" in shown["text"]
    for words in (("import", str(folder)), ("search", "lighthouse"), ("show", found["items"][0]["id"])):
        said = daemon.sophia(*words)
        assert said.code == 0, said
    assert daemon.sophia("import", str(folder / "nothing"), "--json").error["code"] == "bad_arguments"


def test_people_are_told_of_every_act(daemon: Daemon, agent: Callable[..., Session]):
    session, ada = agent(), entity(daemon, "Ada of the people")
    connection = session.call("get_permissions")["connection_id"]

    def asked(name: str) -> str:
        with pytest.raises(Failed) as pending:
            session.call("update_entity", entity_id=ada, name=name)
        approval_id: str = pending.value.error["details"]["approval_id"]
        return approval_id

    approved, denied = asked("Ada \u202e" + "A" * 150), asked("Ada D.")
    notes = daemon.root / "people"
    notes.mkdir()
    for words, told in (
        (("approvals",), "\\u{202e}"),
        (("approve", approved), "approved"),
        (("deny", denied, "--reason", "no"), f"Denied: {denied}"),
        (("allow", "update_entity", connection, "--minutes", "1"), "sophia.update_entity is allowed until"),
        (("rename", connection, "people's"), "agent is people's now."),
        (("scope", connection, ada), ada),
        (("rotate", connection), "bearer_token"),
        (("grant", "folders grant", json.dumps({"path": str(notes)})), "code"),
        (("folders", "grant", str(notes)), f"Granted: {notes.resolve()}"),
        (("folders", "list"), "root-"),
        (("folders", "revoke", str(notes)), "Not granted any more"),
        (("revoke", connection), f"Revoked: {connection}"),
        (("call", "get_entity", json.dumps({"entity_id": ada})), "Ada"),
    ):
        said = daemon.sophia(*words)
        assert said.code == 0, said
        assert told in said.out, said


def test_long_arguments_are_cut_for_people_and_whole_for_programs(daemon: Daemon, agent: Callable[..., Session]):
    body = "lighthouse " * 1_000
    with pytest.raises(Failed) as pending:
        agent().call("add_document", title="Long", body=body)
    approval_id = pending.value.error["details"]["approval_id"]
    shown = "".join(daemon.sophia("approvals").out.split())
    assert "".join(body.split()) not in shown
    assert "11000characters" in shown
    brief = next(one for one in daemon.ask("approvals") if one["approval_id"] == approval_id)
    assert len(brief["arguments"]["body"]) < 600
    whole = daemon.ask("approvals", approval_id)
    assert whole["arguments"]["body"] == body
    assert whole.keys() == brief.keys()
    one = daemon.sophia("approvals", approval_id)
    assert "--json`showsall" in "".join(one.out.split())
    assert daemon.sophia("approvals", "appr-none", "--json").error["code"] == "not_found"
    assert "denied" in daemon.sophia("approvals", "--status", "denid", "--json").error["valid"]


def test_a_stop_by_hand_is_told_to_people():
    with place() as at:
        assert at.sophia("stop").out == "Sophia was not running.\n"
        assert "initialized" in at.sophia("status").out


def test_a_session_that_is_refused_says_why(daemon: Daemon):
    with pytest.raises(Failed, match="refused the session"):
        Session(daemon.mcp, "sophia_" + "a" * 43).tools()
    with pytest.raises(Failed, match="does not answer"):
        Session("http://127.0.0.1:1/mcp", "x").tools()
