"""What differs between two texts: as a patch that makes the one of the other, within the room there is."""

import re
import time

from hypothesis import given, strategies as st

from sophia.capabilities.wiki.diff import unified

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
LINES = st.lists(st.sampled_from(["", "a", "b", "c", " d", "-e", "@@"]), max_size=14).map("\n".join)


def patched(old: str, diff: str) -> str:
    """The old text with the hunks applied to it, as `patch` would."""
    lines, made, at = old.split("\n"), [], 0
    hunk = None
    for line in diff.split("\n") if diff else []:
        if (hunk := HUNK.fullmatch(line)) is not None:
            start = int(hunk[1]) - (hunk[2] != "0")
            made += lines[at:start]
            at = start
        elif line[0] == "+":
            made.append(line[1:])
        else:
            assert lines[at] == line[1:]
            made += [line[1:]] if line[0] == " " else []
            at += 1
    return "\n".join(made + lines[at:])


@given(LINES, LINES)
def test_the_hunks_make_the_one_text_of_the_other(old: str, new: str):
    found = unified(old, new, 10_000)
    assert patched(old, found.text) == new
    assert not found.truncated
    told = [line for line in found.text.split("\n") if HUNK.fullmatch(line) is None]
    assert (found.added, found.removed) == tuple(sum(line[:1] == sign for line in told) for sign in "+-")


def test_lines_around_a_change_are_shown_and_no_others():
    old = "\n".join(map(str, range(20)))
    assert unified(old, old.replace("\n10\n", "\nten\n"), 1000).text == (
        "@@ -8,7 +8,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13"
    )
    assert unified(old, old, 1000).text == ""


def test_what_is_too_much_to_compare_goes_and_comes_whole_in_good_time():
    old, new = ("\n".join(f"{n}\n{sign}{n}" for n in range(4000)) for sign in "ab")
    began = time.process_time()
    whole = unified(f"head\n{old}\ntail", f"head\n{new}\ntail", 200_000)
    assert time.process_time() - began < 2, "line by line it takes several times as long"
    assert patched(f"head\n{old}\ntail", whole.text) == f"head\n{new}\ntail"
    cut = unified(old, new, 1000)
    assert (cut.truncated, cut.added, cut.removed) == (True, whole.added, whole.removed)
    assert len(cut.text) <= 1000
