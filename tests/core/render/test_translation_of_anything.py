"""Any prompt at all is said whole and legally in another dialect, or refused by a rule; nothing ever crashes."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from callsheet.core.render.translate import LEFT_OUT, for_dialect
from callsheet.model.message import (
    CacheMark,
    CallBlock,
    CompactionBlock,
    MediaBlock,
    Message,
    NativeBlock,
    ResultBlock,
    SourceBlock,
    TextBlock,
    ThinkingBlock,
    ToolChangeBlock,
    ToolDefinition,
)
from callsheet.model.policy import ModelTraits
from callsheet.model.prompt import OutputSchema, Prompt, ToolChoice
from callsheet.model.verdict import RULES

from .translating import DIALECTS, kinds, sent

NATIVE = st.sampled_from([{}, {}, {"x": 1}, {":snake": ("thoughtSignature",)}])
MARKS = st.sampled_from([None, None, CacheMark(), CacheMark("1h")])
SEALS = st.sampled_from([None, "c2VhbA=="])
TYPES = st.sampled_from(["", "", "refusal", "output_text", "web_search_call", "custom", "tool_reference", "toolCall"])
WORDS = st.sampled_from(["", "a", "b.", "c", "{"])
RARELY = st.sampled_from([False, False, False, True])
IDS = st.sampled_from([None, "c1", "c2", "not an id!"])
VALUES = st.sampled_from([None, {}, {"output": "x"}, {"error": "x"}, {"a": [1]}, [1], "x", 1])
BESIDE = {"type": TYPES, "signature": SEALS, "cache": MARKS, "native": NATIVE}
TEXT = st.builds(TextBlock, text=WORDS, **BESIDE)
DATA = {"media_type": "image/png", "data": "aGk="}
GIVEN = [
    DATA,
    DATA,
    {"url": "https://example.org/a.png"},
    {"url": "data:image/png;base64,aGk="},
    {"media": "document", "media_type": "application/pdf", "data": "aGk="},
    {"media": "document", "data": "data:application/pdf;base64,aGk=", "title": "t"},
    {"media": "document", "url": "https://example.org/a.pdf"},
    {"media": "document", "media_type": "text/plain", "data": "aGk="},
    {"media": "document", "media_type": "text/plain", "data": "!"},
    {"media": "document", "text": "words", "title": "t"},
    {"media": "document", "blocks": (TextBlock("words"), MediaBlock(**DATA))},
    {"media": "audio", "media_type": "wav", "data": "aGk="},
    {"media": "audio", "media_type": "audio/ogg", "data": "aGk="},
    {"media": "video", "media_type": "video/mp4", "data": "aGk="},
    {"file_id": "file-1"},
    {"url": "gs://bucket/a"},
    {"title": "t", "detail": "low", **DATA},
    {},
]
MEDIA = st.builds(
    lambda given, beside: MediaBlock(**given, **beside), st.sampled_from(GIVEN), st.fixed_dictionaries(BESIDE)
)
PARTS = (
    TEXT
    | TEXT
    | TEXT
    | MEDIA
    | st.builds(SourceBlock, source=WORDS, title=WORDS, blocks=st.lists(TEXT, max_size=1).map(tuple))
)
CHANGE = st.builds(
    ToolChangeBlock,
    added=st.booleans(),
    names=st.just(("search",)),
    definitions=st.none() | st.just((ToolDefinition("search", schema={"type": "object"}),)),
    **BESIDE,
)
BLOCKS = (
    PARTS
    | CHANGE
    | st.builds(ThinkingBlock, text=st.none() | WORDS, encrypted=SEALS, id=IDS, **BESIDE)
    | st.builds(
        CallBlock,
        id=IDS,
        name=st.sampled_from(["search", "send"]),
        arguments=VALUES,
        written=st.sampled_from([None, "", "{}", "free text"]),
        server=RARELY,
        **BESIDE,
    )
    | st.builds(
        ResultBlock,
        call_id=IDS,
        blocks=st.lists(PARTS, max_size=2).map(tuple),
        form=st.sampled_from(["text", "blocks", "object", "null", "absent"]),
        value=VALUES,
        is_error=st.sampled_from([None, True, False]),
        name=st.sampled_from([None, "search", "send"]),
        server=RARELY,
        **BESIDE,
    )
    | st.builds(CompactionBlock, text=WORDS, **BESIDE)
    | st.builds(CompactionBlock, encrypted=SEALS)
    | st.builds(NativeBlock, fields=st.just({"type": "odd"}), known=st.booleans(), type=TYPES)
)
ROLES = st.sampled_from(["system", "developer", "user", "user", "assistant", "assistant", "tool"])
NAMED = {"name": st.sampled_from([None, "n"]), "native": st.sampled_from([{}, {}, {"x": 1}])}
MESSAGES = st.builds(
    Message,
    role=ROLES,
    blocks=st.lists(BLOCKS, max_size=3).map(tuple),
    form=st.sampled_from(["text", "blocks", "null", "absent"]),
    **NAMED,
)
ASKED = [
    Message("assistant", (TextBlock("so"), CallBlock(id="a", name="search", arguments={"q": 1}))),
    Message("tool", (ResultBlock(call_id="a", blocks=(TextBlock("found"),)),)),
]
FRAMED = st.builds(
    lambda first, between, asked, last: (first, *between, *asked, last),
    st.builds(Message, role=st.just("user"), blocks=st.lists(TEXT, min_size=1, max_size=2).map(tuple), **NAMED),
    st.lists(st.builds(Message, role=ROLES, blocks=st.lists(PARTS, max_size=2).map(tuple), **NAMED), max_size=2),
    st.sampled_from([[], ASKED]),
    st.builds(Message, role=st.just("user"), blocks=st.lists(PARTS, min_size=1, max_size=2).map(tuple), **NAMED),
)
HISTORIES = st.lists(MESSAGES, max_size=4).map(tuple) | FRAMED
TOOLS = st.builds(
    ToolDefinition,
    name=st.sampled_from(["search", "send"]),
    schema=st.sampled_from([None, {"type": "object"}, {"type": "OBJECT"}]),
    type=st.sampled_from(["", "", "web_search"]),
    strict=st.sampled_from([None, True]),
    deferred=st.sampled_from([None, True]),
    cache=MARKS,
    native=st.sampled_from([{}, {":schema": "parameters"}, {"type": "web_search"}]),
)
PROMPTS = st.builds(
    Prompt,
    model=st.sampled_from([None, "m"]),
    messages=HISTORIES,
    system=st.lists(TEXT, max_size=2).map(tuple) | st.lists(BLOCKS, max_size=1).map(tuple),
    system_form=st.sampled_from(["text", "blocks", "absent"]),
    tools=st.none() | st.lists(TOOLS, max_size=2).map(tuple),
    choice=st.sampled_from(
        [None, ToolChoice("any"), ToolChoice("tool", ("search",)), ToolChoice("allowed", ("search", "send"), True)]
    ),
    output=st.sampled_from([None, OutputSchema({"type": "object"})]),
    max_output=st.sampled_from([None, 9]),
    parameters=st.sampled_from([{}, {}, {"temperature": 1}, {"previous_response_id": "r"}]),
)
TRAITS = st.builds(
    ModelTraits,
    system_turns=st.booleans(),
    prefill=st.booleans(),
    schema_with_tools=st.booleans(),
    signed_calls=st.booleans(),
)


def numbered(value: Any, numbers: Iterator[int]) -> Any:
    """The prompt, message or block with each of its texts marked by a number of its own."""
    if isinstance(value, TextBlock):
        return replace(value, text=f"<{next(numbers)}>")
    if isinstance(value, tuple):
        return tuple(numbered(each, numbers) for each in value)
    if isinstance(value, ThinkingBlock) or (isinstance(value, CallBlock | ResultBlock) and value.server):
        return value
    kept = {
        key: numbered(inner, numbers)
        for key in ("blocks", "messages", "system")
        if (inner := getattr(value, key, None))
    }
    return replace(value, **kept) if kept else value


def ours(prompt: Prompt, kind: type[CallBlock] | type[ResultBlock]) -> list[Any]:
    """The calls or the results that are not the provider's own."""
    return [each for one in prompt.messages for each in one.blocks if isinstance(each, kind) and not each.server]


@pytest.mark.parametrize("target", DIALECTS)
@given(prompt=PROMPTS, traits=TRAITS)
def test_anything_at_all_is_said_whole_and_legally_or_refused_by_a_rule(
    target: str, prompt: Prompt, traits: ModelTraits
) -> None:
    texts = count()
    prompt = numbered(prompt, texts)
    translated = for_dialect(prompt, target, traits)  # type: ignore[arg-type]
    assert {*kinds(translated)} <= {*LEFT_OUT}
    refusal = translated.refusal or DIALECTS[target].illegal(translated.prompt, traits)
    event(refusal.rule if refusal else "said")
    if refusal is not None:
        assert refusal.rule in RULES
        return
    written = sent(target, translated.prompt)
    again = DIALECTS[target].decode(written)
    assert again.unknown == ()
    assert DIALECTS[target].illegal(again, traits) is None
    assert sent(target, again) == written
    for number in range(next(texts)):
        assert json.dumps(written).count(f"<{number}>") == 1
    assert [each.name for each in ours(again, CallBlock)] == [each.name for each in ours(prompt, CallBlock)]
    assert len(ours(again, ResultBlock)) == len(ours(prompt, ResultBlock))


@pytest.mark.parametrize("dialect", DIALECTS)
@given(prompt=PROMPTS, traits=TRAITS)
def test_a_prompt_that_was_not_translated_is_written_or_refused_by_a_rule(
    dialect: str, prompt: Prompt, traits: ModelTraits
) -> None:
    refusal = DIALECTS[dialect].illegal(prompt, traits)
    event(refusal.rule if refusal else "said")
    if refusal is None:
        DIALECTS[dialect].decode(sent(dialect, prompt))
