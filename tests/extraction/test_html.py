"""Of a page, the words that are seen are read."""

import pytest

from sophia.extraction.limits import Limits
from tests.support.reading import read, unread


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>one <b>tw</b>o\n   three<p>four", "one two three\n\nfour"),
        ("a<br>b<div>c</div>d", "a\nb\nc\nd"),
        ("<table><tr><th>a<th>b<tr><td> 1 <td>2</table>x", "a\tb\n1\t2\n\nx"),
        ("<ul><li>one<li>two</ul>", "one\ntwo"),
        ("<pre>def f():\n    return 1\n</pre>", "def f():\n    return 1"),
        ("Caf&eacute; &amp; &#x1F600; e\u0301 &nbsp;x", "Café & 😀 é \xa0x"),
        ("<p>日本語<span>テキスト</span><p dir=rtl>שלום", "日本語テキスト\n\nשלום"),
        ("unclosed <b>bold <i>both", "unclosed bold both"),
        ("<details><summary>more</summary>inside</details>", "more\ninside"),
        ("a&#0;b\r\nc", "a\ufffdb c"),
    ],
)
def test_a_page_is_read_as_it_is_laid_out(page: str, text: str):
    assert read(page.encode(), "p.html").text == text


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>let x = 'secret'</script>",
        "<style>.secret{}</style>",
        "<!-- secret -->",
        "<template>secret</template>",
        "<noscript>secret</noscript>",
        "<p hidden>secret</p>",
        '<div style="color:red; DISPLAY : none">secret <b>secret</b></div>',
        '<span style="visibility:hidden">secret</span>',
        '<span style="font-size:0px">secret</span>',
        '<span style="opacity:0">secret</span>',
        "<svg><text>secret</text></svg>",
        '<img alt="secret">',
        '<input value="secret">',
        "<iframe>secret</iframe>",
    ],
)
def test_what_a_page_hides_is_not_its_text(hidden: str):
    assert read(f"<p>seen {hidden} too</p>".encode(), "p.html").text.split() == ["seen", "too"]


def test_styles_that_hide_nothing_hide_nothing():
    page = b'<p style="opacity:0.5;font-size:10px;display:block">seen</p>'
    assert read(page, "p.html").text == "seen"


def test_a_page_is_called_by_its_title_or_its_first_heading():
    assert read(b"<title> The\n title </title><h1>H</h1>", "p.html").title == "The title"
    assert read(b"<h1>The <i>heading</i></h1>", "p.html").title == "The heading"
    assert read(b"text", "My page.html").title == "My page"


def test_a_page_is_read_in_the_encoding_that_it_names():
    page = '<meta charset="{}"><p>café “x”'
    for name, encoding in (("utf-8", "utf-8"), ("iso-8859-1", "cp1252"), ("Windows-1252", "cp1252"), ("x", "utf-16")):
        assert read(page.format(name).encode(encoding), "p.html").text == "café “x”"
    japanese = '<meta http-equiv="Content-Type" content="text/html; charset=shift_jis">日本語'
    assert read(japanese.encode("shift_jis"), "p.html").text == "日本語"


@pytest.mark.parametrize("page", ["<p>café".encode("cp1252"), b'<meta charset="nonsense">x',
                                  '<meta charset="utf-8">é'.encode("cp1252")])  # fmt: skip
def test_a_page_in_no_encoding_that_it_names_is_told(page: bytes):
    assert unread(page, "p.html").reason == "not_text"


def test_a_page_without_words_has_no_text():
    assert unread(b"<p><img src=x></p>", "p.html").reason == "no_text"


def test_a_page_of_endless_depth_or_length_is_told():
    assert unread(b"<b>" * 5_000 + b"x", "p.html").reason == "corrupt"
    assert read(b"<div>" * 900 + b"x", "p.html").text == "x"
    assert unread(b"<p>12345</p>" * 100, "p.html", Limits(characters=100)).reason == "too_large"
