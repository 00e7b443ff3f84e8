"""A pattern names paths below a folder, in one way, and cannot be made slow."""

import time
from fnmatch import fnmatchcase

import pytest
from hypothesis import given, strategies as st

from sophia.capabilities.documents.globs import MAX_PATTERN, MAX_PATTERNS, compiled, matches
from sophia.core.errors import BadArguments


@pytest.mark.parametrize(
    ("pattern", "path", "named"),
    [
        ("*.md", "a.md", True), ("*.md", "x/y/a.md", True), ("*.md", "a.mdx", False), ("x/*.md", "x/a.md", True),
        ("x/*.md", "x/y/a.md", False), ("x/**/*.md", "x/a.md", True), ("x/**/*.md", "x/y/z/a.md", True),
        ("**", "a", True),
        ("x/**", "x/a", True), ("x/**", "x", False), ("x/", "x/a/b", True), ("x/", "x", False),
        ("a/**/b/**/c", "a/b/b/x/c", True), ("a/**/b", "a/c", False), ("a?c", "abc", True), ("a?c", "a/c", False),
        ("[ab].md", "a.md", True), ("[!ab].md", "a.md", False), ("[!ab].md", "c.md", True), ("[a-c]", "b", True),
        ("[z-a]", "z", False), ("[", "[", True), ("a.b", "axb", False), ("(a|b)", "a", False), ("a**b", "a/b", False),
        ("a\nb", "a\nb", True), ("\u00fc*", "\u00fcber", True), ("*", "any.thing", True),
    ],
)  # fmt: skip
def test_a_pattern_names_what_it_looks_like(pattern: str, path: str, named: bool):
    assert matches(path, compiled([pattern], "include")) is named


@pytest.mark.parametrize("pattern", ["", "/etc/*", "../x", "x/../y", "a\0b", "x" * (MAX_PATTERN + 1)])
def test_a_pattern_that_leaves_the_folder_is_refused(pattern: str):
    with pytest.raises(BadArguments) as told:
        compiled([pattern], "exclude")
    assert told.value.argument == "exclude"


def test_patterns_have_a_bound():
    with pytest.raises(BadArguments):
        compiled(["*"] * (MAX_PATTERNS + 1), "include")


@given(st.text("ab*?", min_size=1, max_size=8), st.text("ab", min_size=1, max_size=8))
def test_within_one_name_patterns_are_those_of_the_shell(pattern: str, name: str):
    assert matches(name, compiled([pattern], "include")) == fnmatchcase(name, pattern)


@given(st.text("ab[]!-^\\*?/.(", max_size=12))
def test_any_pattern_is_compiled_or_refused(pattern: str):
    try:
        compiled([pattern], "include")
    except BadArguments:
        assert not pattern or pattern.startswith("/") or ".." in pattern.split("/")


def test_a_pattern_made_to_be_slow_is_not():
    begin = time.process_time()
    slow = compiled(["a*" * 90 + "b", "**/" * 60 + "b", "*/**/" * 30 + "b"], "include")
    assert not matches("a" * 255 + "/a" * 120, slow)
    assert not matches("a" * 255, slow)
    assert time.process_time() - begin < 5
