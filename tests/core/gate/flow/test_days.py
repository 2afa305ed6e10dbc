"""A day that a text names, in whatever way."""

from datetime import date

import pytest

from callsheet.core.gate.flow.days import day_place

SUNDAY = date(2026, 11, 29)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Book 2026-12-24.", "2026-12-24"),
        ("Book 2026-12-24.", "2026-12-24 10:00"),
        ("Book 2026-12-24.", "2026-12-24T10:00:00Z"),
        ("On 24.12.2026", "2026-12-24"),
        ("on December 24th, 2026", "2026-12-24"),
        ("on Dec 24", "2026-12-24"),
        ("on the 24th of December", "2026-12-24"),
        ("am 24. Dezember", "2026-12-24"),
        ("24 grudnia 2026", "2026-12-24"),
        ("tomorrow", "2026-11-30"),
        ("the day after tomorrow", "2026-12-01"),
        ("morgen", "2026-11-30"),
        ("jutro", "2026-11-30"),
        ("in 3 days", "2026-12-02"),
        ("in 2 weeks", "2026-12-13"),
        ("on Monday", "2026-11-30"),
        ("next Monday", "2026-12-07"),
        ("on Sunday", "2026-12-06"),
    ],
)
def test_a_day_is_found_where_the_text_names_it(text: str, value: str) -> None:
    place = day_place(value, text, SUNDAY)
    assert place is not None and 0 <= place[0] < place[1] <= len(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Book 2026-12-24.", "2026-12-25"),
        ("Book 2026-12-24.", "2027-12-24"),
        ("on December 24th, 2026", "2025-12-24"),
        ("on Dec 24", "2029-12-24"),
        ("tomorrow", "2026-12-01"),
        ("the day after tomorrow", "2026-11-30"),
        ("on Monday", "2026-12-07"),
        ("Book 12026-12-24", "2026-12-24"),
        ("on Dec 24", "24"),
        ("31", "2026-02-31"),
    ],
)
def test_another_day_is_not(text: str, value: str) -> None:
    assert day_place(value, text, SUNDAY) is None


def test_a_distance_counts_from_a_day_that_is_known() -> None:
    assert day_place("2026-11-30", "tomorrow", None) is None
