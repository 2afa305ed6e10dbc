"""HTML: what a person reads of a page, in its order, with its headings, and nothing else."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from callsheet.errors import UsageError

from .made import covers, one_of, outline

PAGE = """<!doctype html><html lang="en"><head><title> API
keys </title><meta name="version" content="7"><meta name="review-by" content="2027-01-01">
<meta property="article:modified_time" content="2026-03-01T00:00:00Z"><style>p { color: red }</style></head>
<body><nav><a href="/menu">menu</a></nav><main>
<h1>API <em>keys</em></h1>
<p>Hello<br>world &amp; <a href="sub/other.html#part">other</a> <b>bold</b>ly<script>alert(1)</script> after.</p>
<ul><li>one<ul><li>inner</li></ul></li><li><p>two</p></li></ul>
<h2></h2><h2>Limits</h2>
<table><caption>All limits</caption><tr><th>plan</th><th><p>calls</p></th></tr><tr><td>free</td><td>10</td></tr></table>
<pre>
def x():
    return  1
</pre><img alt="a diagram" src="x.png"></main><footer>(c)</footer></body></html>"""


def test_a_page_is_read_as_a_person_reads_it(tmp_path: Path) -> None:
    document = one_of(tmp_path, "a.html", PAGE)
    assert document.text == (
        "API keys\n\nHello\nworld & other boldly after.\n\n- one\n  - inner\n- two\n\n"
        "Limits\n\nAll limits\nplan | calls\nfree | 10\n\ndef x():\n    return  1\n\na diagram"
    )
    assert [path for path, _ in outline(document)] == ["API keys", "API keys > Limits"]
    assert document.title == "API keys" and document.links == ("sub/other.html", "sub/other") and covers(document)


def test_tables_lists_and_code_stay_whole(tmp_path: Path) -> None:
    document = one_of(tmp_path, "a.html", PAGE)
    kept = [document.text[start:end] for block in document.outline or () for start, end in block.whole]
    assert "All limits\nplan | calls\nfree | 10" in kept and "def x():\n    return  1" in kept and "- two" in kept


def test_meta_tags_tell_version_and_dates(tmp_path: Path) -> None:
    document = one_of(tmp_path, "a.html", PAGE)
    assert (document.document_id, document.version) == ("a.html", "7")
    assert document.effective is not None and document.effective.isoformat() == "2026-03-01T00:00:00+00:00"
    assert document.review_by is not None and document.review_by.year == 2027


@pytest.mark.parametrize(
    "hidden",
    [
        '<p style="display: NONE">x9</p>', "<div hidden><p>x9</p></div>", '<p aria-hidden="true">x9</p>',
        "<!-- x9 -->", "<script>x9</script>", "<template>x9</template>", "<noscript>x9</noscript>",
        '<i style="color:red;visibility:hidden">x9</i>', "<svg><text>x9</text></svg>",
    ],
)  # fmt: skip
def test_what_nobody_sees_is_not_read_and_what_follows_is(tmp_path: Path, hidden: str) -> None:
    assert one_of(tmp_path, "a.html", f"<p>before</p>{hidden} after").text in ("before\n\nafter", "before\nafter")


@pytest.mark.parametrize(
    ("content", "charset"),
    [
        ("<p>Schlüssel</p>", "utf-8"),
        ("<p>Schlüssel</p>", "utf-8-sig"),
        ("<p>Schlüssel</p>", "cp1252"),
        ("<p>Schlüssel</p>", "utf-16"),
        ('<meta charset="iso-8859-2"><p>Schlüssel</p>', "iso-8859-2"),
    ],
)
def test_the_charset_is_known_by_its_bytes_or_by_the_page(tmp_path: Path, content: str, charset: str) -> None:
    assert one_of(tmp_path, "a.html", content.encode(charset)).text == "Schlüssel"


def test_headings_inside_a_table_that_only_lays_out_a_page_are_headings(tmp_path: Path) -> None:
    text = "<table><tr><td><h1>A</h1><p>one</p></td><td><h2>B</h2><p>two</p></td></tr></table>"
    assert [path for path, _ in outline(one_of(tmp_path, "a.html", text))] == ["A", "A > B"]


def test_nesting_beyond_all_measure_is_refused_and_deep_nesting_is_read(tmp_path: Path) -> None:
    def nested(depth: int) -> str:
        return "<p>before</p>" + "<div>" * depth + "x" + "</div>" * depth + "<p>after</p>"

    assert one_of(tmp_path, "deep.html", nested(2_000)).text == "before\n\nx\n\nafter"
    with pytest.raises(UsageError, match=r"deeper\.html is nested deeper than 2,048 elements"):
        one_of(tmp_path, "deeper.html", nested(100_000))


TAGS = st.sampled_from("p div span h1 h2 h3 ul li ol table tr td th pre br b a main article nav".split())
PIECES = st.one_of(
    TAGS.map(lambda tag: f"<{tag}>"), TAGS.map(lambda tag: f"</{tag}>"), st.text("ab \n&<é", min_size=1, max_size=8)
)


@given(st.lists(PIECES, max_size=40).map("".join))
@example("<main><nav>only what steers</nav></main>")
def test_whatever_the_tags_every_character_is_in_exactly_one_section(text: str) -> None:
    with TemporaryDirectory() as folder:
        assert covers(one_of(Path(folder), "a.html", f"<p>words</p>{text}"))
