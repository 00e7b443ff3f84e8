"""What a page is called: how titles are kept, compared, and told from ids."""

import re
import unicodedata

from sophia.core.errors import BadArguments

MAX_TITLE = 200
ID = re.compile(r"([a-z]{1,6})-[0-9a-hjkmnp-tv-z]{26}")
"""What an id looks like, whatever it is of."""
_LINKING = frozenset("[]|#")


def key(title: str) -> str:
    """The form under which a title is looked up: equal for those that differ by Unicode form, case and blanks alone."""
    seen = "".join(c for c in title if unicodedata.category(c) != "Cf")
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", seen).casefold())
    return " ".join(folded.split())


def shown(text: str, argument: str) -> str:
    """A title as it is kept: NFC, white space single; `BadArguments` for one that no link could name."""
    title = " ".join(unicodedata.normalize("NFC", text).split())
    if not key(title) or len(title) > MAX_TITLE or any(unicodedata.category(c) == "Cc" for c in title):
        raise BadArguments(f"A title has 1 to {MAX_TITLE} characters that can be seen.", argument=argument)
    if not _LINKING.isdisjoint(title):
        raise BadArguments("A title holds none of [ ] | #, by which links are written.", argument=argument)
    if ID.fullmatch(key(title)):
        raise BadArguments("A title does not look like an id.", argument=argument)
    return title
