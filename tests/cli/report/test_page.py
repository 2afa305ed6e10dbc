"""The page's text, before any browser reads it: nothing leaves its place or comes from outside."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from callsheet.cli.report.document import document
from callsheet.cli.report.page import embedded, page

from ...diagnoses import hostile_texts, session

Attributes = list[tuple[str, str | None]]
values = st.recursive(
    st.one_of(hostile_texts(), st.integers(), st.booleans(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(hostile_texts(), inner, max_size=3)),
    max_leaves=8,
)


class Read(HTMLParser):
    """What stands in a page: its tags, its attributes, and the text inside each script and style."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.within = ""
        self.attributes: list[tuple[str, str | None]] = []
        self.inside: dict[str, list[str]] = {"script": [], "style": [], "title": []}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        self.tags.append(tag)
        self.within = tag
        self.attributes += attrs
        if tag in self.inside:
            self.inside[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        self.within = ""

    def handle_data(self, data: str) -> None:
        if self.within in self.inside:
            self.inside[self.within][-1] += data


def hashed(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@given(values)
def test_an_embedded_document_is_the_same_document_and_holds_no_markup(value: object) -> None:
    text = embedded(value)
    assert json.loads(text) == json.loads(json.dumps(value))
    assert not set(text) & set("<>&\u2028\u2029")


@settings(max_examples=25)
@given(hostile_texts())
def test_the_markup_is_the_same_whatever_a_transcript_says(text: str) -> None:
    plain, hostile = (Read(page(document(session(2, each)))) for each in ("as planned", text))
    assert hostile.tags == plain.tags and hostile.attributes == plain.attributes
    assert hostile.inside["script"][1:] == plain.inside["script"][1:]
    assert json.loads(hostile.inside["script"][0]) == document(session(2, text))


def test_the_policy_allows_the_pages_own_script_and_style_and_nothing_else() -> None:
    read = Read(page(document(session(2))))
    (policy,) = [value for name, value in read.attributes if name == "content" and value and "default-src" in value]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == hashed(read.inside["script"][1])
    assert rules["style-src"] == hashed(read.inside["style"][0])
    assert "unsafe" not in policy and "http" not in policy


def test_the_page_names_no_address_and_no_markup_is_made_from_text() -> None:
    text = page(document(session(2)))
    outside = [url for url in re.findall(r"https?://[^\s\"'`)]+", text) if url != "http://www.w3.org/2000/svg"]
    assert outside == []
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc", text)


def test_the_title_is_the_files_name_escaped() -> None:
    read = Read(page(document(session(2, "<img src=x onerror='document.title=1'>"))))
    assert read.inside["title"] == ["<img src=x onerror='document.title=1'>.jsonl - callsheet inspect"]
    assert "img" not in read.tags
