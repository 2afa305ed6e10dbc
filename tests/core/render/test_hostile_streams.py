"""A stream that is not what it should be: no secret hides in it, nothing breaks, and it stays what it was."""

import json
from contextlib import suppress
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.render.dialects import DIALECTS, read_response, without_secrets
from callsheet.core.render.sse import BrokenStream, Event, is_stream, read_events
from callsheet.lab.replies import STREAMS, WHOLE
from callsheet.model.policy import DialectName

SECRET = "sk_live_" + "0123456789abcdef" * 2
WORDS = json.dumps({"kind": "ask", "reason": f"Is it {SECRET} or?"})
CUT = WORDS.index(SECRET) + 14
DEEP = b"data: " + b"[" * 200_000 + b"\n\n"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def chunk(delta: Any, finish: str | None = None, index: int = 0) -> bytes:
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    return f"data: {json.dumps({'choices': [choice]})}\n\n".encode()


def halves(key: str, between: bytes = b"") -> bytes:
    return chunk({key: WORDS[:CUT]}) + between + chunk({key: WORDS[CUT:]})


END = chunk({}, "stop")
HIDDEN = {
    "behind an event that is no JSON": b"data: nonsense\n\n" + halves("content") + END,
    "on both sides of one": halves("content", b"data: nonsense\n\n"),
    "behind an event that is nested too deep": DEEP + halves("content") + END,
    "around a piece of another choice": halves("content", chunk({"content": " "}, index=1)) + END,
    "around a piece of reasoning": halves("content", chunk({"reasoning_content": " "})) + END,
    "in reasoning under another name": halves("reasoning") + END,
    "in a refusal": halves("refusal") + END,
    "in the name of a tool": b"".join(
        chunk({"tool_calls": [{"index": 0, "function": {"name": half}}]}) for half in (SECRET[:14], SECRET[14:])
    ) + END,
    "before an end without its last blank line": (halves("content") + END).rstrip(b"\n"),
    "in what broke off": halves("content"),
    "in one of two calls that broke off": b"".join(
        chunk({"tool_calls": [{"index": at, "function": {"arguments": text}}]})
        for at, text in ((0, WORDS[:CUT]), (1, " "), (0, WORDS[CUT:]))
    ),
}  # fmt: skip


@pytest.mark.parametrize("where", HIDDEN)
def test_a_secret_in_pieces_is_found_wherever_a_stream_hides_it(where: str) -> None:
    clean = without_secrets(HIDDEN[where], "openai_chat")
    assert SECRET[14:].encode() not in clean


@pytest.mark.parametrize("dialect", get_args(DialectName))
def test_a_stream_that_broke_off_stays_one_when_a_secret_was_taken_out(dialect: DialectName) -> None:
    events = [
        (f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n"
        for name, data in STREAMS[dialect](WHOLE[dialect](WORDS, [], 1, 1))
    ]
    last = next(at for at, each in enumerate(events) if WORDS[-8:-3] in each) + 1
    clean = without_secrets("".join(events[:last]).encode(), dialect)
    assert is_stream(clean) and SECRET[14:].encode() not in clean
    with pytest.raises(BrokenStream):
        read_response(clean, dialect)


@pytest.mark.parametrize("dialect", get_args(DialectName))
def test_a_stream_of_anything_is_cleaned_and_read_or_is_a_value_error(dialect: DialectName) -> None:
    events = list(STREAMS[dialect](WHOLE[dialect](WORDS, [("check", {"a": 1})], 1, 1)))

    @given(st.integers(0, len(events) - 1), st.randoms(use_true_random=False), JSON)
    def holds(at: int, random: Any, value: Any) -> None:
        spoiled = [data for _, data in events]
        spoiled[at] = _spoiled(spoiled[at], random, value)
        body = "".join(f"data: {json.dumps(each)}\n\n" for each in spoiled).encode()
        with suppress(ValueError):
            read_response(without_secrets(body, dialect), dialect)

    holds()


def _spoiled(value: Any, random: Any, new: Any) -> Any:
    """The value with something inside it, or itself, replaced."""
    if isinstance(value, dict) and value and random.random() < 0.9:
        key = random.choice(list(value))
        return {**value, key: _spoiled(value[key], random, new)}
    if isinstance(value, list) and value and random.random() < 0.9:
        at = random.randrange(len(value))
        return [*value[:at], _spoiled(value[at], random, new), *value[at + 1 :]]
    return new


@pytest.mark.parametrize("value", [1.5, True, ["x"], {"type": "text"}, [{"type": "thinking"}]])
def test_a_piece_that_is_no_text_tells_nothing(value: Any) -> None:
    delta = {
        "content": value,
        "reasoning_content": value,
        "tool_calls": [{"index": value, "function": {"name": value}}],
    }
    (told,) = DIALECTS["openai_chat"].deltas(Event("", {"choices": [{"delta": delta}]}))
    assert (told.kind, told.text, told.name) == ("call", "", "")


@pytest.mark.parametrize("before", [b"id: 1\n", b"retry: 10\n\n", b"\xef\xbb\xbf", b": hello\n\n", b"\n\n"])
def test_a_stream_may_begin_with_any_field_of_the_format(before: bytes) -> None:
    assert is_stream(before + b"data: {}\n\n") and read_events(before + b"data: {}\n\n") == (Event("", {}),)


@pytest.mark.parametrize("body", [b'{"data:": 1}', b" [1]", b"", b"database: x", b" : x"])
def test_what_is_no_stream_is_not_taken_for_one(body: bytes) -> None:
    assert not is_stream(body)
