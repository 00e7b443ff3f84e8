"""What may be used as a name: shown safely, and never the owner's or the daemon's own."""

import re
import unicodedata
from types import MappingProxyType

from sophia.core.errors import BadArguments

MAX_NAME = 120
RESERVED = frozenset({"owner", "human", "user", "system", "sophia", "admin", "root", "server", "daemon", "operator"})
"""Names that would let a connection pass for somebody it is not. None of them holds an `l`, `rn` or `vv`."""

_LOOK_ALIKES = {
    "a": "аαɑ@4", "b": "Ьв", "c": "сϲ", "d": "ԁɗ", "e": "еєε3℮", "h": "һнհ", "i": "іιɩı1l|!ӏ", "k": "кκ",
    "m": "мϻ", "n": "пηոո", "o": "оοօσ0", "p": "рρ", "r": "гɾᴦ", "s": "ѕꜱ5$", "t": "тτ7", "u": "υսʋц", "v": "νѵ",
    "w": "ѡԝω", "x": "хχ", "y": "уγү",
}  # fmt: skip
CONFUSABLES: MappingProxyType[int, str] = MappingProxyType(
    {ord(look): letter for letter, looks in _LOOK_ALIKES.items() for look in looks}
)
"""Which characters, case-folded, pass for which letter at a glance."""
_PAIRS = (("rn", "m"), ("vv", "w"))
_HUMPS = (
    re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][^\WA-Z\d_])"),
    re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z]{3})(?=[^\WA-Z\d_])"),
)
"""Where camelCase parts: `HTTPServer` into HTTP and Server, `ROOTshell` into ROOT and shell."""
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn"})
_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f")
"""Letters and marks that show nothing."""
MAX_MARKS = 3
"""How many marks may stand on one letter."""


def display_name(text: str, argument: str = "name") -> str:
    """The name as it is stored and shown: NFC, white space at its ends dropped and inside it single.

    `BadArguments` for an empty one, one of more than MAX_NAME characters, and one that holds what cannot be seen:
    control, direction, zero-width and unassigned characters, or a letter under a heap of marks.
    """
    bare = text.strip(" ")
    hidden = next((c for c in bare if unicodedata.category(c) in _INVISIBLE or c in _BLANK), None)
    if hidden is not None:
        raise BadArguments(
            f"{argument} holds U+{ord(hidden):04X}, which cannot be seen; leave it out.", argument=argument
        )
    name = " ".join(unicodedata.normalize("NFC", bare).split())
    if not name or len(name) > MAX_NAME:
        raise BadArguments(f"{argument} must have 1 to {MAX_NAME} characters.", argument=argument)
    if not any(c.isprintable() and unicodedata.category(c)[0] in "LNSP" for c in name) or _heaped(name):
        raise BadArguments(f"{argument} must be made of letters that can be told apart.", argument=argument)
    return name


def reserved_word(text: str) -> str | None:
    """The reserved name that `text` holds as a whole word, or spells letter by letter; `None` where it holds none."""
    visible = "".join(c for c in text if unicodedata.category(c) not in ("Cf", "Cc") and c not in _BLANK)
    plain = unicodedata.normalize("NFKC", visible)
    parts = [part for humps in _HUMPS for part in re.split(r"[\W_]+", humps.sub(" ", plain))]
    signed = re.split(r"[\s_.:/\\,;-]+", plain)
    spelled = re.sub(r"[\W_]+", "", plain)
    return next((word for word in map(_skeleton, (*parts, *signed, spelled)) if word in RESERVED), None)


def free_name(text: str, argument: str = "name") -> str:
    """The display name, where it is none that is reserved; `BadArguments` else."""
    name = display_name(text, argument)
    word = reserved_word(name)
    if word is not None:
        raise BadArguments(
            f"{argument} may not hold {word!r}: nobody passes for it. Choose another.", argument=argument
        )
    return name


def _skeleton(word: str) -> str:
    """What a word looks like at a glance: without case and marks, look-alikes as the letter they pass for."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(c))
    seen = bare.translate(CONFUSABLES)
    for pair, letter in _PAIRS:
        seen = seen.replace(pair, letter)
    return seen


def _heaped(name: str) -> bool:
    run = 0
    for character in unicodedata.normalize("NFD", name):
        run = run + 1 if unicodedata.combining(character) else 0
        if run > MAX_MARKS:
            return True
    return False
