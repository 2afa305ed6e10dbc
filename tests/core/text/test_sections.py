"""Sections: exact spans, citable ids, borders where a reader would put them."""

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
def test_no_text_is_lost_but_bare_headings(text: str) -> None:
    found = sections(Document("d", text), "t")
    kept = {i for s in found for i in range(s.start, s.end)}
    lost = "".join(character for i, character in enumerate(text) if i not in kept)
    assert all(not line.strip() or line.lstrip().startswith("#") for line in lost.splitlines())


def test_ids_follow_the_headings() -> None:
    text = "Intro.\n\n# API keys\n\n## Revoked keys\nGone.\n\n## Revoked keys\nAgain.\n\n```\n# no heading\n```\n"
    found = sections(Document("runbook/api-keys", text, "API keys", "v7"), "t")
    assert [s.evidence_id for s in found] == [
        "runbook/api-keys@v7#api-keys",
        "runbook/api-keys@v7#revoked-keys",
        "runbook/api-keys@v7#revoked-keys-2",
    ]
    assert found[1].heading == "API keys > Revoked keys" and found[1].text == "## Revoked keys\nGone."
    assert found[2].text.endswith("# no heading\n```")


def test_a_long_section_is_cut_at_paragraphs() -> None:
    text = "# Long\n\n" + "\n\n".join(f"Paragraph {n}. " + "word " * 100 for n in range(5))
    found = sections(Document("d", text), "t")
    assert [s.section for s in found] == ["long", "long.2", "long.3"]
    assert all(s.text.startswith(("# Long", "Paragraph")) for s in found)
