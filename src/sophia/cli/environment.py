"""The settings that a command runs under."""

import os
from collections.abc import Mapping
from pathlib import Path

from sophia.core.errors import BadArguments
from sophia.settings import CONFIG_FILE, Settings, data_directory


def settings_of(environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings of the environment and of the data directory's own file; `BadSetting` names what is wrong."""
    if "SOPHIA_DATA_DIR" not in environ:
        _require_home(environ)
    try:
        text = (data_directory(environ) / CONFIG_FILE).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        text = None
    return Settings.from_environ(environ, text)


def home(environ: Mapping[str, str] = os.environ) -> Path:
    """The home folder of whoever runs this; `BadArguments` where it cannot be told."""
    _require_home(environ)
    try:
        return Path.home()
    except RuntimeError:
        raise BadArguments("Set HOME to your home folder: it is not set, and nothing else names one.") from None


def _require_home(environ: Mapping[str, str]) -> None:
    named = environ.get("HOME")
    if named is not None and not named.startswith("/"):
        raise BadArguments(f"Set HOME to your home folder: {named!r} is none.")
