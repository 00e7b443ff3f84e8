"""Who makes vectors: providers, each under the name by which the owner chooses it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from types import MappingProxyType
from typing import Any, Protocol

from sophia.core.errors import SophiaError

Numbers = Any
"""An array of numpy's, which is there only where the extra `dense` is installed."""


class ModelRefused(SophiaError):
    """The model is not the one that belongs to this version, and is not used."""

    code = "model_refused"


class ModelMissing(SophiaError):
    """There is no model to make vectors with."""

    code = "model_missing"


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Which provider the owner chose, and what it needs to know."""

    provider: str = "none"
    url: str | None = None
    model: str | None = None
    key: str | None = None
    documents_leave_machine: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked for, as a unit vector; where the model tells them, as one for each of its words, with weights."""

    vector: Numbers
    tokens: Numbers = None
    weights: Numbers = None
    known: bool = True
    """Whether the model knows at least one of the words: if not, whatever is near to them is so by chance."""


class Provider(Protocol):
    """Makes vectors of one model."""

    @property
    def model_id(self) -> str:
        """What its vectors are kept under: `provider/model`. Vectors of two ids are never compared."""

    @property
    def floor(self) -> float | None:
        """How near a passage must be to be found at all; `None` where that has to be found out."""

    @property
    def trouble(self) -> str | None:
        """Why it answers nothing that can be used, where that is so just now."""

    def expect(self, dimensions: int) -> None:
        """The vectors that are kept of its model have this length: one of another length is never told."""

    def embedded(self, texts: Sequence[str], *, awaited: bool = False) -> Numbers:
        """A unit vector for each text, one a row; where somebody has `awaited` it, soon or not at all."""

    def question(self, text: str) -> Question | None:
        """What is asked for; `None` where the model cannot read it."""

    def tokens(self, texts: Sequence[str]) -> list[Numbers] | None:
        """A unit vector for each word of each text, times 127 and rounded; `None` where the model tells none."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of provider: how one is made, and what hinders it, told without making one."""

    module: str

    def hindered(self, chosen: Embeddings) -> SophiaError | None:
        """Why none can be made: `ModelMissing`, `ModelRefused`, or `None` where one can."""
        try:
            import_module(self.module).required(chosen)
        except SophiaError as error:
            return error
        return None

    def model_id(self, chosen: Embeddings) -> str:
        """What the vectors would be kept under."""
        told: str = import_module(self.module).model_id(chosen)
        return told

    def made(self, chosen: Embeddings) -> Provider:
        """The provider; raises what hinders it."""
        module = import_module(self.module)
        module.required(chosen)
        try:
            made: Provider = module.provider(chosen)
        except SophiaError:
            raise
        except Exception as error:
            raise ModelRefused(f"The model does not load: {type(error).__name__}.") from error
        return made


PROVIDERS: Mapping[str, Kind] = MappingProxyType(
    {
        "packaged": Kind("sophia.search.packaged"),
        "openai_compatible": Kind("sophia.search.openai_compatible"),
    }
)


def kind_of(name: str) -> Kind:
    """The kind of this name; `ModelMissing` for a name that is not registered: none is ever guessed."""
    if name not in PROVIDERS:
        raise ModelMissing(f"There is no embedding provider {name[:80]!r}; there are: {', '.join(PROVIDERS)}.")
    return PROVIDERS[name]


def made(chosen: Embeddings) -> Provider:
    """The chosen provider."""
    return kind_of(chosen.provider).made(chosen)


def of_model(model_id: str, chosen: Embeddings) -> Provider | None:
    """The provider that makes vectors of this model under the owner's settings, or `None`."""
    name, _, model = model_id.partition("/")
    try:
        found = made(replace(chosen, provider=name, model=model))
    except SophiaError:
        return None
    return found if found.model_id == model_id else None
