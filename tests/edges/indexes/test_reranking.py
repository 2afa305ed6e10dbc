"""What a model reads of a section: its text, under its last heading where the text does not begin with that."""

import pytest

from callsheet.edges.indexes.reranking import passage


@pytest.mark.parametrize(
    ("heading", "text", "read"),
    [
        ("Guide > Refunds", "Paid in 14 days.", "Refunds\nPaid in 14 days."),
        ("Guide > Refunds", "## REFUNDS\n\nPaid.", "## REFUNDS\n\nPaid."),
        ("", "Paid.", "Paid."),
        ("Guide > Refunds", f"{'Paid. ' * 9}Refunds.", f"Refunds\n{'Paid. ' * 9}Refunds."),
    ],
)
def test_a_section_is_read_under_its_last_heading(heading: str, text: str, read: str) -> None:
    assert passage(heading, text) == read
