"""Nothing that opens something is ever written down: not in a log, a table, an error or an answer."""

import base64
import http.client
import json
import urllib.parse
from collections.abc import Iterator

import pytest

from sophia.store.engine import connect
from sophia.store.keys import unlock
from sophia.store.ownership import acquire, release
from sophia.surface import GROUPS
from tests.support.daemon import Daemon, running

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture
def daemon() -> Iterator[Daemon]:
    with running(SOPHIA_LOG_LEVEL="debug") as standing:
        yield standing


def ask(daemon: Daemon, bearer: str, method: str, params: dict[str, object], path: str = "/mcp") -> bytes:
    at = urllib.parse.urlsplit(daemon.mcp)
    line = http.client.HTTPConnection(at.hostname or "", at.port, timeout=20)
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}})
    headers = {"Authorization": f"Bearer {bearer}", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
    if "name" in params:
        headers["Mcp-Name"] = str(params["name"])
    line.request("POST", path, body, {**headers, "Content-Type": "application/json"})
    answer = line.getresponse().read()
    line.close()
    return answer


def forms(secret: str) -> list[bytes]:
    raw = secret.encode()
    return [
        raw,
        raw[:20],
        raw.hex().encode(),
        base64.b64encode(raw)[:-4],
        urllib.parse.quote(secret).encode(),
        raw[::-1],
    ]


@pytest.mark.guarantee("A9", "T8")
def test_no_form_of_a_bearer_or_a_key_is_left_anywhere(daemon: Daemon) -> None:
    minted = daemon.ask("mint", "--name", "canary", "--profile", "full", "--mode", "pre_approved")
    bearer = minted["bearer_token"]
    answers = [ask(daemon, bearer, "tools/list", {}), ask(daemon, bearer + "x", "tools/list", {})]
    answers.append(ask(daemon, bearer, "tools/list", {}, path=f"/mcp?bearer={bearer}"))
    for group in GROUPS:
        for tool in group.tools:
            # Wherever an argument can stand, wrong ones included: a refusal must not keep what it was told.
            for arguments in ({bearer: 1}, dict.fromkeys(tool.own, bearer), {"reason": f"because of {bearer}"}):
                ask(daemon, bearer, "tools/call", {"name": tool.name, "arguments": arguments})
    note = {"title": "note", "body": f"the key is {bearer}", "reason": bearer}
    answers.append(ask(daemon, bearer, "tools/call", {"name": "sophia.add_document", "arguments": note}))
    assert b"bad_arguments" in answers[-1]
    answers.append(ask(daemon, bearer, "tools/call", {"name": "sophia.get_permissions", "arguments": {}}))
    answers.append(ask(daemon, bearer, f"no/{bearer}", {}))
    revoked = daemon.ask("revoke", minted["connection_id"])
    answers.append(json.dumps(revoked).encode())
    answers.append(ask(daemon, bearer, "tools/list", {}))
    assert b"Authentication required. Provide a valid Bearer token." in answers[-1]
    assert daemon.stopped().code == 0

    ownership = acquire(daemon.data)
    keys = unlock(ownership, daemon.keys, False)
    secrets = [*forms(bearer), keys.state.encode(), keys.ops.encode(), keys.seal.hex().encode()]
    written = [path.read_bytes() for path in daemon.data.rglob("*") if path.is_file()]
    assert any(b'"level": "' in content for content in written), "the positive control: there is a log"
    for name, key in (("state", keys.state), ("ops", keys.ops)):
        db = connect(ownership, daemon.data / f"{name}.db", key)
        for (table,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"):
            written.append(repr(list(db.execute(f"SELECT * FROM {table}"))).encode())
        db.close()
    release(ownership)
    assert any(minted["connection_id"].encode() in content for content in written), (
        "the positive control: rows are read"
    )
    around = [
        content[max(0, at - 120) : at] for secret in secrets for content in written if (at := content.find(secret)) >= 0
    ]
    assert around == []
    assert [answer for answer in answers for secret in forms(bearer) if secret in answer] == []
