"""Every token of a rendered prompt has an owner, and an item's tokens are its text."""

import json
import re
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.render.fragment import fragment
from callsheet.core.render.wire import join
from callsheet.core.render.writer import segments
from callsheet.edges.counters.places import Placed, place
from callsheet.edges.counters.prompt import TemplateCounter
from callsheet.edges.counters.qwen import QwenCounter, QwenTokenizer
from callsheet.edges.counters.template import Source, compile_template
from callsheet.model.content import Content, Owned
from callsheet.model.item import ContextItem
from callsheet.model.wire import FRAME, Wire

from . import bodies

QWEN = QwenCounter()
TRIMMING = """{% for message in messages -%}
<|im_start|>{{ message.role }}
{{ message.content | trim }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
LONGEST_TOKEN = 128


def item(name: str, text: str) -> ContextItem:
    return ContextItem(name, "evidence", name, "trusted", text=text, fragment=fragment(text, 0))


def wire(dialect: str, body: Any) -> Wire:
    return join(dialect, segments(body), 0)


def under(placed: Placed, item_id: str) -> bytes:
    """The bytes of the prompt that an item's tokens stand for."""
    whole = placed.prompt.encode()
    spans = [(span.start, span.end) for span in placed.spans if span.item_id == item_id]
    return b"".join(whole[placed.tokens.span(a)[0] : placed.tokens.span(b - 1)[1]] for a, b in spans)


def is_text_of(tokens: bytes, text: bytes) -> bool:
    """Whether these are the text but for what a token on its first or last border takes or brings."""
    return any(text[cut:] == tokens[: len(text) - cut] for cut in range(min(len(text), LONGEST_TOKEN) + 1))


def body(dialect: str, system: Any, user: Any, description: Any) -> dict[str, Any]:
    if dialect == "anthropic":
        tools = [{"name": "look", "description": description, "input_schema": {"type": "object"}}]
        return {
            "system": [{"type": "text", "text": system}],
            "messages": [{"role": "user", "content": user}],
            "tools": tools,
        }
    tool = {"name": "look", "description": description, "parameters": {"type": "object"}}
    if dialect == "openai_responses":
        message = {"role": "user", "content": [{"type": "input_text", "text": user}]}
        return {"instructions": system, "input": [message], "tools": [{"type": "function", **tool}]}
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    return {"messages": messages, "tools": [{"type": "function", "function": tool}]}


TEXTS = st.integers(0, 2**32).map(lambda seed: bodies.text(Random(seed)))


@given(st.sampled_from(["openai_chat", "openai_responses", "anthropic"]), st.lists(TEXTS, min_size=4, max_size=4))
def test_spans_cover_every_token_once_and_an_items_tokens_are_its_text(dialect: str, texts: list[str]) -> None:
    one, two, three, four = (item(f"item{n}", text) for n, text in enumerate(texts))
    asked = body(dialect, Content((one, "\n<b>", two)), Content(("<evidence>", three)), Content((four, "!")))
    placed = place(QWEN, wire(dialect, asked))
    assert [span.start for span in placed.spans] == [0, *(span.end for span in placed.spans[:-1])]
    assert placed.spans[-1].end == len(placed.tokens.ids)
    assert all(span.start < span.end for span in placed.spans)
    assert all(before.item_id != after.item_id for before, after in pairwise(placed.spans))
    assert placed.unplaced == ()
    for each in (one, two, three):
        assert is_text_of(under(placed, each.item_id), each.text.encode())
    escaped = json.dumps(four.text, ensure_ascii=False)[1:-1]
    assert is_text_of(under(placed, four.item_id), escaped.encode())


def test_an_items_tokens_are_found_where_other_text_says_the_same() -> None:
    asked = {"messages": [{"role": "user", "content": Content(("yes\nyes\n", item("two", "yes"), "\nyes"))}]}
    placed = place(QWEN, wire("openai_chat", asked))
    (span,) = (span for span in placed.spans if span.item_id == "two")
    start = placed.prompt.encode().index(b"yes\nyes\nyes\nyes") + len("yes\nyes\n")
    assert placed.tokens.span(span.start) == (start, start + len("yes"))
    assert span.end == span.start + 1


@given(TEXTS.filter(str.strip))
def test_what_a_template_trims_is_frame(text: str) -> None:
    counter = TemplateCounter("trimming", compile_template(Source(TRIMMING)), QwenTokenizer())
    asked = {"messages": [{"role": "user", "content": Content((item("one", f" \n{text}\t "),))}]}
    placed = place(counter, wire("openai_chat", asked))
    shown = re.search(r"<\|im_start\|>user\n(.*)<\|im_end\|>\n<\|im_start\|>assistant\n\Z", placed.prompt, re.DOTALL)
    assert shown is not None
    assert is_text_of(under(placed, "one"), shown[1].encode())
    assert placed.of("one") > 0


def test_what_a_template_leaves_out_is_reported() -> None:
    render = compile_template(Source("{{ messages[-1].content }}"))
    asked = {"messages": [{"role": "user", "content": Content((item(name, f"{name}!"),))} for name in ("one", "two")]}
    placed = place(TemplateCounter("last", render, QwenTokenizer()), wire("openai_chat", asked))
    assert (placed.unplaced, [span.item_id for span in placed.spans]) == (("one",), ["two"])


def test_a_template_that_rewrites_one_text_still_places_the_others() -> None:
    shout = "{% for m in messages %}{{ 'LOUD' if m.content.startswith('loud') else m.content }}{% endfor %}"
    asked = {"messages": [{"role": "user", "content": Content((item(name, name),))} for name in ("loud", "calm")]}
    placed = place(TemplateCounter("x", compile_template(Source(shout)), QwenTokenizer()), wire("openai_chat", asked))
    assert placed.unplaced == ("loud",)
    assert under(placed, "calm") == b"calm"


@pytest.mark.parametrize("quote", ["schema", "arguments"])
def test_owned_json_is_placed_from_its_first_string_to_its_last(quote: str) -> None:
    schema = {"type": "object", "properties": {"id": {"type": "string", "description": "a \\"}}}
    call = {
        "id": "c",
        "type": "function",
        "function": {"name": "look", "arguments": Content((item("one", '{"a": "b"}'),))},
    }
    if quote == "schema":
        function = {"name": "look", "parameters": Owned("one", schema)}
        asked = {"messages": [], "tools": [{"type": "function", "function": function}]}
    else:
        asked = {"messages": [{"role": "assistant", "tool_calls": [call]}, {"role": "user", "content": "?"}]}
    placed = place(QWEN, wire("openai_chat", asked))
    assert placed.unplaced == ()
    expected = json.dumps(schema) if quote == "schema" else '{"a": "b"}'
    assert is_text_of(under(placed, "one"), expected.strip("{}").strip('"').encode())


def test_a_border_token_belongs_to_the_one_its_first_byte_is_from() -> None:
    asked = {"messages": [{"role": "user", "content": Content((item("one", "Hel"), item("two", "lo there")))}]}
    placed = place(QWEN, wire("openai_chat", asked))
    assert [(span.item_id, under(placed, span.item_id)) for span in placed.spans if span.item_id != FRAME] == [
        ("one", b"Hello"),
        ("two", b" there"),
    ]
