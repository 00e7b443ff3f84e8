"""Whether what a name is given looks like a secret: told from labels, code, references and stand-ins."""

import math
import re
from collections import Counter
from enum import Enum

SHORTEST = 6
"""No value is a secret that is shorter."""
_PASSWORDS = frozenset({"password", "passphrase"})
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ABOUT = re.compile(
    r"(?i)[ _.-]?(?:s|id|ids|ident\w*|name|names|type|types|len|length|min|max|count|size|limit|index|file|files|path|"
    r"dir|url|uri|endpoint|host|field|label|hint|help|title|text|prompt|placeholder|message|error|errors|policy|rule|"
    r"rules|strength|regex|pattern|format|valid\w*|required|enabled|disabled|allowed|expir\w*|ttl|age|created\w*|"
    r"updated\w*|changed\w*|reset\w*|rotat\w*|hash|hashed|digest|sha\d*|md5|checksum|fingerprint|salt|algo\w*|scheme|"
    r"method|provider|manager|store|vault|ref|arn|version|status|state|usage|used|cost|price|budget|window|"
    r"input|inputs|output|outputs|izer\w*|ize\w*|ise\w*|ization|s?_per_\w+|less|protected|env|env_?var|var|column|"
    r"table|class|const|param\w*|arg|args|option|form|page|screen|view|button|link|icon|prefix|suffix|map|list|set|"
    r"scan\w*|detect\w*|mask\w*|redact\w*|santa|ary|aries|arial|ly|board|word|words|note|stone|frame|frames)"
    r"(?:[._-].*)?"
)
_ABOUT_CAMEL = re.compile(
    r"(?:Id|Ids|Name|Type|Length|Count|Size|Limit|File|Path|Url|Uri|Field|Label|Hint|Text|Policy|Hash|Expir\w+|Ttl|"
    r"Version|Status|Prompt|Error|Manager|Provider|Ref|Arn|Input|Output|Column|Env|Param\w*|Regex|Pattern)(?:[A-Z_.-].*)?"
)
_PAGING = re.compile(r"(?i)(?:next|prev|previous|page|continuation|sync|max|min|total|num|n|prompt|completion|input|"
                     r"output|cached|bos|eos|pad|unk|sep|cls|mask|special|added|public|cancellation|"
                     r"cancel|primary|foreign|sort|partition|cache|idempotency|row|group|hot|short|dict|"
                     r"map)[ _.-]?$")  # fmt: skip
_CODE = re.compile(
    r"""[\w.\[\]"'-]*+\(.*           # a call
    | [A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[[^\]]*\]?|->\w+|::\w+)+   # an attribute or an item
    | [$%@!&*].{0,2}[A-Za-z_{(\[].*  # a variable, a tag or a reference
    | \{+.* | <.* | \[.*
    | (?:~|\.{1,2})?/[\w./~-]*       # a path
    | [A-Za-z]:\\.* | (?:file|https?|vault|op|ssm|arn|env|aws|gcp|azure|secretsmanager|projects|bao|pass|doppler):.*
    | ENC\[.*""",
    re.VERBOSE,
)
_CODE_INSIDE = ("${", "{{", "%(", "environ", "getenv", "process.env", "secrets.")
_STAND_IN = re.compile(
    r"(?i)(?:(?>yours?|my|the|some|an?|insert|enter|type|choose|replaced?|changed?|example|sample|dummy|fake|foo|bar|baz|"
    r"test|placeholder|redacted|hidden|removed|masked|secret|password|passwd|passw|pass|pwd|tokens?|key|api|none|null|"
    r"nil|true|false|undefined|unset|empty|string|str|text|bytes|int|value|todo|tbd|here|me|this|not|set|see|"
    r"required|optional|default|user|admin|root|new|old|current|db|database|goes|with|real|actual)[ _.-]*+)++\d{0,3}"
    r"|[xX*.…•?#_-]++|(.)\1{5,}+"
)  # fmt: skip
_STAND_IN_INSIDE = ("xxxx", "XXXX", "****", "...", "…")
_WORDS = re.compile(r"[^\W\d_]+(?:[-_/ ’'.,:]+[^\W\d_]+)*[!?.]?")
_COUNTED = re.compile(
    r"(?i)\d+[-–+]?(?:\d+)?[- ]?(?:char\w*|digit\w*|letter\w*|bit\w*|byte\w*|day\w*|min\w*|hour\w*|h|s|k|ms)?"
)
_IDENTIFIER = re.compile(
    r"_*[a-z]{2,}(?:_[a-z]{2,}\d?)+|[a-z]{2,}(?:[A-Z][a-z]{2,}\d?)+|[a-z]{3,}\d|_*[A-Z]+(?:_[A-Z]+)*\d?"
    r"|(?:[A-Z]+[a-z]+\d{0,5}|[a-z]{2,}|[A-Z]{2,}\d{0,3})(?:[A-Z]+[a-z]{2,}\d{0,5})+"
)
_TEMPLATE = re.compile(
    r"\$[A-Z_]+$|<.*>$|(?:op|vault|arn|file|https?):|(?i:(?:your|example|fake|dummy|sample|placeholder)[-_ ])"
)
_TEMPLATE_INSIDE = ("${", "{{", "$(", "%(", "a-z", "A-Z", "\\w", "\\d", "\\s")
_FIELD = re.compile(r"\{[A-Za-z_]")
_NAMED = re.compile("(?i)pass|pwd|secret|token|kennwort|sword")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ].*)?|v?\d+(?:\.\d+)+")
_OPEN = re.compile(r"[\x21-\x7e]+")


class Given(Enum):
    """How a value stands behind its name: in quotes, right behind `=`, freely, or in a sentence."""

    QUOTED = "quoted"
    TIGHT = "tight"
    BARE = "bare"
    PROSE = "prose"


def names_a_secret(before: str, name: str, tail: str) -> bool:
    """Whether an identifier with `name` in it holds a secret, and not something about one."""
    if tail and (_ABOUT.fullmatch(tail) or _ABOUT_CAMEL.fullmatch(tail)):
        return False
    if tail and tail[0].islower() and name[-1].isalpha():
        return False
    follows = before[-1:].isalnum() or before[-1:] in (" ", "_", ".", "-")
    return not follows or _PAGING.search(before) is None


def is_secret(value: str, kind: str, how: Given) -> bool:
    """Whether what a name of this kind is given is a secret."""
    if len(value) < SHORTEST or "[secret " in value or _stands_in(value):
        return False
    if how is not Given.QUOTED and _is_code(value):
        return False
    if _is_template(value):
        return False
    return _like_a_password(value, kind, how) if kind in _PASSWORDS else _like_a_key(value, kind, how)


def is_dense(value: str, least: int) -> bool:
    """Whether the value holds what chance writes: letters and digits without blanks, and many different ones."""
    if len(value) < least or _OPEN.fullmatch(value) is None or _stands_in(value):
        return False
    letters, digits = any(c.isalpha() for c in value), any(c.isdigit() for c in value)
    return letters and digits and _entropy(value) >= (2.5 if least < 16 else 3.0)


def _stands_in(value: str) -> bool:
    return any(each in value for each in _STAND_IN_INSIDE) or _STAND_IN.fullmatch(value) is not None


def _is_template(value: str) -> bool:
    inside = any(each in value for each in _TEMPLATE_INSIDE) or ("{" in value and _FIELD.search(value))
    return bool(inside) or _TEMPLATE.match(value) is not None


def _is_code(value: str) -> bool:
    return any(each in value for each in _CODE_INSIDE) or _CODE.fullmatch(value) is not None


def _like_a_password(value: str, kind: str, how: Given) -> bool:
    if " " in value or "\t" in value:
        return kind == "passphrase" and how is Given.QUOTED and value.count(" ") >= 3
    if _COUNTED.fullmatch(value) and not value.isdigit():
        return False
    if value.isdigit():
        return how is not Given.PROSE
    if _MOMENT.fullmatch(value):
        return False
    if _WORDS.fullmatch(value):
        plain = value.isalpha() and not _NAMED.search(value)
        return plain and (how is Given.TIGHT or (how is Given.QUOTED and len(value) >= 12))
    if how in (Given.BARE, Given.PROSE) and _IDENTIFIER.fullmatch(value) and _NAMED.search(value):
        return False
    return how is not Given.PROSE or any(c.isdigit() for c in value)


def _like_a_key(value: str, kind: str, how: Given) -> bool:
    if " " in value or _MOMENT.fullmatch(value):
        return False
    if _UUID.fullmatch(value):
        return kind != "token"
    if how is not Given.QUOTED and _IDENTIFIER.fullmatch(value):
        return False
    if is_dense(value, 16 if kind in ("token", "credential") else 8):
        return True
    mixed = value.isalpha() and re.search("[a-z][A-Z]", value) and re.search("[A-Z]{2}", value)
    return bool(mixed) and len(value) >= 20 and how is not Given.PROSE and _entropy(value) >= 3.5


def _entropy(value: str) -> float:
    """Bits of each character, by how often each occurs in the value itself."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values())
