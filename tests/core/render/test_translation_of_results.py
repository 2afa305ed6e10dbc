"""Whatever tools return, words and media in any order, is said once and legally in every dialect that can say it."""

import json
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from callsheet.core.render.translate import for_dialect
from callsheet.model.message import Block, CallBlock, MediaBlock, Message, ResultBlock, TextBlock
from callsheet.model.prompt import Prompt

from .translating import DIALECTS, HI, SAFE, sent

KINDS = ["text", "image", "address", "document", "sound"]
TAKEN = {
    "openai_chat": {*KINDS},
    "openai_responses": {*KINDS},
    "anthropic": {*KINDS} - {"sound"},
    "gemini": {*KINDS},
}
"""What a user's message or a result of the dialect may hold, by the API's reference pages and the SDKs' types."""
TURNS = st.lists(st.lists(st.lists(st.sampled_from(KINDS), max_size=3), min_size=1, max_size=3), min_size=1, max_size=3)


def block(kind: str, mark: str) -> Block:
    match kind:
        case "text":
            return TextBlock(mark)
        case "image":
            return MediaBlock("image", "image/png", mark)
        case "address":
            return MediaBlock("image", url=f"https://example.org/{mark}")
        case "document":
            return MediaBlock("document", "application/pdf", mark)
    return MediaBlock("audio", "wav", mark)


def talk(turns: list[list[list[str]]], together: bool, words: bool) -> tuple[list[Message], list[tuple[str, str]]]:
    """A conversation of calls, each turn of several, and the kind and mark of everything that their results hold."""
    said, marks = [HI], list[tuple[str, str]]()
    for at, results in enumerate(turns):
        ids = [f"c{at}_{number}" for number in range(len(results))]
        said.append(Message("assistant", tuple(CallBlock(id=each, name="look", arguments={}) for each in ids)))
        answers = []
        for call_id, kinds in zip(ids, results, strict=True):
            held = [(kind, f"M{at}{call_id}N{place}Q==") for place, kind in enumerate(kinds)]
            marks += held
            answers.append(ResultBlock(call_id=call_id, blocks=tuple(block(*each) for each in held)))
        said += [Message("tool", tuple(answers))] if together else [Message("tool", (each,)) for each in answers]
        said += [Message("user", (TextBlock(f"and {at}?"),))] if words else []
    return said, marks


@pytest.mark.parametrize("target", DIALECTS)
@settings(max_examples=60)
@given(turns=TURNS, together=st.booleans(), words=st.booleans())
def test_what_results_hold_is_said_once_in_order_and_legally_where_the_dialect_has_a_place_for_it(
    target: str, turns: list[list[list[str]]], together: bool, words: bool
) -> None:
    messages, marks = talk(turns, together, words)
    translated = for_dialect(Prompt(messages=tuple(messages)), target)  # type: ignore[arg-type]
    refusal = translated.refusal or DIALECTS[target].illegal(translated.prompt, SAFE)
    sayable = all(kind in TAKEN[target] for kind, _ in marks)
    event("said" if sayable else "refused")
    assert (refusal is None) == sayable, refusal
    if refusal is not None:
        return
    written = sent(target, translated.prompt)
    whole = json.dumps(written)
    assert all(whole.count(mark) == 1 for _, mark in marks)
    for some in ({"text"}, {"sound"}, {"image", "address", "document"}):
        places = [whole.index(mark) for kind, mark in marks if kind in some]
        assert places == sorted(places)
    if target == "openai_chat":
        assert_in_order(written["messages"], turns)


def assert_in_order(messages: list[dict[str, Any]], turns: list[list[list[str]]]) -> None:
    """Each turn's tool messages stand right behind its calls and hold text alone; media come after the last of them."""
    starts = [at for at, each in enumerate(messages) if each.get("tool_calls")]
    for start, results in zip(starts, turns, strict=True):
        behind = messages[start + 1 : start + 1 + len(results)]
        assert [each["tool_call_id"] for each in behind] == [each["id"] for each in messages[start]["tool_calls"]]
        for each in behind:
            parts = each["content"] if isinstance(each["content"], list) else []
            assert all(part["type"] == "text" for part in parts)
        after = messages[start + 1 + len(results) :]
        assert not after or after[0]["role"] in ("user", "assistant")
