"""The settings that a command runs under."""

import os
from collections.abc import Mapping

from sophia.settings import CONFIG_FILE, Settings, data_directory


def settings_of(environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings of the environment and of the data directory's own file; `BadSetting` names what is wrong."""
    try:
        text = (data_directory(environ) / CONFIG_FILE).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        text = None
    return Settings.from_environ(environ, text)
