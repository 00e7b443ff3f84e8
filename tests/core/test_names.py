"""A name is shown safely, and nobody takes the owner's."""

import unicodedata

import pytest
from hypothesis import given, strategies as st

from sophia.core.errors import BadArguments
from sophia.core.names import CONFUSABLES, MAX_NAME, RESERVED, display_name, free_name, reserved_word


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("owner", "owner"), ("OWNER", "owner"), ("The Owner", "owner"), ("HumanOverseer", "human"), ("my-user", "user"),
        ("system_bot", "system"), ("sophia.helper", "sophia"), ("adminBot", "admin"), ("ROOTshell", "root"),
        ("theServer", "server"), ("daemon/1", "daemon"), ("operator:2", "operator"), ("оwner", "owner"),
        ("ΟWNER", "owner"), ("ｏｗｎｅｒ", "owner"), ("𝐨𝐰𝐧𝐞𝐫", "owner"), ("ow\u200bner", "owner"), ("ówner", "owner"),
        ("o\u0301wner", "owner"), ("ѕуѕtеm", "system"), ("adm1n", "admin"), ("admln", "admin"), ("r00t", "root"),
        ("systern", "system"), ("ovvner", "owner"), ("o.w.n.e.r", "owner"), ("o w n e r", "owner"), ("@dmin", "admin"),
        ("$ystem", "system"), ("Human", "human"), ("agent (human)", "human"), ("\u202eowner", "owner"),
    ],
)  # fmt: skip
def test_a_reserved_word_is_seen_however_it_is_written(text: str, word: str):
    assert reserved_word(text) == word


@pytest.mark.parametrize(
    "text",
    [
        "Humanist", "humanity", "ownership", "reviewer", "superuser", "Rooted", "systematic", "Administration",
        "observer", "codex-1", "Claude Code", "sophisticated", "Анна", "東京", "user2user3x", "cooperator", "",
    ],
)  # fmt: skip
def test_a_word_that_only_holds_one_is_free(text: str):
    assert reserved_word(text) is None


@given(st.sampled_from(sorted(RESERVED)), st.data())
def test_every_look_alike_of_every_reserved_word_is_seen(word: str, data: st.DataObject):
    looks = {letter: [chr(code) for code, to in CONFUSABLES.items() if to == letter] for letter in word}
    disguised = "".join(data.draw(st.sampled_from([c, c.upper(), *looks[c]])) for c in word)
    assert reserved_word(f"x {disguised}") == word or any(c.isupper() for c in disguised[1:])
    assert reserved_word(disguised.lower()) == word


def test_no_reserved_word_is_changed_by_the_mapping_itself():
    assert {word: reserved_word(word) for word in RESERVED} == {word: word for word in RESERVED}


@pytest.mark.guarantee("M6")
@pytest.mark.parametrize(
    "text",
    [
        "", " ", "a\u202eb", "a\u2066b", "a\u200bb", "a\u200db", "\ufeffa", "a\0", "a\nb", "a\x1b[31m", "a\u2028b",
        "a\ud800", "\u3164", "a\u115fb", "\U000e0041", "x" * (MAX_NAME + 1), "x" * 10_000, "e" + "\u0316" * 9, "\ue000",
        "\u0301", "\u00ad",
    ],
    ids=ascii,
)  # fmt: skip
def test_a_name_that_cannot_be_seen_for_what_it_is_is_refused(text: str):
    with pytest.raises(BadArguments) as refused:
        display_name(text, "worker_name")
    assert refused.value.argument == "worker_name"


@pytest.mark.guarantee("M6")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("  Anna  Meyer ", "Anna Meyer"), ("Zoe\u0308", "Zo\u00eb"), ("codex-1 (review)", "codex-1 (review)"),
        ("東京", "東京"), ("\u05d0\u05e0\u05d4", "\u05d0\u05e0\u05d4"), ("bot \U0001f916", "bot \U0001f916"),
        ("Việt", "Việt"), ("a\u00a0b", "a b"), ("<b>", "<b>"), ("x" * MAX_NAME, "x" * MAX_NAME),
    ],
)  # fmt: skip
def test_a_name_of_any_script_is_kept_in_one_form(text: str, shown: str):
    assert display_name(text) == shown


@given(st.text(max_size=30))
def test_what_is_shown_is_shown_again_as_it_is(text: str):
    try:
        name = display_name(text)
    except BadArguments:
        return
    assert display_name(name) == name
    assert unicodedata.is_normalized("NFC", name)


def test_a_free_name_is_a_display_name_that_is_not_reserved():
    assert free_name("Humanist ") == "Humanist"
    for taken in ("HumanOverseer", "the оwner", ""):
        with pytest.raises(BadArguments):
            free_name(taken)
