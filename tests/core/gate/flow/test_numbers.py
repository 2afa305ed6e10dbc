"""Bare numbers: every text is full of them, and few of them are meant."""

import pytest

from callsheet.core.gate.flow.matching import Sought, named_at


def found(text: str, value: str, argument: str = "file_id", tool: str = "delete_file") -> bool:
    return named_at(Sought(value, None, argument, tool), text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "Delete file 13.",
        "delete files 12 and 13",
        "the one with ID '13'",
        "number 13",
        "Delete 13",
        "take #13",
        "files 12, 13",
    ],
)
def test_an_id_that_is_named_as_one_is_found(text: str) -> None:
    assert found(text, "13")


@pytest.mark.parametrize("text", ["What is on June 13?", "on 2024-05-13", "wait 13 days", "13 people", "at 13", "113"])
def test_another_number_is_no_id(text: str) -> None:
    assert not found(text, "13")


@pytest.mark.parametrize("value", ["1", "2"])
def test_the_number_of_a_line_names_nothing(value: str) -> None:
    assert not found("Do this: 1. Read it. 2. Send it.", value, "amount", "pay")


def test_a_number_that_only_looks_like_one_of_a_line_is_an_amount() -> None:
    assert found("Pay Bob: 20. Thanks", "20", "amount", "pay") and found("Pay 1. Then go.", "1", "amount", "pay")


def test_a_day_of_a_month_is_no_amount() -> None:
    assert not found("Pay it by May 15", "15", "amount", "pay")
    assert found("Pay 15 by May 15", "15", "amount", "pay")


def test_a_long_number_is_an_id_by_itself() -> None:
    assert found("Have a look at 4711", "4711", "order_id", "cancel_order")


def test_a_text_full_of_numbers_is_looked_through_once() -> None:
    assert not found("x 13 " * 20_000, "13")
    assert not found("June 13, " * 20_000, "13", "count", "read")
    assert found("x 13 " * 20_000 + "file 13", "13")
    assert found("file " + "13 " * 20_000, "13")
