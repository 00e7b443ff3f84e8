"""The characters that the bytes of a text stand for. Nothing is guessed: a wrong guess would be quoted."""

import codecs

from sophia.extraction.extracted import Refused


def decoded(data: bytes) -> str:
    """The text of UTF-8, or of UTF-16 that says so. `Refused` for anything else."""
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise Refused("not_text", f"This is no {encoding.upper()} text: byte {error.start} cannot be read.") from error
    if "\0" in text:
        raise Refused("not_text", "This is no text: it holds NUL characters.")
    return text
