"""Run a command with its output in a file, and show the file as it grows, until the command has ended.

A pipe would end only once everything that the command ever started had let go of it.
"""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path


def followed(path: Path, command: list[str]) -> int:
    """The exit code of the command; what it wrote is in the file, and was shown."""
    with path.open("wb") as kept, path.open("rb") as shown:
        running = subprocess.Popen(command, stdout=kept, stderr=subprocess.STDOUT)
        code = None
        while code is None:
            with suppress(subprocess.TimeoutExpired, KeyboardInterrupt):  # an interrupt reaches the command, too
                code = running.wait(0.2)
            sys.stdout.buffer.write(shown.read())
            sys.stdout.flush()
    return code


if __name__ == "__main__":
    sys.exit(followed(Path(sys.argv[1]), sys.argv[2:]))
