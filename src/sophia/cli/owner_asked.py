"""Asking the owner, at the terminal and nowhere else: never through what another program may have piped in."""

import getpass
import os
from typing import Any

from sophia.cli.failed import Failed
from sophia.cli.plain import plain

TERMINAL = "/dev/tty"
_NOBODY = {
    "code": "presence_refused",
    "message": "This needs the owner at a terminal, and this process has none.",
    "hint": "Run it in a terminal of your own.",
}


def proof_for(details: dict[str, Any]) -> dict[str, str]:
    """What the owner brings for the act that these details name; `Failed` where there is no terminal to ask at."""
    sentence, phrase = plain(str(details.get("sentence", ""))), plain(str(details.get("type", "")))
    if details.get("presence") == "passphrase":
        return {"passphrase": passphrase(f"{sentence}\nPassphrase: ")}
    return {"typed": _typed(f"{sentence}\nType `{phrase}` to confirm: ")}


def is_there() -> bool:
    """Whether there is a terminal to ask at."""
    try:
        os.close(os.open(TERMINAL, os.O_RDWR | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def passphrase(prompt: str = "Passphrase: ") -> str:
    """The passphrase, typed unseen; `Failed` where there is no terminal to ask at."""
    if not is_there():
        raise Failed(_NOBODY)
    return getpass.getpass(prompt)


def _typed(prompt: str) -> str:
    try:
        terminal = os.open(TERMINAL, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        raise Failed(_NOBODY) from None
    with os.fdopen(terminal, "rb", buffering=0) as heard:
        os.write(terminal, prompt.encode())
        return heard.readline().decode("utf-8", "replace").rstrip("\r\n")
