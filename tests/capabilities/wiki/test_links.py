"""What a page names: links and citations in double brackets, wherever they are no code."""

import time

import pytest

from sophia.capabilities.wiki import titles
from sophia.capabilities.wiki.links import Link, links
from sophia.core.errors import BadArguments

FACT, DOCUMENT, PAGE = (f"{prefix}-{'01k9' + 'a' * 22}" for prefix in ("f", "doc", "page"))


def targets(body: str) -> list[str]:
    return [link.target for link in links(body)]


def test_a_link_names_a_page_by_title_and_may_have_a_heading_and_a_label():
    assert links("[[Sea  Mail#Letters|the letters]], ![[Map]]") == [
        Link("page", "sea mail", "Sea Mail", "Letters"),
        Link("page", "map", "Map"),
    ]
    assert targets("[[One]] [[one]] [[ONE#a]] [[ Ｏｎｅ ]]") == ["one"]
    assert targets("| [[Log\\|books]] | [[Ship]] |") == ["log", "ship"]


def test_an_id_names_a_page_a_fact_or_a_document_and_other_ids_nothing():
    body = f"[[{FACT}]] [[{DOCUMENT}|the log]] [[{PAGE}]] [[{FACT.upper()}]] [[e-{'0' * 26}]]"
    assert [(link.kind, link.target) for link in links(body)] == [
        ("fact", FACT),
        ("document", DOCUMENT),
        ("page", PAGE),
    ]
    assert links(f"{FACT} and {DOCUMENT} alone cite nothing") == []


@pytest.mark.parametrize(
    "body",
    [
        "`[[no]]`",
        "``a ` [[no]] ``",
        "`over\ntwo [[no]] lines`",
        "```\n[[no]]\n```",
        "~~~ py\n[[no]]\n```\n[[no]]\n~~~",
        "````\n```\n[[no]]\n````",
        "> ```\n> [[no]]\n> ```",
        "1. ```\n   [[no]]\n   ```",
        "Text.\n\n    [[no]]\n\n    [[no]]",
        "\t[[no]]",
        "```\n[[no]]",
        "\\[[no]]",
        "[[]] [[ ]] [[#Heading]] [[|label]]",
        "[[no\nno]] [[no[no]] [[no]no]]",
        f"[[{'x' * 201}]]",
    ],
)
def test_code_and_what_is_escaped_or_empty_names_nothing(body: str):
    assert targets(f"[[before]]\n\n{body}\n") == ["before"]


@pytest.mark.parametrize(
    "body",
    [
        "`a` [[yes]] `b`",
        "one ` alone [[yes]]",
        "\\` [[yes]] `",
        "a `\n\nb [[yes]] `",
        "- a `\n- b [[yes]] `",
        "# a `\n[[yes]] `",
        "```\ncode\n```\n[[yes]]",
        "~~~\n```\n~~~\n[[yes]]",
        "- item\n\n    [[yes]]",
        "- item\n\n  more\n\n    [[yes]]",
        "Text\n    [[yes]]",
        "``` not a fence ` here: [[yes]]",
    ],
)
def test_what_only_looks_like_code_still_links(body: str):
    assert targets(body) == ["yes"]


@pytest.mark.parametrize(
    "body", ["[[" * 100_000, "`" * 199_000 + " [[a]]", "` `` " * 40_000, "- " * 100_000, "\n" * 200_000]
)
def test_odd_texts_of_full_length_take_no_time(body: str):
    began = time.process_time()
    links(body)
    assert time.process_time() - began < 2


def test_titles_are_one_that_differ_by_form_case_and_blanks_alone():
    assert titles.key("  Straße\u00a0 in\u200b Café ") == titles.key("STRASSE IN CAFE\u0301")
    assert titles.key("C++") != titles.key("C")
    assert titles.shown(" The  Log ", "page") == "The Log"


@pytest.mark.parametrize(
    "title", ["", " ", "\u200b", "a]b", "a|b", "C#", "[a", "a\nb\x07", PAGE, FACT.upper(), "x" * 201]
)
def test_a_title_that_no_link_could_name_is_refused(title: str):
    with pytest.raises(BadArguments):
        titles.shown(title, "page")
