"""Asking the owner, at the terminal and nowhere else: never through what another program may have piped in."""

import getpass
from collections.abc import Callable
from typing import Any, TextIO

from sophia.cli.failed import Failed
from sophia.cli.plain import plain

TERMINAL = "/dev/tty"


def proof_for(details: dict[str, Any]) -> dict[str, str]:
    """What the owner brings for the act that these details name; `Failed` where there is no terminal to ask at."""
    sentence, phrase = plain(str(details.get("sentence", ""))), str(details.get("type", ""))
    if details.get("presence") == "passphrase":
        return {"passphrase": passphrase(f"{sentence}\nPassphrase: ")}
    return {"typed": _at_terminal(lambda tty: _typed(tty, f"{sentence}\nType `{plain(phrase)}` to confirm: "))}


def passphrase(prompt: str = "Passphrase: ") -> str:
    """The passphrase, typed unseen."""
    return _at_terminal(lambda tty: getpass.getpass(prompt, tty))


def _typed(tty: TextIO, prompt: str) -> str:
    tty.write(prompt)
    tty.flush()
    return tty.readline().rstrip("\n")


def _at_terminal(ask: Callable[[TextIO], str]) -> str:
    try:
        with open(TERMINAL, "r+", encoding="utf-8", errors="replace", buffering=1) as tty:  # noqa: PTH123
            return ask(tty)
    except OSError:
        raise Failed(
            {
                "code": "presence_refused",
                "message": "This needs the owner at a terminal, and this process has none.",
                "hint": "Run it in a terminal of your own.",
            }
        ) from None
