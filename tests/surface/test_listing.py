"""What clients are told of the surface: flat, small, stable, and the same wherever it is told."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from sophia.catalog.call import ReadCall
from sophia.catalog.catalog import CORE, Catalog
from sophia.catalog.group import Group
from sophia.core.access import Access, NameStyle, SurfaceSize
from sophia.core.errors import ERRORS
from sophia.dispatch.parts import INSTRUCTIONS
from sophia.surface import GROUPS
from tests.support.house import House, house


@pytest.fixture(scope="module")
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from nodes(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from nodes(value)


@pytest.mark.parametrize("profile", ["observer", "assistant", "full"])
@pytest.mark.parametrize("size", SurfaceSize)
@pytest.mark.parametrize("style", NameStyle)
def test_every_list_is_one_that_every_client_takes(
    home: House, profile: str, size: SurfaceSize, style: NameStyle
) -> None:
    front = home.parts.front(None, 0)  # type: ignore[arg-type]
    agent = home.agent(profile)
    encoded = front.listing(agent, size, style)
    assert len(encoded) <= (100_000 if size is SurfaceSize.FULL else 32_000)
    assert encoded == front.listing(home.agent(profile), size, style)
    for tool in json.loads(encoded):
        pattern = r"sophia\.[a-z0-9_]{1,40}" if style is NameStyle.DOTTED else r"[a-zA-Z0-9_-]{1,64}"
        assert re.fullmatch(pattern, tool["name"])
        assert "__" not in tool["name"]
        assert set(tool) <= {"name", "description", "inputSchema", "annotations", "_meta"}
        assert tool["inputSchema"]["type"] == "object"
        assert not {"anyOf", "oneOf", "allOf"} & set(tool["inputSchema"])
        assert not any({"$ref", "$schema", "$defs"} & set(node) for node in nodes(tool["inputSchema"]))
        assert 1 <= len(re.findall(r"[.?!](?:\s|$)", tool["description"])) <= 3, tool["name"]
        assert len(tool["description"]) <= 300
    assert len(INSTRUCTIONS) < 2_000


@pytest.mark.guarantee("O6", "O8")
def test_catalog_list_and_types_are_one_set(home: House) -> None:
    agent = home.agent("assistant")
    front = home.parts.front(None, 0)  # type: ignore[arg-type]
    catalog = home.call(agent, "capability_catalog")
    entries = [entry for group in catalog["groups"].values() for entry in group]
    listed = {tool["name"] for tool in json.loads(front.listing(agent, SurfaceSize.FULL, NameStyle.DOTTED))}
    core = {tool["name"] for tool in json.loads(front.listing(agent, SurfaceSize.CORE, NameStyle.DOTTED))}
    index = home.call(agent, "get_sdk_types")["index"]
    methods = {entry["method"] for group in index.values() for entry in group}
    assert {entry["name"] for entry in entries} == listed
    assert {entry["name"] for entry in entries if entry["listed"]} == core
    assert methods == {tool.method for tool in home.parts.catalog.tools if tool.name in listed}
    assert catalog["total_tools"] == len(entries)
    assert catalog["error_codes"] == [error.code for error in ERRORS]
    assert len(json.dumps(home.call(agent, "capability_catalog", brief=True))) < 8_000
    observer = home.call(home.agent("observer"), "capability_catalog")
    shown = {entry["name"] for group in observer["groups"].values() for entry in group}
    assert "sophia.create_entity" not in shown


@pytest.mark.guarantee("O5")
def test_the_version_hash_changes_with_the_surface_and_with_nothing_else() -> None:
    def read_group(doc: str, name: str = "look") -> Group[Any]:
        group: Group[ReadCall] = Group("read_more", Access.READ)

        def look(call: ReadCall, at: str) -> dict[str, str]:
            return {"at": at}

        look.__doc__ = doc
        look.__name__ = name
        group.tool()(look)
        return group

    base = Catalog.over(GROUPS).version_hash
    assert Catalog.over(GROUPS).version_hash == Catalog.over(reversed(GROUPS)).version_hash == base
    hashes = {
        Catalog.over((*GROUPS, read_group(doc, name))).version_hash
        for doc, name in (("Looks.", "look"), ("Looks about.", "look"), ("Looks.", "peer"))
    }
    assert len(hashes | {base}) == 4
    script = (
        "from sophia.catalog.catalog import Catalog; from sophia.surface import GROUPS;"
        "print(Catalog.over(GROUPS).version_hash)"
    )
    for seed in ("1", "2"):
        told = subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "PYTHONHASHSEED": seed}, check=True, capture_output=True
        )
        assert told.stdout.decode().strip() == base


def test_one_more_function_is_everywhere_and_none_leaves_no_trace() -> None:
    group: Group[ReadCall] = Group("read_more", Access.READ)

    @group.tool()
    def look_about(call: ReadCall, at: str) -> dict[str, str]:
        """Looks about."""
        return {"at": at}

    with house((*GROUPS, group)) as home:
        agent = home.agent("observer")
        front = home.parts.front(None, 0)  # type: ignore[arg-type]
        for name in ("sophia.look_about", "sophia_look_about", "look_about", "lookAbout"):
            assert home.call(agent, name, at="x")["at"] == "x"
            assert front.canonical(name) == "sophia.look_about"
        assert b'"sophia.look_about"' in front.listing(agent, SurfaceSize.FULL, NameStyle.DOTTED)
        assert "sophia.look_about" in home.call(agent, "get_permissions")["approved_tools"]
        assert "lookAbout(args: { at: string" in home.call(agent, "get_sdk_types", tools=["look_about"])["declarations"]
        assert home.call(agent, "capability_catalog", group="read_more")["total_tools"] == 1
    with house() as home:
        agent = home.agent("observer")
        for told in (home.call(agent, "get_permissions"), home.call(agent, "capability_catalog")):
            assert "look_about" not in json.dumps(told)


def test_two_tools_of_one_name_and_a_tool_that_says_nothing_cannot_be() -> None:
    group: Group[ReadCall] = Group("read_more", Access.READ)

    def orient(call: ReadCall) -> dict[str, str]:
        """Another."""
        return {}

    group.tool()(orient)
    with pytest.raises(TypeError, match="one name"):
        Catalog.over((*GROUPS, group))

    def silent(call: ReadCall) -> dict[str, str]:
        return {}

    def double__named(call: ReadCall) -> dict[str, str]:
        """Named badly."""
        return {}

    def greedy(call: ReadCall, max_bytes: int) -> dict[str, str]:
        """Takes what is derived."""
        return {}

    for function, why in ((silent, "docstring"), (double__named, "no tool name"), (greedy, "derived")):
        with pytest.raises(TypeError, match=why):
            group.tool()(function)


def test_the_core_surface_is_the_frozen_twenty_five() -> None:
    assert len(CORE) == 25


def test_a_need_finds_the_tool(home: House) -> None:
    agent = home.agent("full")
    found = home.call(agent, "capability_catalog", query="search in documents", brief=True)["groups"]
    assert "sophia.search_documents" in found["read_documents"]
