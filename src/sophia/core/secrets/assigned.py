"""Secrets that are known by the name that they are given: `password=`, `api_key:`, `the token is`."""

import re
from bisect import bisect_left
from collections.abc import Iterator

from sophia.core.secrets import likeness, names
from sophia.core.secrets.likeness import Given
from sophia.core.secrets.names import Sought, sought
from sophia.core.secrets.span import Span
from sophia.core.secrets.unveiled import unveiled

MAX_VALUE = 512
_QUALIFIED = re.compile(
    r"(?i)(?P<kind>api|access|account|shared|storage|secret|encryption|signing|master|private|auth|service|deploy|"
    r"session|jwt|webhook)[ _.-]?$"
)
"""What stands before `key` where it names a secret."""
_TAIL = re.compile(r"[\w.-]{0,40}")
_BETWEEN = re.compile(
    rf"""(?P<closed>\\?["'])?[`*]{{0,3}}\]?(?:
        [ \t]{{0,4}}(?::[ \t]{{0,2}}[\w.\[\]| ]{{1,30}}?=(?!=)|:=|=>|={{1,2}}|:)[ \t]{{0,4}}
        | [ \t]{{0,20}}\|[ \t]{{0,20}}
        | [ \t]{{1,3}}(?:{names.IS})[ \t]{{1,3}}(?P<prose>)
        | (?P<element>>)
    )(?:\*\*)?[ \t]{{0,2}}""",
    re.VERBOSE,
)  # fmt: skip
_QUOTED = re.compile(
    r"""(?:[fFbBrRuU@]{0,2})(?:
        \\"(?P<escaped>[^"\\\n]{1,512})\\"
        | (?P<mark>\"\"\"|'''|["'`])(?P<quoted>(?:(?!(?P=mark))[^\n]){1,512})(?P=mark)
    )""",
    re.VERBOSE,
)
_BARE = re.compile(r"[^\s\"'`<>|\\]{1,512}")
_ELEMENT = re.compile(r"[^<>\n]{1,512}(?=</)")
_GIVES = (":", "=")
_ENDS = re.compile(r"[,;&)\]}]")
_NEXT = re.compile(r"[,;&](?=[\s{\"']*[\w-]{1,60}[\"']?\s*[:=])|[)\]}](?=[,;)\]}]*$)|[,;](?=[^\w]*$)")
_OPTION = re.compile(r"--[\w-]{0,40}$")
_AFTER_OPTION = re.compile(r"[ \t]+|=")
_LOGIN = re.compile(r"\blogin[ \t]+\S{1,100}\s+$")
_CREDENTIALS = re.compile(r"[ \t]*(?P<value>[A-Za-z0-9._~+/=-]{12,4096})")
_ARGUMENT = re.compile(r"[(,]\s*[\w.]{0,60}$")
_AWS = re.compile(r"(?i)aws[ _.-]?$")


def assigned(said: Sought) -> Iterator[Span]:
    """The values in the text that a name before them says to be secrets, in order."""
    text = said.text
    if len(text) < likeness.SHORTEST:
        return
    yield from _authorizations(text, said.lowered)
    found = sorted(_named(said), key=lambda one: one[0].start())
    giving = [name.span() for name, _ in found if text[name.end() : name.end() + 1] in _GIVES]
    done = 0
    for name, kind in found:
        span = _value(text, name, kind, giving) if name.start() >= done else None
        if span is not None:
            done = span.end
            yield span


def named(name: str) -> str | None:
    """The kind of secret that something of this name holds, such as `password` for `db_password`; `None` for none."""
    name = unveiled(name).text
    for found, kind in _named(sought(name)):
        exact = _kind(name, found, kind, _TAIL.match(name, found.end()))
        if exact:
            return exact
    return None


def _named(said: Sought) -> Iterator[tuple[re.Match[str], str]]:
    """The names that stand in the text, with the kind of each."""
    for form in said.forms:
        at = said.lowered.find(form.stem)
        while at >= 0:
            if name := form.whole.match(said.lowered, at):
                yield name, form.kind
            at = said.lowered.find(form.stem, at + len(form.stem))


def _kind(text: str, name: re.Match[str], kind: str, tail: re.Match[str] | None) -> str | None:
    """The kind of what the name names; `None` where it is of something about secrets, such as `token_type`."""
    before = text[max(0, name.start() - 24) : name.start()]
    if kind == names.KEY:
        qualified = _QUALIFIED.search(before)
        if qualified is None:
            return None
        kind = f"{qualified['kind'].lower()}_key"
        before = before[: qualified.start()]
    rest = tail[0] if tail else ""
    if not likeness.names_a_secret(before, name[0], rest):
        return None
    if kind == "secret" and (_AWS.search(before) or rest == "AccessKey"):
        return "aws_secret_key"
    return kind


def _value(text: str, name: re.Match[str], kind: str, giving: list[tuple[int, int]]) -> Span | None:
    tail = _TAIL.match(text, name.end())
    end = tail.end() if tail else name.end()
    before = text[max(0, name.start() - 64) : name.start()]
    option = "--" in before and _OPTION.search(before) is not None
    free = option or ("login" in before and _LOGIN.search(before) is not None)
    between = (_AFTER_OPTION.match(text, end) if free else None) or _BETWEEN.match(text, end)
    exact = between and _kind(text, name, kind, tail)
    if not between or not exact:
        return None
    groups = between.groupdict()
    at = between.end()
    if groups.get("element") is not None:
        return _judged(text, _ELEMENT.match(text, at), 0, exact, Given.QUOTED)
    quoted = _QUOTED.match(text, at)
    if quoted is not None:
        return _judged(text, quoted, "escaped" if quoted["escaped"] else "quoted", exact, Given.QUOTED)
    if groups.get("closed") and not option and text[at - 1 : at] != "|":
        return None  # what stands bare behind a quoted name is a number or a variable
    tight = text[end : end + 1] == "=" and text[at - 1 : at] == "=" and not _ARGUMENT.search(before)
    how = Given.PROSE if groups.get("prose") is not None else Given.TIGHT if tight else Given.BARE
    # No value goes on behind the next name that is given one: however many there are, each is looked at once.
    following = bisect_left(giving, (at, 0))
    start, end = giving[following] if following < len(giving) else (len(text), len(text))
    return _judged(text, _BARE.match(text, at, end + 1), 0, exact, how, start)


def _judged(
    text: str, found: re.Match[str] | None, group: str | int, kind: str, how: Given, beyond: int | None = None
) -> Span | None:
    if found is None:
        return None
    start, end = found.span(group)
    if how is not Given.QUOTED:
        cut = _NEXT.search(text, start, end) if _ENDS.search(text, start, end) else None
        end = min(cut.start() if cut else end, end if beyond is None else beyond)
        end = start + len(text[start:end].rstrip(".,;:!?" if how is Given.TIGHT else ".,;:!?)]}"))
    return Span(start, end, kind) if likeness.is_secret(text[start:end], kind, how) else None


def _authorizations(text: str, lowered: str) -> Iterator[Span]:
    for scheme in ("bearer ", "basic "):
        at = lowered.find(scheme)
        while at >= 0:
            at += len(scheme)
            found = _CREDENTIALS.match(text, at)
            if found and likeness.is_dense(found["value"], 12):
                yield Span(*found.span("value"), "authorization")
            at = lowered.find(scheme, at)
