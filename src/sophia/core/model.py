"""Whether meaning is searched, and by which model."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Model:
    """Whether meaning is searched, by which model, and why not where the owner asked for it."""

    dense: bool
    model_id: str | None = None
    trouble: str | None = None
