"""The daemon started beside a command: in a session of its own, with its log, and known to be ready."""

import json
import os
import selectors
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, cast

from sophia.cli.failed import Failed
from sophia.cli.units import program
from sophia.settings import Settings

READY_WITHIN_S = 15.0
ERRORS_FILE = "serve.err"


def started(settings: Settings, passphrase: str | None) -> dict[str, Any]:
    """What the daemon said when it was ready. Exits as the daemon did where it would not start."""
    errors = _errors(settings)
    try:
        begins = os.lseek(errors, 0, os.SEEK_END)
        process = subprocess.Popen(
            [*program(), "serve", "--port", str(settings.port), "--host", settings.host, "--passphrase-stdin"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
            cwd="/",
        )
        _whisper(process, passphrase or "")
        line = _first_line(process)
        if line:
            told: dict[str, Any] = json.loads(line)
            return told
        code = process.poll()
        said = os.pread(errors, 100_000, begins).decode("utf-8", "replace")
    finally:
        os.close(errors)
    if code is not None and 80 <= code <= 89:
        sys.stderr.write(said)
        sys.exit(code)
    process.kill()
    raise Failed(
        {
            "code": "unavailable",
            "message": "The daemon did not start." if code is not None else "The daemon did not become ready.",
            "hint": said.strip()[-1000:] or None,
        }
    )


def _errors(settings: Settings) -> int:
    folder = Path(settings.data_dir) / "log"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return os.open(folder / ERRORS_FILE, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


def _whisper(process: "subprocess.Popen[bytes]", passphrase: str) -> None:
    """Hand the passphrase over where nobody else sees it: not among the arguments, not in the environment."""
    with suppress(BrokenPipeError), cast(IO[bytes], process.stdin) as given:
        given.write(f"{passphrase}\n".encode())


def _first_line(process: "subprocess.Popen[bytes]") -> bytes:
    """The first line that the process says; nothing where it ends, or takes too long."""
    until = time.monotonic() + READY_WITHIN_S
    got = b""
    with selectors.DefaultSelector() as selector, cast(IO[bytes], process.stdout) as out:
        selector.register(out, selectors.EVENT_READ)
        while b"\n" not in got and (left := until - time.monotonic()) > 0:
            if selector.select(left):
                part = os.read(out.fileno(), 4096)
                if not part:
                    process.wait(5)
                    return b""
                got += part
    return got if b"\n" in got else b""
