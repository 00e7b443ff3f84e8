"""What a text may be when it is taken in."""

import pytest

from sophia.capabilities.documents.intake import TEXTS, Text
from sophia.core.errors import Unsupported
from sophia.core.secrets.masking import Masking
from sophia.extraction.kinds import PDF, RISKY

MASKING = Masking(lambda value: value.hex(), lambda _: (), lambda: "")


def test_a_text_by_itself_is_markdown_or_plain():
    assert {Text.of("t", "x", mime, MASKING).mime for mime in TEXTS} == {"text/markdown", "text/plain"}
    for mime in (*RISKY, "image/png"):
        with pytest.raises(Unsupported) as refused:
            Text.of("t", "x", mime, MASKING)
        assert refused.value.valid == list(TEXTS)


def test_a_text_of_a_file_keeps_the_kind_and_the_digest_of_its_bytes():
    for mime in RISKY:
        assert Text.of("t", "x", mime, MASKING, b"bytes").mime == mime
    text = Text.of("t", "x", PDF, MASKING, b"bytes")
    assert (text.size, text.text) == (5, "x")
    assert text.content_sha256 != Text.of("t", "x", PDF, MASKING, b"others").content_sha256
    with pytest.raises(Unsupported):
        Text.of("t", "x", "image/png", MASKING, b"bytes")
