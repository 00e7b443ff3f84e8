"""The daemon's log: one JSON object a line, for its owner alone, with no secret and nothing of the owner's content."""

import json
import logging
import os
import re
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

LOG_FILE = "sophia.log"
_SECRET = re.compile(r"sophia_[A-Za-z0-9_-]{8,}|raw:[0-9a-f]{16,}|(?i:bearer)\s+\S+")
_STANDARD = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}


class JsonLines(logging.Formatter):
    """Formats a record as one line; an exception by its type and the places it passed, never by its values."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as a JSON object."""
        told: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        told |= {name: value for name, value in record.__dict__.items() if name not in _STANDARD}
        if record.exc_info and record.exc_info[0] is not None:
            told["error"] = record.exc_info[0].__name__
            told["where"] = _places(record)
        return _SECRET.sub("[secret]", json.dumps(told, default=str))


def _places(record: logging.LogRecord) -> list[str]:
    trace = record.exc_info[2] if record.exc_info else None
    places: list[str] = []
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{Path(code.co_filename).name}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return places[-12:]


class _OwnersFile(RotatingFileHandler):
    """A rotating file that only its owner can read, also after it was rotated."""

    def _open(self) -> TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        return TextIOWrapper(os.fdopen(descriptor, "ab"), encoding="utf-8")


def begin(directory: Path, level: str) -> None:
    """Log to `log/sophia.log` below the data directory from here on."""
    folder = directory / "log"
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)
    handler = _OwnersFile(folder / LOG_FILE, maxBytes=10_000_000, backupCount=3)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
