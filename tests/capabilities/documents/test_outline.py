"""What a document holds: its sections, the facts from it, and the documents like it."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.embedder import embedder
from tests.support.files import pdf_of
from tests.support.house import House, house


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


def add(home: House, title: str, body: str, **more: Any) -> str:
    made: str = home.call(home.owner, "add_document", title=title, body=body, **more)["document"]["document_id"]
    return made


LOG = """\
# Log

Before it all.

## Monday

We sailed.

```
# no heading, but code
```

### Evening

We slept.

## Tuesday ##

# Crew

Ada and Bob.
"""


def test_an_outline_has_each_heading_with_the_range_of_what_stands_under_it(home: House):
    document_id = add(home, "Log", LOG)
    rows = home.call(home.owner, "document_outline", document_id=document_id)["items"]
    assert [(row["level"], row["title"]) for row in rows] == [
        (1, "Log"), (2, "Monday"), (3, "Evening"), (2, "Tuesday"), (1, "Crew"),
    ]  # fmt: skip

    def under(row: dict[str, Any]) -> str:
        length = row["end"] - row["start"]
        told = home.call(home.owner, "fetch_document", document_id=document_id, start=row["start"], length=length)
        text: str = told["text"]
        return text

    assert under(rows[0]) == LOG[: LOG.index("# Crew")]
    assert under(rows[1]) == LOG[LOG.index("## Monday") : LOG.index("## Tuesday")]
    assert under(rows[2]) == LOG[LOG.index("### Evening") : LOG.index("## Tuesday")]
    assert under(rows[4]) == LOG[LOG.index("# Crew") :]


def test_a_text_without_headings_is_outlined_by_the_parts_of_its_file(home: House):
    folder = home.directory / "granted"
    folder.mkdir()
    (folder / "paper.pdf").write_bytes(pdf_of(["Terns nest here.", "And a smew."]))
    (folder / "list.csv").write_text("tern,1\nsmew,2\n", encoding="utf-8")
    home.parts.roots.grant(str(folder), "owner")
    home.call(home.owner, "register_folder", path=str(folder))
    assert home.parts.chores.settle(60)
    found = home.call(home.owner, "list_documents")["items"]
    ids = {row["mime"]: row["document_id"] for row in found}
    paper, table = ids["application/pdf"], ids["text/csv"]
    rows = home.call(home.owner, "document_outline", document_id=paper)["items"]
    assert [(row["title"], row["place"]) for row in rows] == [("page 1", "page 1"), ("page 2", "page 2")]
    told = home.call(home.owner, "fetch_document", document_id=paper, start=rows[1]["start"])
    assert told["text"].strip() == "And a smew."
    assert home.call(home.owner, "document_outline", document_id=table)["items"] == [], "a line is no part"


def test_the_facts_of_a_document_are_those_that_stand_on_it(home: House):
    ada, bob = home.entity("Ada"), home.entity("Bob")
    line = "Ada sailed in 1858."
    first, other = add(home, "Log", line, entity_ids=[ada]), add(home, "Copy", line, entity_ids=[bob])
    for source, year in ((first, "1858"), (other, "1858")):
        claim = {"id": "c", "entity": ada, "predicate": f"sailed_{source[-1]}", "object": year, "quote": line}
        assert home.call(home.owner, "submit_claim_graph", source_id=source, claims=[claim])["accepted"] == 1
    known = home.call(home.owner, "document_facts", document_id=first)["items"]
    assert [fact["source_id"] for fact in known] == [first]
    home.call(home.owner, "retract_fact", fact_id=known[0]["fact_id"], reason="It was 1859")
    assert home.call(home.owner, "document_facts", document_id=first)["total"] == 0
    assert home.call(home.owner, "document_facts", document_id=first, history=True)["total"] == 1
    scoped = home.agent("observer", scope=[ada])
    for tool in ("document_facts", "document_outline", "similar_documents"):
        assert home.refused(scoped, tool, document_id=other)["code"] == "not_found"


SEA = "The lighthouse keeper counts ships in the harbour at night."
TEXTS = {"Keeper": SEA, "Ships": f"{SEA} And in the morning, too.", "Bread": "Rye flour, water and salt are baked."}


def test_documents_of_the_same_words_are_alike_and_it_is_said_by_what(home: House):
    sea = home.entity("Sea")
    keeper, ships, _ = (add(home, title, body, entity_ids=[sea]) for title, body in TEXTS.items())
    hidden = add(home, "Hidden", SEA)
    told = home.call(home.owner, "similar_documents", document_id=keeper)
    assert {item["document_id"] for item in told["items"]} == {ships, hidden}
    assert told["fusion"]["signals"] == ["bm25"]
    scoped = home.call(home.agent("observer", scope=[sea]), "similar_documents", document_id=keeper)
    assert [item["document_id"] for item in scoped["items"]] == [ships]
    assert scoped["total"] == 1


def test_with_a_model_what_means_the_same_is_like_it_too():
    with embedder() as server, house(embeddings=server.chosen()) as home:
        sea = home.entity("Sea")
        keeper, ships, _ = (add(home, title, body, entity_ids=[sea]) for title, body in TEXTS.items())
        hidden = add(home, "Hidden", SEA)
        assert home.call(home.owner, "similar_documents", document_id=keeper)["fusion"]["signals"] == ["bm25"]
        assert home.parts.chores.settle(60)
        told = home.call(home.owner, "similar_documents", document_id=keeper, order="relevance")
        assert told["fusion"]["signals"] == ["bm25", "dense"]
        assert {item["document_id"] for item in told["items"][:2]} == {ships, hidden}
        scoped = home.call(home.agent("observer", scope=[sea]), "similar_documents", document_id=keeper)
        assert hidden not in {item["document_id"] for item in scoped["items"]}
