"""The provider's own count of a request, and the estimate in its place where there is none."""

import pytest

from callsheet.edges.counters.estimate import EstimateCounter
from callsheet.edges.counters.provider import ProviderCounter
from callsheet.errors import ModelError, UsageError

BODY = b'{"messages":[{"role":"user","content":"hello"}]}'
ESTIMATE = EstimateCounter()


def test_a_whole_prompt_is_the_providers_figure_and_a_text_the_estimates() -> None:
    asked: list[bytes] = []
    counter = ProviderCounter("anthropic count", lambda body: asked.append(body) or 41, ESTIMATE)
    counted = counter.count_prompt(BODY, "anthropic")
    assert (counted.tokens, counted.basis, asked) == (41, "anthropic count (exact)", [BODY])
    assert counter.count("some text") == ESTIMATE.count("some text") and asked == [BODY]


@pytest.mark.parametrize("problem", [ModelError("503"), UsageError("no such endpoint")])
def test_where_the_provider_gives_no_count_the_estimate_stands_in_and_says_so(problem: Exception) -> None:
    def fails(body: bytes) -> int:
        raise problem

    counted = ProviderCounter("gemini count", fails, ESTIMATE).count_prompt(BODY, "openai_chat")
    assert counted.tokens == ESTIMATE.count_prompt(BODY, "openai_chat").tokens
    assert counted.basis == "estimate/utf8-3.6 (estimate); gemini count gave no count"


def test_a_body_that_is_no_request_is_an_error_by_either_count() -> None:
    def refuses(body: bytes) -> int:
        raise ModelError("400")

    with pytest.raises(ValueError, match="JSON"):
        ProviderCounter("count", refuses, ESTIMATE).count_prompt(b"[]", "anthropic")
