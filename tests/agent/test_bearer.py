"""A bearer counts in the one header made for it, and nothing else ever stands in for it."""

import hashlib
import json

import pytest

from sophia.agent.bearer import presented
from tests.support.fixture_door import BEARER, OTHER_BEARER, REVOKED_BEARER
from tests.support.wire import Heard, Wire, head_of, running

SENTENCE = "Authentication required. Provide a valid Bearer token."
NONE: frozenset[bytes] = frozenset()


def posted(wire: Wire, *headers: str) -> bytes:
    return wire.raw(head_of(wire.port, "POST /mcp HTTP/1.1", *headers, "Content-Length: 2", bearer=None) + b"{}")


def is_refusal(heard: Heard) -> bool:
    return (
        heard.status == 401
        and heard.error["message"] == SENTENCE
        and heard.headers["www-authenticate"] == f'Bearer error="invalid_token", error_description="{SENTENCE}"'
    )


@pytest.mark.guarantee("T1")
@pytest.mark.parametrize("method", ["initialize", "tools/list", "tools/call", "server/discover", "no/such"])
def test_without_a_credential_the_seeds_sentence_is_all_there_is(wire: Wire, method: str):
    wire.door.refusals.clear()
    wire.door.calls.clear()

    heard = wire.legacy(method, {"name": "sophia.echo"}, bearer=None)

    assert is_refusal(heard)
    assert "mcp-session-id" not in heard.headers
    assert "resource_metadata" not in heard.headers["www-authenticate"]
    assert wire.door.refusals == [("invalid_or_revoked_bearer", {"path": "/mcp", "sent": False})]
    assert wire.door.calls == []


@pytest.mark.guarantee("T1", "T2")
@pytest.mark.parametrize(
    "value",
    ["", "Bearer", "Bearer ", "Bearer  ", "Bearer\t", "Bearer   \t ", "Bearer null", "Bearer undefined", "Basic YTpi",
     f"Bearer\t{BEARER}", f"Bearer  {BEARER}", f"Token {BEARER}", BEARER, f"Bearer {BEARER} {BEARER}",
     f"Bearer {BEARER[:-1]}", f"Bearer {BEARER}A", f"Bearer {BEARER},", f'Bearer "{BEARER}"'],
)  # fmt: skip
def test_a_blank_or_malformed_credential_is_a_rejected_one(wire: Wire, value: str):
    wire.door.calls.clear()
    heard = wire.call("sophia.echo", bearer=None, headers={"Authorization": value})

    assert is_refusal(heard)
    assert wire.door.calls == []


@pytest.mark.guarantee("T6")
def test_the_scheme_is_spelled_in_any_case(wire: Wire):
    for scheme in ("bearer", "BEARER", "BeArEr"):
        assert wire.call("sophia.whoami", bearer=None, headers={"Authorization": f"{scheme} {BEARER}"}).status == 200


@pytest.mark.guarantee("T6")
@pytest.mark.parametrize(
    "headers",
    [
        [f"Authorization: Bearer {BEARER}", f"Authorization: Bearer {BEARER}"],
        [f"Authorization: Bearer {BEARER}", f"Authorization: Bearer {OTHER_BEARER}"],
        ["Authorization: Basic x", f"authorization: Bearer {BEARER}"],
        [f"Authorization: Bearer {BEARER}, Bearer {OTHER_BEARER}"],
        [f"Authorization: Bearer {BEARER},{BEARER}"],
        [f"Cookie: authorization=Bearer {BEARER}; bearer={BEARER}"],
        [f"X-Authorization: Bearer {BEARER}"],
        [f"Proxy-Authorization: Bearer {BEARER}"],
    ],
)
def test_two_headers_a_list_or_another_place_are_no_credential(wire: Wire, headers: list[str]):
    assert b" 401 " in posted(wire, *headers)[:20]


@pytest.mark.guarantee("T6")
def test_a_bearer_in_the_url_or_the_body_is_no_credential(wire: Wire):
    body = json.dumps({"access_token": BEARER, "authorization": f"Bearer {BEARER}"}).encode()
    for path in (f"/mcp?access_token={BEARER}", f"/mcp?authorization=Bearer%20{BEARER}"):
        assert is_refusal(wire.ask(path=path, body=body, bearer=None))


@pytest.mark.guarantee("T7")
@pytest.mark.parametrize(
    "token",
    [BEARER.encode() + b"\n", BEARER.encode() + b"\r", BEARER.encode() + b"\0", BEARER.encode()[:-1] + "А".encode(),
     BEARER.upper().encode(), b"\xff\xfe\x80", "sophia_ä".encode("latin-1"), b"a" * 1_000_000, b"a" * 257, b"=" * 20,
     b"sophia_\xe2\x80\x8b" + b"A" * 43],
    ids=range(11),
)  # fmt: skip
def test_a_token_that_looks_alike_or_is_huge_is_none(wire: Wire, token: bytes):
    assert presented({b"authorization": b"Bearer " + token}, NONE) in (None, BEARER.upper().encode())
    head = head_of(wire.port, "POST /mcp HTTP/1.1", "Content-Length: 2", bearer=None)[:-2]

    answer = wire.raw(head + b"Authorization: Bearer " + token + b"\r\n\r\n{}")

    # What no header may hold is refused as no HTTP, and what is too large for one as that.
    assert answer[:12] in (b"HTTP/1.1 401", b"HTTP/1.1 400", b"HTTP/1.1 431")


def test_the_stored_digest_is_no_bearer(wire: Wire):
    digest = hashlib.sha256(BEARER.encode()).hexdigest()
    for token in (digest, digest.upper(), f"sophia_{digest[:43]}"):
        assert is_refusal(wire.call("sophia.echo", bearer=token))


def test_a_revoked_bearer_is_refused_on_the_next_request():
    with running() as wire:
        assert wire.call("sophia.whoami").status == 200
        wire.door.revoke(BEARER)
        assert is_refusal(wire.call("sophia.whoami"))
        assert wire.call("sophia.whoami", bearer=OTHER_BEARER).status == 200


@pytest.mark.guarantee("T5")
@pytest.mark.parametrize("bearer", [None, REVOKED_BEARER, "wrong", ""])
def test_the_owners_routes_refuse_under_their_own_code(wire: Wire, bearer: str | None):
    heard = wire.ask("POST", "/mcp/connections", body=b"{}", bearer=bearer)

    assert (heard.status, heard.json) == (401, {"error": "invalid_or_revoked_bearer"})


FLAGS = [
    (b'{"ownerSession": true, "profile": "full"}', {}, ""),
    (b'{"ownerSession": true, "ownerSession": true}', {}, ""),
    (b"{}", {"X-Owner-Session": "true"}, ""),
    (b"{}", {"Cookie": "owner=1; ownerSession=true; session=\x01"}, ""),
    (b"{}", {}, "?ownerSession=true&owner=1"),
    (b'--x\r\nContent-Disposition: form-data; name="ownerSession"\r\n\r\ntrue\r\n--x--',
     {"Content-Type": "multipart/form-data; boundary=x"}, ""),
    (b"\xff\xfe not json", {}, ""),
]  # fmt: skip


@pytest.mark.guarantee("M1", "M2")
@pytest.mark.parametrize(("body", "headers", "query"), FLAGS, ids=range(len(FLAGS)))
def test_no_agent_mints_whatever_its_request_says(wire: Wire, body: bytes, headers: dict[str, str], query: str):
    wire.door.refusals.clear()
    headers = {name: value for name, value in headers.items() if "\x01" not in value}

    heard = wire.ask("POST", f"/mcp/connections{query}", body=body, headers=headers)

    assert (heard.status, heard.json["error"]) == (403, "owner_only")
    assert [what for what, _ in wire.door.refusals] == ["owner_only"]
    without = wire.ask("POST", f"/mcp/connections{query}", body=body, headers=headers, bearer=None)
    assert without.status == 401
