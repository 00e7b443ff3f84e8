"""Every tool that writes, with a secret wherever a text may stand: none is kept, in whatever form it came."""

import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest

from sophia.catalog.tool import Tool
from sophia.core.access import Access
from sophia.surface import GROUPS
from tests.support.asking import askings
from tests.support.house import House, house
from tests.support.kept import kept
from tests.support.planted import SHAPED, Planted, drawn

WRITES = [tool for group in GROUPS for tool in group.tools if tool.access is not Access.READ]
SHORT = [one for one in SHAPED if len(one.secret) < 60 and one.kind != "sophia_bearer"]


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


def planted_in(schema: Any, secrets: Iterator[Planted], used: list[str]) -> Any:  # noqa: PLR0911 (one for each kind)
    """A value that the schema takes, with a secret in every text."""
    match schema:
        case {"enum": [first, *_]}:
            return first
        case {"type": "string"}:
            one = next(secrets)
            used.append(one.secret)
            return f"see {one.secret}"
        case {"type": "array", "items": items}:
            return [planted_in(items, secrets, used)]
        case {"type": "object", "properties": properties}:
            return {name: planted_in(kind, secrets, used) for name, kind in properties.items()}
        case {"type": "object"}:
            one = next(secrets)
            used.append(one.secret)
            return {f"at {one.secret}": one.secret, "api_key": used_key(used)}
        case {"type": "integer" | "number"}:
            return schema.get("default", schema.get("minimum", 1))
        case {"type": "boolean"}:
            return True
        case {"anyOf": options}:
            return planted_in(options[0], secrets, used)
        case _:
            return "x"


def used_key(used: list[str]) -> str:
    used.append(drawn(40, seed=11))
    return used[-1]


def real_ids(home: House) -> dict[str, str]:
    entity = home.entity("Ada", "person")
    document = home.call(home.owner, "add_document", title="t", body="Ada Lovelace sailed.", entity_ids=[entity])
    document_id = document["document"]["document_id"]
    fact = home.call(home.owner, "remember_fact", entity_id=entity, predicate="note", object="sailed")["fact"]
    page = home.call(home.owner, "write_wiki_page", page="p", body="Ada sailed.", entity_ids=[entity])["page"]
    return {
        "page": page["page_id"],
        "entity_id": entity, "document_id": document_id, "source_id": document_id, "fact_id": fact["fact_id"],
        "predicate": "remarks", "inverse": "remarked", "kind": "thing", "object_type": "text",
    }  # fmt: skip


@pytest.mark.parametrize("tool", WRITES, ids=lambda tool: tool.short)
def test_no_text_of_any_argument_is_kept_with_a_secret(home: House, tool: Tool):
    ids, used = real_ids(home), list[str]()
    secrets = itertools.cycle(SHORT)
    schema = home.parts.catalog.schemas[tool.name]["properties"]
    callers = (home.agent("full"), home.agent("assistant"), home.owner)
    whole = {name: ids.get(name) or planted_in(kind, secrets, used) for name, kind in schema.items()}
    for caller in callers:
        home.answer(caller, tool.name, whole)
        for name, kind in schema.items():
            # One at a time, with the rest as it has to be: so that what the others refuse is reached as well.
            least = next(askings(home.parts.catalog, tool, ["plain"]))
            least = {key: ids.get(key, value) for key, value in least.items()}
            home.answer(caller, tool.name, {**least, name: planted_in(kind, secrets, used)})
            home.answer(caller, "check_write", {"tool": tool.short, "arguments": least | {name: whole[name]}})
    found = kept(home)
    assert [one for one in set(used) if one in found or one.lower() in found] == []


def test_the_positive_control_what_is_no_secret_is_kept_and_the_rest_has_placeholders(home: House):
    agent = home.agent("full")
    secret = SHORT[0].secret
    told = home.call(
        agent, "add_document", title=f"About {secret}", body=f"{secret} opens zanzibar", tags=[f"t{secret}", "plainly"],
        collection="c", reason=f"because of {secret}", idempotency_key=f"key {secret}",
    )  # fmt: skip
    assert SHORT[0].kind in told["warning"]
    found = kept(home)
    assert "zanzibar" in found
    assert "plainly" in found
    assert found.count(f"[secret {SHORT[0].kind}") >= 4
    again = home.call(
        agent, "add_document", title=f"About {secret}", body=f"{secret} opens zanzibar", tags=[f"t{secret}", "plainly"],
        collection="c", reason=f"because of {secret}", idempotency_key=f"key {secret}",
    )  # fmt: skip
    assert again == told, "the same call is told the same, under its key"


def test_an_approval_holds_neither_secret_nor_a_digest_of_it(home: House):
    agent, secret = home.agent("assistant"), "Zx9!kk22" + "aB#7"
    arguments = {"title": "wifi", "body": f"The wifi password is {secret} here"}
    pending = home.refused(agent, "add_document", **arguments)
    assert "password (hit-" in pending["hint"]
    approval = home.parts.approvals.approve(pending["details"]["approval_id"], "owner")
    assert approval.status == "approved"
    assert secret not in kept(home)
    told = home.call(agent, "add_document", **arguments)
    assert "password (hit-" in told["warning"]
    text = home.call(agent, "fetch_document", document_id=told["document"]["document_id"])["text"]
    assert "[secret password …" in text


def test_a_fact_about_a_password_keeps_no_password(home: House):
    ids, secret = real_ids(home), "Zx9!kk22" + "aB#7"
    agent = home.agent("full")
    home.answer(agent, "remember_fact", {"entity_id": ids["entity_id"], "predicate": "wifi_password", "object": secret})
    home.call(home.owner, "remember_fact", entity_id=ids["entity_id"], predicate="api_key", object=drawn(30))
    home.call(home.owner, "create_entity", kind="thing", name="router", attributes={"password": secret, "n": [secret]})
    found = kept(home)
    assert secret not in found
    assert drawn(30) not in found
    fact = home.call(agent, "query_knowledge", predicate="api_key")["items"][0]
    assert fact["object"].startswith("[secret api_key …")


def test_quotes_are_grounded_in_what_is_kept(home: House):
    home.entity("Router")
    agent, secret = home.agent("full"), "Zx9!kk22" + "aB#7"
    body = f"Intro.\nRouter password: {secret}\nIt was set on 12 March 2026. Use {secret} alone."
    document = home.call(home.owner, "add_document", title="t", body=body)["document"]["document_id"]
    text = home.call(agent, "fetch_document", document_id=document)["text"]
    claims = [
        {"id": "a", "entity": "Router", "predicate": "note", "object": "2026-03-12", "quote": "set on 12 March 2026"},
        {"id": "b", "entity": "Router", "predicate": "wifi_password", "object": secret, "quote": f"password: {secret}"},
        {"id": "c", "entity": "Router", "predicate": "note", "object": "alone", "quote": f"Use {secret} alone."},
    ]  # fmt: skip
    checked = home.call(agent, "check_claim_graph", source_id=document, claims=claims)["verdicts"]
    given = home.call(agent, "submit_claim_graph", source_id=document, claims=claims)
    for one, before in zip(given["verdicts"], checked, strict=True):
        fact_id = one.pop("fact_id")
        assert one == before
        assert (one["accepted"], one["trust_tier"], one["quote_match"]) == (True, "quoted", "exact"), one
        fact = home.call(agent, "get_fact", fact_id=fact_id)
        assert text[fact["quote_start"] : fact["quote_end"]] == fact["quote"]
        assert home.call(agent, "explain_fact", fact_id=fact_id)["verdict"] == "holds"
    assert "password (hit-" in given["warning"]
    assert secret not in kept(home)


def test_a_call_that_changes_nothing_records_no_hit(home: House):
    agent = home.agent("observer")
    home.refused(agent, "add_document", title="t", body=SHORT[0].text)
    home.call(agent, "search_documents", query=SHORT[0].secret)
    home.refused(home.agent("full"), "tag_document", document_id="doc-0", add_tags=[SHORT[0].secret])
    assert home.parts.secrets.listed() == []


def test_what_an_agent_names_by_a_secret_is_told_back_without_it(home: House):
    told = home.answer(home.agent("full"), "archive_document", {"document_id": SHORT[0].secret})
    assert SHORT[0].secret not in json.dumps(json.loads(told.payload))
