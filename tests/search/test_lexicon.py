"""What was written is found by what is typed, and what is typed is never a command."""

from collections.abc import Iterator

import apsw
import pytest
from hypothesis import given, strategies as st

from sophia.search.lexicon import MAX_QUERY, MAX_TERMS, STOP_WORDS, TOKENIZER, indexed, match_query, terms


@pytest.fixture
def index() -> Iterator["Index"]:
    made = Index()
    yield made
    made.db.close()


class Index:
    """A real full-text table, filled and asked as the search does it."""

    def __init__(self) -> None:
        self.db = apsw.Connection(":memory:")
        self.db.execute(
            f"CREATE VIRTUAL TABLE f USING fts5(body, scope, content='', contentless_delete=1, tokenize='{TOKENIZER}')"
        )
        self.texts: list[str] = []

    def add(self, *texts: str) -> None:
        for text in texts:
            self.texts.append(text)
            self.db.execute("INSERT INTO f(rowid, body, scope) VALUES (?, ?, 'ent1')", (len(self.texts), indexed(text)))

    def find(self, typed: str) -> list[str]:
        query = match_query(typed)
        if query is None:
            return []
        rows = self.db.execute("SELECT rowid FROM f WHERE f MATCH ? ORDER BY bm25(f, 1.0, 0.0), rowid", (query,))
        return [self.texts[row[0] - 1] for row in rows]


CHINESE = "东京大学的学生使用pandas处理数据"
JAPANESE = "彼女は東京タワーの近くに住んでいる。データベースを暗号化する"
KOREAN = "서울대학교에서 데이터베이스를 공부했다"


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        (CHINESE, "东京"), (CHINESE, "大学"), (CHINESE, "东京大"), (CHINESE, "东京大学"), (CHINESE, "pandas"),
        (CHINESE, "使用pandas"), (CHINESE, "pandas处理"), (CHINESE, "据"), (CHINESE, "东"), (CHINESE, "数据"),
        (JAPANESE, "東京"), (JAPANESE, "東京タワー"), (JAPANESE, "暗号化"), (JAPANESE, "ﾃﾞｰﾀﾍﾞｰｽ"), (JAPANESE, "彼女"),
        (KOREAN, "서울"), (KOREAN, "대학교"), (KOREAN, "데이터베이스"), (KOREAN, "공부"),
        ("calls parseUrlFast now", "parseUrlFast"), ("calls parseUrlFast now", "url"),
        ("calls parseUrlFast now", "fast"),
        ("calls parseUrlFast now", "parse url"), ("calls parseUrlFast now", "UrlFast"), ("the HTTPServer", "server"),
        ("calls parse_url now", "parse_url"), ("calls parse_url now", "url"), ("calls parse_url now", "parseUrl"),
        ("see sophia.core.clock here", "sophia.core.clock"), ("see sophia.core.clock here", "core.clock"),
        ("see sophia.core.clock here", "clock"), ("café in Zürich", "cafe"), ("cafe", "café"), ("cafe\u0301", "café"),
        ("Straße", "strasse"), ("STRASSE", "straße"), ("Ελλάδα", "ελλαδα"), ("كِتَاب جديد", "كتاب"),
        ("שָׁלוֹם לך", "שלום"), ("ёлка", "елка"), ("party \U0001f389 on", "\U0001f389"),
        ("she was running", "runs"), ("ofﬁce", "office"), ("ｆｕｌｌ", "full"), ("soft\u00adware", "software"),
        ("CVE-2024-1234 fixed", "CVE-2024-1234"), ("v1.2.3 is out", "v1.2.3"), ("a C++ program", "C++"),
        ("mail anna@example.com", "anna@example.com"), ("to be or not to be", '"to be or not to be"'),
        ("the IT department", "ask IT now"), ("what is new in New York", "new york"),
    ],
)  # fmt: skip
def test_what_was_written_is_found(index: Index, text: str, typed: str):
    index.add("nothing of the kind", text, "另一个完全不同的句子 别的", "unrelated words only")
    assert index.find(typed)[:1] == [text]


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        (CHINESE, "京东"), (CHINESE, "东大"), (CHINESE, "学东京"), (JAPANESE, "京都"), (KOREAN, "부산"),
        ("one two three", '"two one"'), ("one two three", '"one three"'), ("one two three", '"one two" four "five"'),
        ("parse the url", "parseUrl"), ("any", "xyzzyplugh"), ("a b", "zq"), ("clock core", "core.clock"),
    ],
)  # fmt: skip
def test_what_was_not_written_is_not_found(index: Index, text: str, typed: str):
    index.add(text)
    assert index.find(typed) == []


def test_a_phrase_in_quotes_has_to_occur_and_other_words_only_rank(index: Index):
    index.add("blue car and a bike", "car that is blue", "blue car", "bike")
    assert index.find('"blue car" bike')[0] == "blue car and a bike"
    assert set(index.find('"blue car" bike')) == {"blue car and a bike", "blue car"}
    assert set(index.find("\u201cblue car\u201d")) == {"blue car and a bike", "blue car"}
    assert len(index.find("blue car bike")) == 4


def test_a_rare_word_puts_its_text_first(index: Index):
    index.add(*[f"the common words of text {number}" for number in range(50)], "the common words and quokka")
    assert index.find("what are the common words about a quokka")[0].endswith("quokka")


@pytest.mark.parametrize(
    "typed", ["", " ", "the of and", "?!", '""', '" "', "\0", "\u200b", "*", "- - -", "the \u2019"]
)
def test_nothing_searchable_is_no_query(typed: str):
    assert match_query(typed) is None


@pytest.mark.guarantee("C4")
@pytest.mark.parametrize(
    "typed",
    [
        "apple OR scope:ent1", "apple) OR (scope : ent1", "{scope} : ent1", "scope:ent1",
        "- scope : ent1", '" OR ent1 OR "',
        "NEAR( apple ent1 )", "apple NOT", "^apple", "ent*", "apple AND",
        "'; DROP TABLE f; --", '"""', '"unclosed', "(", ")(",
        "a\0b", "apple\x00 OR ent1", "\ud800", "%", "_", "col:", "+apple", "{", "}", "\\",
    ],
    ids=ascii,
)  # fmt: skip
def test_operators_in_what_was_typed_are_words(index: Index, typed: str):
    index.add("pear", "an apple")
    found = index.find(typed)
    assert set(found) <= {"an apple"}
    assert ("apple" in typed) == bool(found)


@given(st.text(max_size=80))
def test_anything_typed_is_a_query_that_runs_or_none(typed: str):
    index = Index()
    index.add("something")
    index.find(typed)
    index.db.close()


words = st.text(st.characters(categories=["Ll", "Lu", "Lo", "Nd"], exclude_characters="ªº"), min_size=1, max_size=8)


@given(st.lists(words, min_size=1, max_size=6))
def test_every_word_of_a_text_finds_it_unless_it_is_a_stop_word(written: list[str]):
    index = Index()
    index.add(" ".join(written))
    for word in written:
        if any(part not in STOP_WORDS for part in terms(word)) and match_query(word):
            assert index.find(word), word
    index.db.close()


def test_a_query_has_bounds():
    assert (match_query("word " * 10_000) or "").count('"') == 2
    many = match_query(" ".join(f"w{number}" for number in range(5_000))) or ""
    assert many.count('"') <= 2 * MAX_TERMS
    assert len(many) < 2 * MAX_QUERY


def test_the_terms_to_show_are_the_words_and_phrases_without_stop_words():
    assert terms('the "Blue Car" of parseUrl') == ("blue car", "parseurl", "parse", "url")
    assert terms("the of") == ()


def test_a_part_of_an_identifier_is_indexed_once_however_often_it_is_written():
    assert indexed("parseUrl " * 50).count("parse url") == 1
    assert indexed("plain words") == "plain words"
