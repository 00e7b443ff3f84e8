"""How each client is connected: what to run."""

import shlex
import shutil
import sys
from pathlib import Path


def command() -> str:
    """How this installation's `sophia` is called from any folder."""
    own = Path(sys.executable).parent / "sophia"
    found = shutil.which("sophia")
    return "sophia" if found is not None and Path(found).resolve() == own.resolve() else shlex.quote(str(own))


def snippets() -> dict[str, str]:
    """By client, the commands that connect it: for good, or for one window."""
    sophia = command()
    return {
        "Claude Code": f"{sophia} connect claude-code --project .\n{sophia} run claude-code    # or only this window",
        "Codex": f"{sophia} connect codex --project .\n{sophia} run codex    # or only this window",
        "Cursor": f"{sophia} connect cursor",
        "anything else": f"{sophia} connect json    # prints what to write down",
    }
