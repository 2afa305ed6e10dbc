"""Preload or fetch, told from recorded requests and the prices of the cache (B6)."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as some

from callsheet.core.diagnose.preload import FEWEST, Answered, preload_or_fetch
from callsheet.core.prices import USUAL
from callsheet.testing import NOON


def requests(cited: list[str], minutes: float = 1.0, fetched: int = 300) -> list[Answered]:
    """One request after the other, each of which fetched what it cites."""
    return [
        Answered(NOON + timedelta(minutes=minutes * n), (each,), {each.partition("@")[0]: fetched}, {})
        for n, each in enumerate(cited)
    ]


def test_a_document_that_answers_nearly_all_is_preloaded_where_reading_it_from_the_cache_costs_less() -> None:
    told = preload_or_fetch(requests(["faq@v1"] * 19 + ["other@v1"]), {"faq": 1_000, "other": 200}, USUAL)
    assert (told.advice, told.document_id, told.share, told.tokens) == ("preload", "faq", 0.95, 1_000)
    # 20 requests: one write of 1,000, nineteen reads at a tenth, and 300 of the other; against 20 x 300.
    assert told.preload_cost == pytest.approx((1_000 * 1.25 + 19 * 1_000 * 0.1 + 300) * 50 / 1e6)
    assert told.fetch_cost == pytest.approx(20 * 300 * 50 / 1e6)


def test_a_document_too_long_for_its_sections_is_fetched() -> None:
    told = preload_or_fetch(requests(["faq@v1"] * 20), {"faq": 10_000}, USUAL)
    assert told.advice == "fetch"
    assert "costs more" in told.why


def test_a_cache_that_lapses_between_requests_is_written_each_time() -> None:
    often, seldom = (
        preload_or_fetch(requests(["faq@v1"] * 20, minutes), {"faq": 1_000}, USUAL) for minutes in (1.0, 6.0)
    )
    assert (often.advice, seldom.advice) == ("preload", "fetch")
    assert seldom.preload_cost == pytest.approx(1_000 * 1_000 * 1.25 / 1e6)


def test_requests_that_spread_wide_are_fetched_for() -> None:
    told = preload_or_fetch(requests(["faq@v1", "other@v1"] * 10), {"faq": 100, "other": 100}, USUAL)
    assert (told.advice, told.share) == ("fetch", 0.5)


def test_ninety_per_cent_are_not_more_than_ninety() -> None:
    told = preload_or_fetch(requests(["faq@v1"] * 18 + ["other@v1"] * 2), {"faq": 100, "other": 100}, USUAL)
    assert (told.advice, told.share) == ("fetch", 0.9)


def test_a_document_whose_version_changed_meanwhile_is_not_stable() -> None:
    told = preload_or_fetch(requests(["faq@v1"] * 10 + ["faq@v2"] * 10), {"faq": 100}, USUAL)
    assert (told.advice, told.share) == ("fetch", 0.5)


def test_an_answer_from_two_documents_is_answered_by_neither_alone() -> None:
    both = [replace(each, cited=("faq@v1", "other@v1")) for each in requests(["faq@v1"] * 20)]
    assert preload_or_fetch(both, {"faq": 100}, USUAL).share == 0.0


def test_a_document_that_not_everyone_may_see_is_fetched_however_often_it_answers() -> None:
    told = preload_or_fetch(requests(["faq@v1"] * 20), {}, USUAL)
    assert told.advice == "fetch"
    assert "knowledge/" in told.why


def test_too_few_requests_give_no_advice() -> None:
    told = preload_or_fetch(requests(["faq@v1"] * (FEWEST - 1)), {"faq": 10}, USUAL)
    assert told.advice == "too few requests"


@pytest.mark.parametrize(
    ("sizes", "growing"), [((100, 200, 300, 400), True), ((100, 200, 300), False), ((100, 200, 150, 400, 500), False)]
)
def test_a_preload_that_only_ever_grew_is_said_to(sizes: tuple[int, ...], growing: bool) -> None:
    recorded = [
        Answered(NOON + timedelta(minutes=n), ("faq@v1",), {}, {"faq": size})
        for n, size in enumerate(size for size in sizes for _ in range(3))
    ]
    told = preload_or_fetch(recorded, {"faq": 100}, USUAL)
    assert (told.sizes, told.growing) == (sizes, growing)


@given(some.lists(some.sampled_from(["a@v1", "b@v1", "a@v2"]), min_size=FEWEST, max_size=40), some.integers(1, 5_000))
def test_a_preload_is_advised_only_where_it_is_cheaper_and_answers_more_than_nine_in_ten(
    cited: list[str], tokens: int
) -> None:
    told = preload_or_fetch(requests(cited), {"a": tokens, "b": tokens}, USUAL)
    assert told.preload_cost is not None and told.fetch_cost is not None
    assert (told.advice == "preload") == (told.share > 0.9 and told.preload_cost < told.fetch_cost)
