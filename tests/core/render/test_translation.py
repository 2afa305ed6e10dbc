"""A conversation of one dialect says the same in every other, whole and in order."""

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings

from .conversations import WRITE, conversations, heard, meant
from .translating import DIALECTS, into

PAIRS = list(permutations(DIALECTS, 2))


@pytest.mark.parametrize(("source", "target"), PAIRS)
@settings(max_examples=30)
@given(conversation=conversations())
def test_every_text_call_and_result_arrives_in_order_and_bound_as_it_was(
    source: str, target: str, conversation: tuple[str, list[Any]]
) -> None:
    request = WRITE[source](*conversation)
    assert heard(source, request) == meant(*conversation)
    prompt = DIALECTS[source].decode(request)
    written, translated = into(target, prompt)
    assert heard(target, written) == meant(*conversation)
    assert translated.left_out == ()
    assert DIALECTS[target].decode(written).unknown == ()


@pytest.mark.parametrize(("source", "target"), PAIRS)
@settings(max_examples=30)
@given(conversation=conversations())
def test_a_conversation_that_went_out_and_back_says_the_same(
    source: str, target: str, conversation: tuple[str, list[Any]]
) -> None:
    there, _ = into(target, DIALECTS[source].decode(WRITE[source](*conversation)))
    back, _ = into(source, DIALECTS[target].decode(there))
    assert heard(source, back) == meant(*conversation)
