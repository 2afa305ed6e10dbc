"""Markdown: the headings, fences, tables, lists and links that CommonMark has, and no others."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.text.sections import LIMIT, sections
from callsheet.edges.documents.markdown import outlined
from callsheet.model.evidence import Document

from .made import covers, one_of, outline

HEADINGS = ["# A", "## *B* `b`", "C\n===", "D\n---"]
NONE = ["```\n# no\n```", "~~~", "- item\n\n  # in a list", "> # in a quote", "<!-- # no\n\n# yes -->", "    # code"]
OTHERS = ["text " * 60, "| a | b |\n|---|---|\n| 1 | 2 |", "[x](y.md)", "\\# no", "é" * 1200, ""]
PIECES = st.sampled_from([*HEADINGS, *NONE, *OTHERS])


def test_headings_are_those_that_a_reader_sees(tmp_path: Path) -> None:
    text = """Opening.

Setext *title*
==============

Body.

```sh
# a comment
```

<!--
# not this
-->

> # nor this

    # nor this

Part ##
---

### Deep `code` [link](a.md) ###
Text.
"""
    found = outline(one_of(tmp_path, "a.md", text))
    assert [path for path, _ in found] == ["", "Setext title", "Setext title > Part ## > Deep code link"]
    assert found[2][1].startswith("Part ##\n---\n\n### Deep")


def test_a_fence_is_open_to_the_end_of_its_document(tmp_path: Path) -> None:
    assert len(outline(one_of(tmp_path, "a.md", "# A\ntext\n```\n# B\ntext"))) == 1


@given(st.lists(PIECES, max_size=16).map("\n\n".join))
def test_every_character_is_in_exactly_one_section(text: str) -> None:
    blocks, _, _ = outlined(text)
    assert covers(Document("d", text, outline=blocks))


ROWS = st.integers(1, 30).map(lambda rows: "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * rows)
ITEMS = st.integers(1, 12).map(lambda lines: "- item\n" + "  goes on\n" * lines)


@given(st.lists(st.one_of(st.text("ab .", min_size=1, max_size=700), ROWS, ITEMS), max_size=12))
def test_what_fits_is_not_cut_in_the_middle(pieces: list[str]) -> None:
    text = "\n\n".join(pieces)
    blocks, _, _ = outlined(text)
    found = sections(Document("d", text, outline=blocks), "t")
    outermost = 0
    for start, end in blocks[0].whole if blocks else ():
        if end - start <= LIMIT and start >= outermost:
            outermost = end
            assert any(each.start <= start and text[each.end : end].strip() == "" for each in found if each.end > start)


def test_links_lead_to_documents_of_the_same_folder(tmp_path: Path) -> None:
    text = """[a](../keys.md#revoked) [b](page.html "t") [c](/top/x.md?y) [d][ref] [e](https://example.org/z.md)
[f](mailto:a@example.org) [g](#here) [h](../../../etc/passwd) [i](My%20Guide.md) ![j](picture.png)

[ref]: other.md
"""
    document = one_of(tmp_path, "runbook/api/start.md", text)
    assert document.document_id == "runbook/api/start"
    assert document.links == (
        *("runbook/keys", "runbook/api/page.html", "runbook/api/page", "top/x", "runbook/api/other"),
        "runbook/api/My%20Guide",
    )


def test_the_front_matter_names_the_document_and_the_text_is_what_stands_below(tmp_path: Path) -> None:
    text = "---\nid: keys\nversion: 7\ntitle: Keys\nweight: 3\nlanguage: de\n---\n# Schlüssel\nText.\n"
    document = one_of(tmp_path, "a.md", text)
    assert (document.document_id, document.version, document.title, document.language) == ("keys", "7", "Keys", "de")
    assert document.text == "# Schlüssel\nText.\n"


def test_a_document_without_a_title_has_that_of_its_first_heading_or_its_id(tmp_path: Path) -> None:
    assert one_of(tmp_path, "a.md", "## Sub\n\n# The *keys*\ntext").title == "The keys"
    assert one_of(tmp_path, "b.md", "text").title == "b"
