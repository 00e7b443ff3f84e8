"""Boots a data directory in children that die at one step each: at the first file operation, at the second, and so on.

`dying_boot.py ROOT` prints, for each step, what it was and what the next boot found.
"""

import json
import os
import shutil
import signal
import sys
from pathlib import Path

from sophia.opening import opened
from sophia.settings import Settings

WATCHED = {"open", "os.mkdir", "os.rename", "os.remove", "os.chmod", "os.link", "os.truncate", "fcntl.flock"}


def boot(root: Path, dies_at: int) -> None:
    """Open and close the data directory, or die at that step of it."""
    settings = Settings(data_dir=root / "data", key_dir=root / "keys", keyring=False)
    steps = 0

    def look(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal steps
        if event in WATCHED and (event == "fcntl.flock" or str(root) in str(arguments[0]) or event != "open"):
            steps += 1
            if steps == dies_at:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(look)
    opened(settings).close()


def child(root: Path, dies_at: int) -> int:
    """How a boot ended: 0, or minus the signal."""
    pid = os.fork()
    if pid == 0:
        try:
            boot(root, dies_at)
            os._exit(0)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the parent tells it
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            os._exit(1)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def main() -> None:
    """Tell of every step."""
    root = Path(sys.argv[1])
    step = 0
    while True:
        step += 1
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(mode=0o700)
        died = child(root, step)
        again = child(root, 0)
        left = sorted(str(path.relative_to(root)) for path in root.rglob("*"))
        sys.stdout.write(json.dumps({"step": step, "died": died, "again": again, "left": left}) + "\n")
        if died == 0:
            return


main()
