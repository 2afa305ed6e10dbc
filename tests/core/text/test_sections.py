"""Sections: exact spans, citable ids, borders where a reader would put them."""

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.text.sections import LIMIT, sections
from callsheet.model.evidence import Document

PIECES = st.sampled_from(
    ["# A", "## B", "## B", "### C c", "text " * 40, "word", "```", "# in code", "", "", "é" * 1500, "one. two. " * 150]
)


@given(st.lists(PIECES, max_size=20).map("\n".join))
def test_every_section_is_an_exact_span_and_ids_are_unique(text: str) -> None:
    found = sections(Document("d", text), "t")
    assert all(text[s.start : s.end] == s.text and s.text.strip() == s.text != "" for s in found)
    assert all(len(s.text) <= LIMIT for s in found)
    assert len({s.evidence_id for s in found}) == len(found)
    assert all(a.end <= b.start for a, b in pairwise(found))


@given(st.lists(PIECES, max_size=20).map("\n".join))
def test_every_character_that_is_not_blank_is_in_exactly_one_section(text: str) -> None:
    found = sections(Document("d", text), "t")
    borders = [0, *(border for s in found for border in (s.start, s.end)), len(text)]
    assert borders == sorted(borders)
    between = "".join(text[end:start] for end, start in zip(borders[::2], borders[1::2], strict=True))
    assert not between.strip()


BODIES = st.text("ab .\n", min_size=1, max_size=1500).map(lambda body: f"x{body}")


@given(st.lists(BODIES, min_size=2, max_size=6), st.data())
def test_an_edit_elsewhere_leaves_the_ids_of_a_section_alone(bodies: list[str], data: st.DataObject) -> None:
    edited = data.draw(st.integers(0, len(bodies) - 1))
    changed = [data.draw(BODIES) if at == edited else body for at, body in enumerate(bodies)]

    def ids(written: list[str]) -> list[tuple[str, str]]:
        text = "\n".join(f"# Part {at}\n{body}" for at, body in enumerate(written))
        found = sections(Document("d", text), "t")
        return [(s.evidence_id, s.text) for s in found if s.heading != f"Part {edited}"]

    assert ids(bodies) == ids(changed)


PROSE = st.text("ab. \n", max_size=900)
FENCED = st.text("ab. \n", max_size=LIMIT - 12).map(lambda code: f"```\n{code}\n```")


@given(st.lists(st.one_of(PROSE, FENCED), max_size=8))
def test_a_fence_that_fits_is_never_cut(pieces: list[str]) -> None:
    text = "\n\n".join(pieces)
    found = sections(Document("d", text), "t")
    for fence in re.finditer(r"```\n[ab. \n]*?\n```", text):
        assert any(s.start <= fence.start() and fence.end() <= s.end for s in found)


def test_a_blank_line_inside_a_fence_is_no_border_where_there_is_another() -> None:
    text = f"{'a' * 300}\n\n```\n{'b' * 300}\n\n{'c' * 100}\n```\n{'d ' * 400}"
    found = sections(Document("d", text), "t")
    assert found[0].text == "a" * 300 and found[1].text.startswith("```")


def test_headings_without_a_text_join_the_next_and_the_last_stands_alone() -> None:
    found = sections(Document("d", "# A\n## B\ntext\n\n# C\n\n# D\n"), "t")
    assert [(s.section, s.text) for s in found] == [("b", "# A\n## B\ntext"), ("d", "# C\n\n# D")]


def test_ten_thousand_equal_headings_and_ten_megabytes_on_a_line_take_linear_time() -> None:
    """Quadratic, either would take longer than the whole of the tests."""
    repeated = sections(Document("d", "## B\ntext\n" * 10_000), "t")
    assert [s.section for s in repeated[:2]] == ["b", "b-2"] and repeated[-1].section == "b-10000"
    line = sections(Document("d", "word " * 2_000_000), "t")
    assert sum(len(s.text) + 1 for s in line) == 10_000_000


def test_ids_follow_the_headings() -> None:
    text = "Intro.\n\n# API keys\n\n## Revoked keys\nGone.\n\n## Revoked keys\nAgain.\n\n```\n# no heading\n```\n"
    found = sections(Document("runbook/api-keys", text, "API keys", "v7"), "t")
    assert [s.evidence_id for s in found] == [
        "runbook/api-keys@v7#api-keys",
        "runbook/api-keys@v7#revoked-keys",
        "runbook/api-keys@v7#revoked-keys-2",
    ]
    assert found[1].heading == "API keys > Revoked keys" and found[1].text == "# API keys\n\n## Revoked keys\nGone."
    assert found[2].text.endswith("# no heading\n```")


def test_a_long_section_is_cut_at_paragraphs() -> None:
    text = "# Long\n\n" + "\n\n".join(f"Paragraph {n}. " + "word " * 100 for n in range(5))
    found = sections(Document("d", text), "t")
    assert [s.section for s in found] == ["long", "long.2", "long.3"]
    assert all(s.text.startswith(("# Long", "Paragraph")) for s in found)


def test_the_path_of_headings_begins_with_the_title_of_the_document() -> None:
    found = sections(Document("d", "Before.\n# Fees\nNone.\n## Abroad\nTwo percent.", "Gold Card"), "t")
    assert [s.heading for s in found] == ["Gold Card", "Gold Card > Fees", "Gold Card > Fees > Abroad"]


def test_a_title_that_is_a_heading_of_the_text_stands_in_the_path_once() -> None:
    found = sections(Document("d", "# GOLD  card\nText.\n## Fees\nNone.", "Gold card"), "t")
    assert [s.heading for s in found] == ["GOLD  card", "GOLD  card > Fees"]
