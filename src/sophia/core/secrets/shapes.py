"""Secrets that are known by their shape alone: what providers give out, told by its prefix and length."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sophia.core.secrets.span import Span

SHORTEST = 16
"""Nothing of these shapes is shorter, and no blank stands in them: only long words are looked at."""
_W = "-A-Za-z0-9_"


@dataclass(frozen=True, slots=True)
class Shape:
    """What a kind of secret looks like from where one of its literal beginnings stands."""

    kind: str
    begins: tuple[str, ...]
    pattern: re.Pattern[str]


def _shape(kind: str, begins: str, rest: str, *, after: str = "A-Za-z0-9", before: str = "") -> Shape:
    """A shape that is no part of a longer word: `after` are the characters that may not stand before it."""
    words = tuple(begins.split())
    return Shape(kind, words, re.compile(f"(?<![{after}])(?:{before})(?:{'|'.join(map(re.escape, words))}){rest}"))


SHAPES: tuple[Shape, ...] = (
    _shape("aws_access_key", "AKIA ASIA ABIA ACCA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9]{36,255}(?![A-Za-z0-9_])"),
    _shape("github_token", "github_pat_", r"[A-Za-z0-9_]{22,255}"),
    _shape("gitlab_token", "glpat- gldt- glrt- glptt- glsoat- glcbt- glft-", rf"[{_W}]{{20,200}}", after=_W),
    _shape("slack_token", "xoxa- xoxb- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xapp-", r"[A-Za-z0-9.-]{10,250}"),
    _shape("slack_webhook", "hooks.slack.com/services/ hooks.slack.com/workflows/", r"[A-Za-z0-9+/_-]{30,90}"),
    _shape(
        "discord_webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", rf"\d{{15,20}}/[{_W}]{{40,100}}"
    ),
    _shape("jwt", "eyJ", rf"[{_W}]{{7,}}\.eyJ[{_W}]{{7,}}\.[{_W}]{{16,}}", after=f"{_W}."),
    _shape("anthropic_key", "sk-ant-", rf"[{_W}]{{20,250}}", after=_W),
    _shape("openrouter_key", "sk-or-v1-", rf"[0-9a-f]{{64}}(?![{_W}])", after=_W),
    _shape("openai_key", "sk-proj- sk-svcacct- sk-admin- sk-None-", rf"[{_W}]{{20,250}}", after=_W),
    _shape("openai_key", "sk-", rf"(?=[a-z]{{0,64}}[A-Z0-9])[A-Za-z0-9]{{32,64}}(?![{_W}])", after=_W),
    _shape("google_api_key", "AIza", rf"[{_W}]{{35}}(?![{_W}])", after=_W),
    _shape("google_token", "ya29.", rf"[{_W}]{{20,}}", after=f"{_W}."),
    _shape("google_token", "GOCSPX- 1//0", rf"[{_W}]{{24,200}}", after=f"{_W}."),
    _shape("stripe_key", "sk_live_ sk_test_ rk_live_ rk_test_", r"[A-Za-z0-9]{10,250}", after="A-Za-z0-9_"),
    _shape("stripe_key", "whsec_", r"[A-Za-z0-9+/]{24,100}=?", after="A-Za-z0-9_"),
    _shape("huggingface_token", "hf_ api_org_", r"[A-Za-z0-9]{34}(?![A-Za-z0-9])", after="A-Za-z0-9_"),
    _shape("npm_token", "npm_", r"[A-Za-z0-9]{36}(?![A-Za-z0-9])", after="A-Za-z0-9_"),
    _shape("pypi_token", "pypi-AgE", rf"[{_W}]{{50,1000}}", after=_W),
    _shape("sendgrid_key", "SG.", rf"[{_W}]{{16,32}}\.[{_W}]{{16,64}}(?![{_W}])", after=f"{_W}."),
    _shape("twilio_key", "SK", r"[0-9a-f]{32}(?![A-Za-z0-9])"),
    _shape("digitalocean_token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{64}(?![A-Za-z0-9])"),
    _shape("shopify_token", "shpat_ shpca_ shppa_ shpss_", r"[0-9a-fA-F]{32}(?![A-Za-z0-9])"),
    _shape("databricks_token", "dapi", r"[0-9a-f]{32}(?:-\d)?(?![A-Za-z0-9])"),
    _shape("groq_key", "gsk_", r"[A-Za-z0-9]{40,100}", after="A-Za-z0-9_"),
    _shape("xai_key", "xai-", r"[A-Za-z0-9]{60,100}", after=_W),
    _shape("vault_token", "hvs. hvb. hvr.", rf"[{_W}]{{24,250}}", after=f"{_W}."),
    _shape("atlassian_token", "ATATT3", rf"[{_W}=]{{50,250}}", after=_W),
    _shape("linear_key", "lin_api_ lin_oauth_", r"[A-Za-z0-9]{32,64}", after="A-Za-z0-9_"),
    _shape("notion_key", "ntn_", r"[A-Za-z0-9]{40,60}", after="A-Za-z0-9_"),
    _shape("postman_key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}", after=_W),
    _shape("tailscale_key", "tskey-", r"[a-z]{3,10}-[A-Za-z0-9]{8,32}-[A-Za-z0-9]{16,64}", after=_W),
    _shape("grafana_token", "glsa_", r"[A-Za-z0-9]{32}_[0-9a-fA-F]{8}", after="A-Za-z0-9_"),
    _shape("telegram_token", ":AA", rf"[{_W}]{{33}}(?![{_W}])", after="A-Za-z", before=r"(?<=\d{8})"),
    _shape("azure_key", "AccountKey=", r"(?P<inner>[A-Za-z0-9+/]{80,100}={0,2})"),
    _shape("age_key", "AGE-SECRET-KEY-1", r"[0-9A-Z]{58}", after=_W),
    _shape("sophia_bearer", "sophia_", rf"(?=[a-z0-9_-]{{0,43}}[A-Z])[{_W}]{{43}}"),
    _shape(
        "url_password", "://", r"[^\s/:@\"'<>]{0,100}:(?![$%{<\[*])(?P<inner>[^\s/@\"'<>]{3,200})@(?=[\w\[])", after="/"
    ),
)
"""Each is looked for only where its literal beginning stands, and begins no longer word: the search is linear."""
_BEGINS = tuple((begin.encode(), begin, shape) for shape in SHAPES for begin in shape.begins)
_STAND_IN = re.compile(r"(?i)(?:pass(?:word|wd)?|pwd|secret|token|changeme|example|x{3,}|\*+|\.+|[a-z_]*pass(?:word)?)")
_REPEATED = re.compile(r"(.)\1{11,}|(?i:x{8,}|your|placeholder)")


def shaped(text: str) -> Iterator[Span]:
    """The secrets of known shapes in the text, in no order."""
    if len(text) < SHORTEST:
        return
    words = text.split()
    if max(map(len, words), default=0) < SHORTEST:
        return
    sought = "\n".join([word for word in words if len(word) >= SHORTEST]).encode("utf-8", "surrogatepass")
    for encoded, begin, shape in _BEGINS:
        if encoded in sought:
            yield from _standing(text, begin, shape)


def _standing(text: str, begin: str, shape: Shape) -> Iterator[Span]:
    at = text.find(begin)
    while at >= 0:
        found = shape.pattern.match(text, at)
        span = None if found is None else _span(found, shape.kind)
        if span is not None:
            yield span
        at = text.find(begin, max(at + len(begin), span.end if span else 0))


def _span(found: re.Match[str], kind: str) -> Span | None:
    whole = found.groupdict().get("inner")
    if whole is None:
        return None if _REPEATED.search(found[0]) else Span(found.start(), found.end(), kind)
    return None if _STAND_IN.fullmatch(whole) or _REPEATED.search(whole) else Span(*found.span("inner"), kind)
