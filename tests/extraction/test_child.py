"""Files are read in a child that may break without anybody else noticing."""

from collections.abc import Iterator

import pytest

from sophia.extraction.child import Extractor
from sophia.extraction.extracted import Extracted


@pytest.fixture(scope="module")
def extractor() -> Iterator[Extractor]:
    extractor = Extractor()
    yield extractor
    extractor.close()


def test_a_table_is_read_with_where_its_lines_stood(extractor: Extractor):
    read = extractor.extracted("name;city\r\nCafe\u0301;Zürich\r\n".encode(), "people.csv")
    assert isinstance(read, Extracted)
    assert (read.title, read.mime) == ("people", "text/csv")
    assert [(read.text[piece.start : piece.end], piece.place) for piece in read.pieces] == [
        ("name\tcity", "header, line 1"),
        ("Café\tZürich", "line 2"),
    ]
