"""An error that was told before, handed on under its own code."""

from typing import Any

from sophia.core.errors import SophiaError


class Relayed(SophiaError):
    """What was done met an error, which is told as it was told then."""

    def __init__(self, told: dict[str, Any], **details: Any) -> None:
        super().__init__(str(told.get("message", "")))
        self._told = told | ({"details": {**told.get("details", {}), **details}} if details else {})

    def wire(self, error_id: str) -> dict[str, Any]:
        """The error as it was told."""
        return {"error_id": error_id, **self._told}
