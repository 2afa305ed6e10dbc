"""Answers with compression and without, pair by pair: values in, values out."""

from callsheet.lab.probes.paired import Spread, effort, paired
from callsheet.lab.probes.results import Answer
from callsheet.lab.probes.split import Class


def answer(phrasing: int, verdict: Class | None, **more: object) -> Answer:
    return Answer("limit", "recall", phrasing, ("accuracy",), verdict, **more)  # type: ignore[arg-type]


FULL = (
    answer(0, "right", read=1_000, written=10, seconds=4.0),
    answer(1, "neighbour", read=1_000, written=10, seconds=4.0),
    answer(2, "right", read=1_000, written=10, seconds=4.0),
    answer(3, "unknown", read=1_000, written=10, seconds=4.0),
    answer(4, "right", read=1_000, written=10, seconds=4.0),
)
WITH = (
    answer(0, "right", read=400, written=20, own=80, seconds=2.0, calls=2, numbers=(75,), refetched=90),
    answer(1, "right", read=200, written=10, seconds=1.0),
    answer(2, "neighbour", read=200, written=10, seconds=1.0, calls=3, numbers=(75, 79), refetched=180),
    answer(3, "other", read=200, written=10, seconds=1.0),
    answer(4, None, error="no room"),
)


def test_pairs_are_counted_by_who_was_right_and_a_failed_call_makes_none() -> None:
    found = paired([(WITH, FULL)], "warm", 2)

    assert (found.n, found.both, found.only_with, found.only_without, found.neither) == (4, 1, 1, 1, 1)
    assert found.p == 1.0
    assert (found.cache, found.order) == ("warm", 2)
    assert found.full.right == 2, "the fifth answer of the whole history has no pair"


def test_six_pairs_that_all_go_one_way_are_hardly_chance_and_five_may_be() -> None:
    right = tuple(answer(at, "right") for at in range(6))
    wrong = tuple(answer(at, "unknown") for at in range(6))

    assert paired([(right, wrong)], "warm", 1).p == 0.03125
    assert paired([(right[:5], wrong[:5])], "warm", 1).p == 0.0625


def test_what_it_took_is_all_tokens_by_right_answers_re_reads_and_own_summaries_included() -> None:
    took = effort(WITH)

    assert (took.n, took.right, took.wrong, took.unknown) == (4, 2, 1, 0)
    assert (took.calls, took.refetches, took.refetched, took.own) == (7, 3, 270, 80)
    assert took.total == 500 + 210 + 210 + 210
    assert took.per_success == 565.0
    assert took.tokens == Spread(210, 210, 500)
    assert effort(FULL[1:2]).per_success is None
    assert effort(()).tokens == Spread()


def test_tokens_and_seconds_are_compared_pair_by_pair() -> None:
    found = paired([(WITH, FULL)], "cold", 1)

    assert found.more_tokens == Spread(-800, -800, -510)
    assert found.more_seconds == Spread(-3.0, -3.0, -2.0)


def test_the_same_question_of_two_conversations_is_two_pairs() -> None:
    found = paired([(WITH[:1], FULL[:1]), (WITH[1:2], FULL[1:2]), (WITH[2:3], ())], "warm", 1)

    assert (found.n, found.both, found.only_with) == (2, 1, 1)
