"""An answer is right, a neighbour's, unknowing or other, and exactly one of these."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.lab.probes.probe import Probe
from callsheet.lab.probes.split import facts_of, judge, look_alikes

LIMIT = Probe("limit", "recall", ("?",) * 6, (("384",),))
REFERENCE = replace(LIMIT, expected=(("HB-7731",),))
WINDOW = "north 384, south 348, west 1,384, ticket HB-7713 of 2026-11-30, 7 seats, src/app.ts changed, v1.2.3"


def verdict(answer: str, probe: Probe = LIMIT, window: str = WINDOW, asked: str = "Which limit?") -> str:
    return judge(answer, probe, look_alikes(probe, window, asked)).verdict


@pytest.mark.parametrize(
    "answer",
    ["384", "384.", "It was **384**.", "`384`", "The limit: 384 connections", "„384“", "limit=384", "(384)", "384%"],
)
def test_an_answer_that_names_the_value_whole_is_right(answer: str) -> None:
    assert verdict(answer) == "right"


@pytest.mark.parametrize("answer", ["348", "348.", "It was 348, not 384", "384 or 348", "1384", "1,384", "1.384"])
def test_a_value_of_the_window_that_looks_like_the_answer_is_a_neighbours_alone_or_beside_it(answer: str) -> None:
    assert verdict(answer) == "neighbour"


@pytest.mark.parametrize("answer", ["3840", "38", "385", "38.4", "384.5", "", "Let me look.", "x384y", "the old one"])
def test_anything_else_is_other(answer: str) -> None:
    assert verdict(answer) == "other"


@pytest.mark.parametrize(
    "answer",
    [
        "I don't know.",
        "I don’t know",
        "I do not know which limit it was; there is a 348.",
        "It is not mentioned.",
        "Unknown",
        "n/a",
        "None available.",
        "There is no information about that.",
        "Ich weiß es nicht.",
        "Weiß ich nicht",
        "Das kann ich nicht beantworten.",
        "Dazu gibt es keine Angabe.",
        "Nicht bekannt.",
        "Nie wiem.",
        "Nie mogę tego ustalić.",
        "Brak informacji.",
        "Nie podano.",
    ],
)
def test_not_knowing_is_told_in_english_german_and_polish(answer: str) -> None:
    assert verdict(answer) == "unknown"


def test_a_doubt_beside_the_right_value_takes_nothing_from_it() -> None:
    assert verdict("I don't know for sure, but 384") == "right"


def test_a_value_before_the_doubt_counts_as_the_answer() -> None:
    assert verdict("348, I don't know more") == "neighbour"


@pytest.mark.parametrize("written", ["12,500", "12.500", "12 500", "12'500", "12\u202f500", "12500"])
def test_a_number_is_the_same_in_whichever_groups_it_is_written(written: str) -> None:
    assert verdict(f"It was {written} rows", replace(LIMIT, expected=(("12500",),))) == "right"


@pytest.mark.parametrize("written", ["12,500", "12.500", "12'500", "12500"])
def test_a_neighbours_number_is_found_in_groups_but_blanks_join_no_columns(written: str) -> None:
    probe = replace(LIMIT, expected=(("12900",),))
    assert verdict("12500", probe, f"{written} rows") == "neighbour"
    assert verdict("12500", probe, "minute 12 500") == "other"


def test_a_decimal_comma_is_a_decimal_point() -> None:
    assert verdict("38,5 ms", replace(LIMIT, expected=(("38.5",),))) == "right"


@pytest.mark.parametrize("answer", ["HB\N{NON-BREAKING HYPHEN}7731", "hb-7731", "The reference is HB-7731!"])
def test_dashes_and_case_make_no_other_value(answer: str) -> None:
    assert verdict(answer, REFERENCE) == "right"


def test_a_reference_of_the_same_shape_is_a_neighbours_and_another_shape_is_not() -> None:
    assert verdict("HB-7713", REFERENCE) == "neighbour"
    assert verdict("348", REFERENCE) == "other"


def test_what_the_question_names_is_no_neighbour() -> None:
    assert verdict("In 348 it was 384", asked="Which limit had pool 348?") == "right"


def test_a_number_much_shorter_is_no_neighbour_of_a_long_one() -> None:
    assert verdict("384 for 7 seats") == "right"


def test_every_expected_value_must_be_named_and_the_share_is_told() -> None:
    probe = replace(LIMIT, expected=(("src/app.ts", "app.ts"), ("384",)))
    assert judge("app.ts", probe, frozenset()).named == 0.5
    assert judge("app.ts", probe, frozenset()).verdict == "other"
    assert judge("384 in /home/src/app.ts", probe, frozenset()).verdict == "right"


def test_where_nothing_is_to_be_known_saying_so_is_right_and_any_listed_value_is_not() -> None:
    none = replace(LIMIT, expected=(), neighbours=("A-17",))
    assert verdict("None available.", none) == "right"
    assert verdict("A-17 is pending", none) == "neighbour"
    assert verdict("Yes, it is", none) == "other"


def test_listed_neighbours_may_be_of_several_words() -> None:
    assert verdict("At the Redis store", replace(LIMIT, neighbours=("redis store",)), "") == "neighbour"


def test_facts_are_the_first_lines_that_hold_the_values_and_none_where_one_is_missing() -> None:
    probe = replace(LIMIT, expected=(("384",), ("HB-7713",)))
    assert facts_of(probe, iter(("a 3840\nb 384\nc 384", "d HB-7713"))) == ("b 384", "d HB-7713")
    assert facts_of(probe, iter(("a 384",))) == ()


ANSWERS = st.lists(
    st.sampled_from(("384", "348", "I don't know", "HB-7713", "nothing", "limit", "12,384", "?", " ", "nie wiem", ",")),
    max_size=6,
).map(" ".join) | st.text(max_size=40)


@given(ANSWERS, st.sampled_from((LIMIT, REFERENCE, replace(LIMIT, expected=()))))
def test_each_answer_falls_in_exactly_one_class_and_the_right_one_names_everything(answer: str, probe: Probe) -> None:
    judged = judge(answer, probe, look_alikes(probe, WINDOW, ""))

    assert judged.verdict in ("right", "neighbour", "other", "unknown")
    assert judged.verdict != "right" or judged.named == 1.0
    assert 0.0 <= judged.named <= 1.0


@given(ANSWERS)
def test_blanks_around_an_answer_and_its_case_never_change_its_class(answer: str) -> None:
    assert verdict(answer) == verdict(f"  {answer}\n") == verdict(f"**{answer}**")
