"""Responses legality: each documented rule from both sides, and a checker of its own for random histories."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from callsheet.core.render.openai_responses import OPENAI_RESPONSES
from callsheet.core.render.openai_responses.schema import not_strict
from callsheet.core.render.writer import segments
from callsheet.model.content import Owned
from callsheet.model.message import (
    Block,
    CacheMark,
    CallBlock,
    CompactionBlock,
    MediaBlock,
    Message,
    NativeBlock,
    ResultBlock,
    TextBlock,
    ThinkingBlock,
    ToolChangeBlock,
    ToolDefinition,
)
from callsheet.model.policy import ModelTraits
from callsheet.model.prompt import OutputSchema, Prompt, ToolChoice

STRICT = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
LOOSE = {**STRICT, "required": []}


def body(prompt: Prompt) -> dict[str, Any]:
    tree = OPENAI_RESPONSES.encode(prompt)
    written: dict[str, Any] = json.loads(b"".join(each.data for each in segments(tree)))
    return written


def rule(prompt: Prompt, traits: ModelTraits = ModelTraits(interleaved_calls=True)) -> str | None:
    verdict = OPENAI_RESPONSES.illegal(prompt, traits)
    return verdict.rule if verdict else None


def said(*items: Mapping[str, Any], **more: Any) -> Prompt:
    return OPENAI_RESPONSES.decode({"input": list(items), **more})


def call(call_id: str, kind: str = "function_call", **more: Any) -> dict[str, Any]:
    value = {"function_call": {"name": "f", "arguments": "{}"}, "custom_tool_call": {"name": "s", "input": "x"}}
    return {"type": kind, "call_id": call_id, **value.get(kind, {"action": {}}), **more}


def output(call_id: str, kind: str = "function_call") -> dict[str, Any]:
    return {"type": f"{kind}_output", "call_id": call_id, "output": "ok"}


USER = {"role": "user", "content": "Hi"}
SPOKEN = {"role": "assistant", "content": "Hm"}
SOUND = {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": []}
SEARCHED = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
FUNCTIONS = [{"type": "function", "name": "f", "parameters": STRICT}]
MARK = {"mode": "explicit", "ttl": "30m"}
ALLOWED = {"type": "allowed_tools", "mode": "auto"}
NAMESPACE = {"type": "namespace", "name": "crm", "description": "", "tools": [{"type": "function", "name": "g"}]}


def text(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "text": "x", **more}


def schema(value: Any, strict: bool = True) -> dict[str, Any]:
    return {"format": {"type": "json_schema", "name": "n", "schema": value, "strict": strict}}


CASES: list[tuple[str | None, Prompt]] = [
    (None, said(USER)),
    (None, OPENAI_RESPONSES.decode({"input": "Hi"})),
    (None, said({"role": "system", "content": "x"}, USER, {"role": "developer", "content": "y"})),
    ("prompt-empty", said()),
    ("prompt-empty", said(instructions="Be brief.")),
    (None, said(previous_response_id="resp_1")),
    (None, said(prompt={"id": "pmpt_1"})),
    ("option-conflict", said(USER, previous_response_id="resp_1", conversation="conv_1")),
    (None, said(USER, previous_response_id="resp_1", conversation=None)),
    # calls and results
    (None, said(USER, call("a"), call("b"), output("b"), USER, output("a"))),
    ("call-unanswered", said(USER, call("a"), call("b"), output("b"), USER)),
    ("call-unanswered", said(USER, call("a"))),
    ("result-without-call", said(USER, output("a"))),
    ("result-without-call", said(USER, output("a"), call("a"))),
    ("result-without-call", said(USER, call("a"), output("a"), output("a"))),
    (None, said(output("a"), previous_response_id="resp_1")),
    (None, said(output("a"), conversation={"id": "conv_1"})),
    (None, said({"type": "item_reference", "id": "fc_1"}, output("a"))),
    ("result-without-call", said(output("a"), output("a"), previous_response_id="resp_1")),
    ("result-without-call", said(USER, call("a", "custom_tool_call"), output("a"))),
    ("result-without-call", said(USER, call("a"), output("a", "custom_tool_call"))),
    (None, said(USER, call("a", "custom_tool_call"), output("a", "custom_tool_call"))),
    (None, said(USER, call("a", "shell_call"), {**output("a", "shell_call"), "output": []})),
    (None, said(USER, SEARCHED, SPOKEN, USER)),
    (
        "call-unanswered",
        said(USER, {"type": "tool_search_call", "call_id": "t", "execution": "client", "arguments": {}}),
    ),
    (None, said(USER, {"type": "tool_search_call", "call_id": None, "execution": "server", "arguments": {}})),
    ("duplicate-id", said(USER, call("a"), output("a"), call("a"), output("a"))),
    ("duplicate-id", said(USER, {"type": "function_call", "name": "f", "arguments": "{}"})),
    # reasoning
    (None, said(USER, THOUGHT, SPOKEN, USER)),
    (None, said(USER, THOUGHT, call("a"), output("a"))),
    (None, said(USER, THOUGHT, {**THOUGHT, "id": "rs_2"}, SEARCHED, SPOKEN, USER)),
    ("thinking-broken", said(USER, THOUGHT)),
    ("thinking-broken", said(USER, THOUGHT, USER)),
    ("thinking-broken", said(USER, call("a"), THOUGHT, output("a"))),
    ("block-misplaced", said(USER, {"type": "reasoning", "summary": []}, SPOKEN, USER)),
    # ids and order
    ("duplicate-id", said(USER, THOUGHT, SPOKEN, THOUGHT, SPOKEN, USER)),
    ("duplicate-id", said(USER, {**SPOKEN, "id": "msg_1"}, {**SPOKEN, "id": "msg_1"}, USER)),
    ("duplicate-id", said(USER, SEARCHED, SEARCHED, USER)),
    (None, said(USER, {**SPOKEN, "id": "msg_1"}, {**SPOKEN, "id": "msg_2"}, USER)),
    (None, said(USER, {"type": "compaction_trigger"})),
    ("block-misplaced", said({"type": "compaction_trigger"}, USER)),
    ("prefill-refused", said(USER, SPOKEN)),
    # contents
    (None, said({"role": "user", "content": [text("input_text"), {"type": "input_image", "image_url": "https://x"}]})),
    ("block-misplaced", said({"role": "user", "content": [text("output_text")]})),
    ("block-misplaced", said(USER, call("a"), {**output("a"), "output": [SOUND]})),
    (None, said({"role": "user", "content": [SOUND]})),
    ("block-misplaced", said({"role": "developer", "content": [{"type": "refusal", "refusal": "x"}]})),
    ("block-misplaced", said(USER, {"role": "assistant", "content": [text("input_text")]}, USER)),
    (
        None,
        said(USER, {"role": "assistant", "content": [text("output_text"), {"type": "refusal", "refusal": "x"}]}, USER),
    ),
    ("block-misplaced", said(USER, {"role": "assistant", "content": [{"type": "input_image", "file_id": "f"}]}, USER)),
    ("block-misplaced", said({"role": "system", "content": [{"type": "input_image", "file_id": "f"}]}, USER)),
    # cache marks
    (None, said({"role": "user", "content": [text("input_text", prompt_cache_breakpoint=MARK)]})),
    (None, said(call("a"), {**output("a"), "output": [text("input_text", prompt_cache_breakpoint=MARK)]})),
    (
        "cache-marks",
        said({"role": "user", "content": [text("input_text", prompt_cache_breakpoint={**MARK, "ttl": "5m"})]}),
    ),
    (
        "cache-marks",
        said(USER, {"role": "assistant", "content": [text("output_text", prompt_cache_breakpoint=MARK)]}, USER),
    ),
    # tools
    (None, said(USER, tools=FUNCTIONS, tool_choice={"type": "function", "name": "f"})),
    ("tool-undefined", said(USER, tools=FUNCTIONS, tool_choice={"type": "function", "name": "g"})),
    (None, said(USER, tools=FUNCTIONS, tool_choice={**ALLOWED, "tools": [{"type": "function", "name": "f"}]})),
    (
        "tool-undefined",
        said(USER, tools=FUNCTIONS, tool_choice={**ALLOWED, "tools": [{"type": "function", "name": "g"}]}),
    ),
    ("tool-undefined", said(USER, tools=FUNCTIONS, tool_choice={**ALLOWED, "tools": []})),
    ("tool-undefined", said(USER, tool_choice="required")),
    (None, said(USER, tool_choice="auto")),
    (None, said(USER, tools=[{"type": "mcp", "server_label": "w"}], tool_choice={"type": "mcp", "server_label": "w"})),
    ("tool-undefined", said(USER, tools=FUNCTIONS, tool_choice={"type": "mcp", "server_label": "w"})),
    (None, said(USER, tools=[NAMESPACE], tool_choice={"type": "function", "name": "g"})),
    (
        None,
        said(
            {"type": "additional_tools", "role": "developer", "tools": FUNCTIONS},
            USER,
            tool_choice={"type": "function", "name": "f"},
        ),
    ),
    ("tool-undefined", said(USER, tools=FUNCTIONS * 2)),
    ("tool-undefined", said(USER, tools=[{"type": "function", "name": "a b", "parameters": {}}])),
    ("tool-undefined", said(USER, tools=[{**NAMESPACE, "tools": NAMESPACE["tools"] * 2}])),  # type: ignore[operator]
    # schemas
    (None, said(USER, text=schema(STRICT))),
    (None, said(USER, text=schema(LOOSE, strict=False))),
    ("schema-not-strict", said(USER, text=schema(LOOSE))),
    ("schema-not-strict", said(USER, tools=[{"type": "function", "name": "f", "parameters": LOOSE, "strict": True}])),
]


@pytest.mark.parametrize(("expected", "prompt"), CASES)
def test_a_prompt_is_legal_or_refused_by_the_rule_it_breaks(expected: str | None, prompt: Prompt) -> None:
    assert rule(prompt) == expected


FOREIGN = [
    CallBlock(id="s", name="web_search", server=True, type="server_tool_use"),
    ResultBlock(call_id="s", server=True, type="web_search_tool_result"),
    ThinkingBlock(text="Hm", signature="sealed by another"),
    CompactionBlock(text="a summary"),
    ToolChangeBlock(added=False, names=("f",)),
    ToolChangeBlock(names=("f",)),
]


@pytest.mark.parametrize("block", FOREIGN, ids=lambda block: type(block).__name__)
def test_a_block_of_another_provider_that_no_item_can_say_is_refused(block: Block) -> None:
    user = Message("user", (TextBlock("Hi"),), "text")
    assert rule(Prompt(messages=(user, Message("assistant", (block,)), user))) == "block-misplaced"


def test_a_mark_on_a_tool_is_refused_and_one_on_the_instructions_is_not() -> None:
    user = Message("user", (TextBlock("Hi"),), "text")
    assert rule(Prompt(messages=(user,), tools=(ToolDefinition("f", cache=CacheMark()),))) == "cache-marks"
    assert rule(Prompt(messages=(user,), system=(TextBlock("x", cache=CacheMark()),))) is None


def test_a_model_that_continues_the_assistants_words_may_be_given_them() -> None:
    assert rule(said(USER, SPOKEN), ModelTraits(prefill=True)) is None


@pytest.mark.parametrize("words", [SPOKEN, USER])
def test_nothing_is_said_between_a_call_and_its_result_unless_the_model_takes_it(words: Any) -> None:
    between = said(USER, call("a"), words, call("b"), output("a"), output("b"))
    assert rule(between, ModelTraits()) == "call-unanswered"
    assert rule(between, ModelTraits(interleaved_calls=True)) is None
    assert rule(said(USER, words, call("a"), call("b"), output("b"), output("a"), USER), ModelTraits()) is None


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({}, None),
        ({"type": "array"}, "root"),
        ({"anyOf": [STRICT]}, "root"),
        ({"additionalProperties": True}, "additionalProperties"),
        ({"properties": {"a": {"type": "array", "items": LOOSE}}}, "'a' optional at its root.a.items"),
        ({"properties": {"a": {"anyOf": [{"type": "null"}, LOOSE]}}}, "anyOf"),
        ({"$defs": {"d": LOOSE}}, "'a' optional at its root.d"),
        ({"properties": {Owned("i", "a"): {"type": Owned("i", "string")}}}, None),
        ({"properties": {Owned("i", "b"): {}}}, "'b' optional"),
    ],
)
def test_strict_mode_wants_closed_objects_with_every_property_required(change: dict[str, Any], why: str | None) -> None:
    found = not_strict({**STRICT, **change})
    assert found is None if why is None else why in str(found)


# A checker of its own, over the JSON that is sent, written from the documentation alone.

CALLS = {"function_call", "custom_tool_call", "shell_call"}
PRODUCED = CALLS | {"web_search_call", "reasoning", "compaction"}


def broken(sent: Mapping[str, Any]) -> str | None:
    """The documented rule of the Responses API that this body breaks, in words, or None."""
    items = sent.get("input", [])
    stored = "previous_response_id" in sent or "conversation" in sent
    if "previous_response_id" in sent and "conversation" in sent:
        return "two states"
    if isinstance(items, str) or (not items and stored):
        return None
    if not items:
        return "nothing to answer"
    stored = stored or any(item.get("type") == "item_reference" for item in items)
    return _bad_places(items) or _bad_ids(items) or _bad_pairs(items, stored)


def _bad_places(items: list[dict[str, Any]]) -> str | None:
    for item, after in zip(items, [*items[1:], {}], strict=True):
        produced = after.get("type") in PRODUCED | {"item_reference"} or after.get("role") == "assistant"
        if item.get("type") == "reasoning" and not produced:
            return "reasoning without what it produced"
        if item.get("type") == "compaction_trigger" and after:
            return "trigger not last"
        content = item.get("content") if item.get("role") else None
        for part in content if isinstance(content, list) else ():
            wanted = ("output_text", "refusal") if item["role"] == "assistant" else ("input_text", "input_image")
            if part["type"] not in wanted or (item["role"] == "system" and part["type"] == "input_image"):
                return "part of the wrong kind"
    return "prefill" if items[-1].get("role") == "assistant" else None


def _bad_ids(items: list[dict[str, Any]]) -> str | None:
    ids = [item["id"] for item in items if "id" in item and item.get("type") != "item_reference"]
    return "an id twice" if len(ids) != len(set(ids)) else None


def _bad_pairs(items: list[dict[str, Any]], stored: bool) -> str | None:
    kinds = [(item.get("type", ""), item.get("call_id")) for item in items]
    made = [call_id for kind, call_id in kinds if kind in CALLS]
    if len(made) != len(set(made)):
        return "a call id twice"
    for at, (kind, call_id) in enumerate(kinds):
        if kind in CALLS and kinds.count((f"{kind}_output", call_id)) != 1:
            return "a call without its one answer"
        if kind.endswith("_output"):
            before = [k for k, c in kinds[:at] if c == call_id and k in CALLS]
            if before != [kind.removesuffix("_output")] and (before or not stored or call_id in made):
                return "an answer without its call"
            if sum(c == call_id for k, c in kinds if k.endswith("_output")) > 1:
                return "two answers"
    return None


IDS = st.sampled_from(["a", "b", "c"])
KINDS = st.sampled_from(["", "custom_tool_call", "shell_call"])


@st.composite
def blocks(draw: st.DrawFn) -> tuple[str, Block]:
    """One block and the role that says it, right or wrong."""
    which = draw(st.integers(0, 11))
    kind = draw(KINDS)
    written = "{}" if kind != "shell_call" else None
    if which <= 2:
        arguments = {} if kind in ("", "shell_call") else None
        return "assistant", CallBlock(id=draw(IDS), name="f", arguments=arguments, written=written, type=kind)
    if which <= 5:
        answer = kind and f"{kind}_output"
        return "tool", ResultBlock(call_id=draw(IDS), blocks=(TextBlock("ok"),), type=answer)
    if which <= 7:
        return draw(st.sampled_from(["user", "assistant", "system", "developer"])), TextBlock("x")
    if which == 8:
        return "assistant", ThinkingBlock(id=draw(IDS), summary=())
    if which == 9:
        return draw(st.sampled_from(["user", "user", "assistant", "system"])), MediaBlock("image", url="https://x")
    if which == 10:
        return "assistant", CallBlock(id=draw(IDS), name="web_search", server=True, type="web_search_call")
    kept = draw(st.sampled_from(["compaction_trigger", "item_reference"]))
    native = NativeBlock(type=kept, fields={"type": kept, **({"id": "z"} if kept == "item_reference" else {})})
    return draw(st.sampled_from([("user", native), ("assistant", CompactionBlock(encrypted="S"))]))


@st.composite
def histories(draw: st.DrawFn) -> Prompt:
    """Histories with whatever in whatever order, neighbours of one role sometimes in one message."""
    messages: list[Message] = []
    for role, block in draw(st.lists(blocks(), max_size=6)):
        native = isinstance(block, NativeBlock)
        if (
            messages
            and messages[-1].role == role
            and messages[-1].form != "absent"
            and not native
            and draw(st.booleans())
        ):
            messages[-1] = replace(messages[-1], blocks=(*messages[-1].blocks, block))
        else:
            messages.append(Message(role, (block,), "absent" if native else "blocks"))  # type: ignore[arg-type]
    state = draw(st.sampled_from([{}, {}, {}, {"previous_response_id": "r"}, {"conversation": "c"}]))
    return Prompt(messages=tuple(messages), parameters=state)


@settings(max_examples=400)
@given(histories())
def test_a_random_history_is_refused_exactly_where_the_documented_rules_are_broken(prompt: Prompt) -> None:
    refused = rule(prompt)
    found = broken(body(prompt))
    event(f"{refused} / {found}")
    assert (refused is None) == (found is None), (refused, found)


@st.composite
def legal_rounds(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Rounds of a well-behaved agent: reasoning, words, parallel calls, answers in any order with turns in between."""
    items: list[dict[str, Any]] = [USER]
    for at in range(draw(st.integers(0, 3))):
        made = [call(f"{at}.{n}", draw(st.sampled_from(sorted(CALLS)))) for n in range(draw(st.integers(1, 3)))]
        thought = {"type": "reasoning", "id": f"rs_{at}", "summary": []}
        items += [thought] * draw(st.booleans()) + [{**SPOKEN, "id": f"msg_{at}"}] * draw(st.booleans()) + made
        for each in draw(st.permutations(made)):
            items += [{**USER, "role": draw(st.sampled_from(["user", "developer", "system"]))}] * draw(st.booleans())
            items.append(output(each["call_id"], each["type"]))
    return items


@given(legal_rounds())
def test_a_well_behaved_history_is_never_refused(items: list[dict[str, Any]]) -> None:
    prompt = said(*items, tools=FUNCTIONS)
    assert broken(body(prompt)) is None
    assert rule(prompt) is None


@given(legal_rounds(), st.data())
def test_a_history_with_one_item_taken_out_is_judged_as_the_checker_judges_it(
    items: list[dict[str, Any]], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(items) - 1))
    prompt = said(*items[:at], *items[at + 1 :])
    assert (rule(prompt) is None) == (broken(body(prompt)) is None)


def test_a_choice_that_only_parallelism_is_said_of_needs_no_tools() -> None:
    assert rule(replace(said(USER), choice=ToolChoice("", parallel=False))) is None


def test_a_prompt_of_the_engines_own_is_legal() -> None:
    prompt = Prompt(
        messages=(Message("user", (TextBlock("Hi"),), "text"),),
        system=(TextBlock("Be brief."),),
        system_form="text",
        output=OutputSchema(STRICT),
    )
    assert rule(prompt) is None
