"""Whether a text is a copy of what agents wrote: it grounds as little as the original, whoever brings it."""

import re

_POST = re.compile(r"post_id[\"']?\s{0,4}[:=|]\s{0,4}[\"']?post-[0-9a-hjkmnp-tv-z]{4,26}")
_MARKED = re.compile(r"\A---\n(?:[^\n]{0,500}\n){0,50}?sophia_origin:[ ]*[\"']?agent\b")


def is_of_agents(text: str) -> bool:
    """Whether the text exports posts of agents, or says in its front matter that an agent wrote it."""
    return ("post_id" in text and _POST.search(text) is not None) or _MARKED.match(text) is not None
