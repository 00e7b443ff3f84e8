"""A structured error on its way to the terminal."""

from typing import Any


class Failed(Exception):
    """A command was refused: the error object as it is told."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(str(error.get("message", "")))
        self.error = error
