"""Responses items: every documented type is read into typed blocks and written back as it came."""

import json
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.render.openai_responses import OPENAI_RESPONSES
from callsheet.core.render.openai_responses.items import CALLS, NATIVE, RESULTS
from callsheet.core.render.writer import segments
from callsheet.model.content import Content
from callsheet.model.message import (
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
from callsheet.model.prompt import OutputSchema, Prompt, ToolChoice

FUNCTION = {"type": "function", "name": "f", "parameters": {"type": "object"}, "strict": False, "defer_loading": True}
NAMESPACE = {"type": "namespace", "name": "crm", "description": "d", "tools": [{"type": "function", "name": "g"}]}
DIRECT = {"type": "direct"}
ITEMS: list[dict[str, Any]] = [
    {"role": "user", "content": "Hi"},
    {"role": "user", "content": ""},
    {"role": "developer", "content": [{"type": "input_text", "text": "x"}]},
    {"type": "message", "role": "system", "content": [], "status": "completed"},
    {"role": "assistant", "content": "Hm", "phase": "commentary"},
    {"role": "assistant", "content": "Hm"},
    {"role": "assistant", "content": []},
    {"role": "assistant", "content": [{"type": "output_text", "text": "Hm"}, {"type": "refusal", "refusal": "x"}]},
    {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "phase": "final_answer",
        "content": [
            {"type": "output_text", "text": "a", "annotations": [{"type": "file_path", "file_id": "f", "index": 0}]},
            {"type": "output_text", "text": "b", "annotations": [], "logprobs": []},
            {"type": "refusal", "refusal": "No."},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "input_text", "text": "t", "prompt_cache_breakpoint": {"mode": "explicit", "ttl": "12h"}},
            {"type": "input_text", "text": "t", "prompt_cache_breakpoint": None},
            {"type": "input_image", "image_url": "https://x/y.png", "detail": "high"},
            {"type": "input_image", "file_id": "file_1", "image_url": None, "detail": None},
            {"type": "input_file", "file_data": "data:,x", "filename": "x.txt"},
            {"type": "input_file", "file_url": "https://x/z.pdf", "prompt_cache_breakpoint": {"mode": "explicit"}},
            {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
        ],
    },
    {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "s"}],
        "content": [{"type": "reasoning_text", "text": "r"}],
        "encrypted_content": "gAAA",
        "status": "completed",
    },
    {"type": "reasoning", "id": "rs_2", "summary": [], "content": None, "encrypted_content": None},
    {
        "type": "function_call",
        "call_id": "c1",
        "name": "f",
        "arguments": '{"a": 1}',
        "id": "fc_1",
        "status": "completed",
    },
    {"type": "function_call", "call_id": "c2", "name": "f", "arguments": "{", "namespace": "crm", "caller": DIRECT},
    {"type": "function_call_output", "call_id": "c1", "output": "ok", "id": None, "status": "completed"},
    {"type": "function_call_output", "call_id": "c2", "name": "f", "output": [{"type": "input_text", "text": "ok"}]},
    {"type": "custom_tool_call", "call_id": "c3", "name": "sql", "input": "select 1", "async": True},
    {"type": "custom_tool_call_output", "call_id": "c3", "output": "1", "caller": DIRECT},
    {"type": "local_shell_call", "id": "l1", "call_id": "l1", "status": "completed", "action": {"type": "exec"}},
    {"type": "local_shell_call_output", "id": "l1", "output": "{}", "status": None},
    {"type": "shell_call", "call_id": "s1", "action": {"commands": ["ls"], "timeout_ms": 1}, "environment": None},
    {
        "type": "shell_call_output",
        "call_id": "s1",
        "output": [{"stdout": "", "stderr": "", "outcome": {"type": "exit"}}],
    },
    {"type": "apply_patch_call", "call_id": "p1", "status": "completed", "operation": {"type": "delete_file"}},
    {"type": "apply_patch_call_output", "call_id": "p1", "status": "failed", "output": "no"},
    {"type": "apply_patch_call_output", "call_id": "p2", "status": "completed"},
    {"type": "computer_call", "id": "i", "call_id": "k1", "action": {"type": "wait"}, "pending_safety_checks": []},
    {"type": "computer_call", "id": "j", "call_id": "k2", "actions": [{"type": "wait"}], "status": "completed"},
    {
        "type": "computer_call_output",
        "call_id": "k1",
        "output": {"type": "computer_screenshot", "image_url": "data:image/png;base64,AA"},
        "acknowledged_safety_checks": [],
    },
    {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "q"}},
    {"type": "web_search_call", "id": "ws_2", "status": "completed"},
    {"type": "file_search_call", "id": "fs_1", "status": "completed", "queries": ["q"], "results": None},
    {
        "type": "code_interpreter_call",
        "id": "ci_1",
        "code": "1+1",
        "container_id": "x",
        "outputs": [],
        "status": "completed",
    },
    {"type": "code_interpreter_call", "id": "ci_2", "code": None, "container_id": "x", "outputs": None},
    {"type": "image_generation_call", "id": "ig_1", "result": "AAAA", "status": "completed", "revised_prompt": "p"},
    {
        "type": "mcp_list_tools",
        "id": "ml_1",
        "server_label": "w",
        "tools": [{"name": "t", "input_schema": {}}],
        "error": None,
    },
    {
        "type": "mcp_call",
        "id": "mc_1",
        "server_label": "w",
        "name": "t",
        "arguments": "{}",
        "output": "o",
        "error": None,
    },
    {"type": "mcp_approval_request", "id": "ma_1", "server_label": "w", "name": "t", "arguments": "{}"},
    {"type": "mcp_approval_response", "approval_request_id": "ma_1", "approve": False, "reason": "no", "id": None},
    {"type": "tool_search_call", "call_id": None, "execution": "server", "arguments": {"paths": ["crm"]}, "id": "t1"},
    {"type": "tool_search_output", "call_id": None, "execution": "server", "tools": [NAMESPACE], "status": "completed"},
    {"type": "tool_search_call", "call_id": "ts", "execution": "client", "arguments": {"q": 1}, "status": "completed"},
    {"type": "tool_search_output", "call_id": "ts", "execution": "client", "tools": [FUNCTION]},
    {"type": "additional_tools", "role": "developer", "tools": [FUNCTION, {"type": "web_search", "filters": None}]},
    {"type": "configuration_update", "reasoning": {"effort": "low"}},
    {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"},
    {"type": "compaction", "encrypted_content": "gAAA", "id": None},
    {"type": "compaction_trigger"},
    {"type": "item_reference", "id": "msg_9"},
    {"id": "msg_9"},
    {"type": "program", "id": "pr_1", "call_id": "pc", "code": "x", "fingerprint": "y"},
    {"type": "program_output", "id": "po_1", "call_id": "pc", "result": "z", "status": "completed"},
]
BODIES: list[dict[str, Any]] = [
    {"input": "Hi"},
    {"input": ""},
    {"input": None, "model": None, "instructions": None, "stream": None, "tools": None, "max_output_tokens": None},
    {"input": [], "previous_response_id": "resp_1", "store": False},
    {"conversation": {"id": "conv_1"}, "tools": [], "instructions": "Be brief.", "truncation": "auto"},
    {"input": "x", "tools": [FUNCTION, NAMESPACE, {"type": "mcp", "server_label": "w", "server_url": "https://w"}]},
    {"input": "x", "tools": [{"type": "custom", "name": "sql", "format": {"type": "text"}}, {"type": "tool_search"}]},
    {"input": "x", "tool_choice": "required", "parallel_tool_calls": False},
    {"input": "x", "tool_choice": "auto", "parallel_tool_calls": None},
    {"input": "x", "parallel_tool_calls": True},
    {"input": "x", "tool_choice": {"type": "function", "name": "f"}},
    {"input": "x", "tool_choice": {"type": "custom", "name": "sql"}},
    {"input": "x", "tool_choice": {"type": "mcp", "server_label": "w", "name": None}},
    {"input": "x", "tool_choice": {"type": "web_search_preview"}},
    {
        "input": "x",
        "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "f"}]},
    },
    {
        "input": "x",
        "tool_choice": {
            "type": "allowed_tools",
            "mode": "required",
            "tools": [{"type": "mcp", "server_label": "w"}, {"type": "image_generation"}],
        },
    },
    {"input": "x", "tool_choice": {"type": "allowed_tools", "mode": "sometimes", "tools": []}},
    {"input": "x", "text": {"format": {"type": "json_schema", "name": "n", "schema": {}, "strict": True}}},
    {"input": "x", "text": {"verbosity": "low", "format": {"type": "json_schema", "name": "n", "schema": {}}}},
    {"input": "x", "text": {"format": {"type": "json_schema", "name": "n", "schema": {}, "strict": None}}},
    {"input": "x", "text": {"format": {"type": "json_object"}, "verbosity": "high"}},
    {"input": "x", "reasoning": {"effort": "low"}, "include": ["reasoning.encrypted_content"], "max_output_tokens": 16},
    {"input": "x", "prompt_cache_options": {"mode": "explicit"}, "context_management": [{"type": "compaction"}]},
]
LEAVES = st.sampled_from([None, True, 0, 1.5, "", "ż", "completed", "message", "assistant"])
KEYS = st.sampled_from(["type", "text", "id", "mode", "role", "x"])
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=2), max_leaves=4
)


def body(prompt: Prompt) -> Any:
    return json.loads(b"".join(each.data for each in segments(OPENAI_RESPONSES.encode(prompt))))


def items(*messages: Message) -> Any:
    return body(Prompt(messages=messages))["input"]


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: str(item.get("type", item.get("role", "reference"))))
def test_an_item_is_known_typed_and_written_back_as_it_came(item: dict[str, Any]) -> None:
    prompt = OPENAI_RESPONSES.decode({"input": [item]})
    assert prompt.unknown == ()
    assert body(prompt) == {"input": [item]}
    assert OPENAI_RESPONSES.decode(body(prompt)) == prompt
    native = [block for message in prompt.messages for block in message.blocks if isinstance(block, NativeBlock)]
    assert all(block.known and block.type in {*NATIVE, "item_reference"} for block in native)


@pytest.mark.parametrize("raw", BODIES, ids=lambda raw: json.dumps(raw)[:60])
def test_a_request_is_known_and_written_back_as_it_came(raw: dict[str, Any]) -> None:
    prompt = OPENAI_RESPONSES.decode(raw)
    assert prompt.unknown == ()
    assert body(prompt) == raw
    assert OPENAI_RESPONSES.decode(body(prompt)) == prompt


def test_every_item_type_of_the_official_sdk_is_known() -> None:
    openai = pytest.importorskip("openai.types.responses.response_input_item_param")
    types = {
        value
        for kind in get_args(openai.ResponseInputItemParam)
        for hint in [get_type_hints(kind, include_extras=True).get("type")]
        for value in _literals(hint)
    }
    assert len(types) > 30
    assert types <= {str(item.get("type")) for item in ITEMS}


def _literals(hint: Any) -> set[str]:
    inner = [each for one in get_args(hint) for each in ([one] if isinstance(one, str) else _literals(one))]
    return set(inner)


@st.composite
def mangled(draw: st.DrawFn) -> dict[str, Any]:
    item = dict(draw(st.sampled_from(ITEMS)))
    for key in draw(st.lists(st.sampled_from([*sorted(item), "surprise"]), max_size=3)):
        if draw(st.booleans()):
            item.pop(key, None)
        else:
            item[key] = draw(JSON)
    return item


@given(st.lists(mangled(), min_size=1, max_size=3))
def test_whatever_an_item_holds_it_is_kept_or_refused_with_a_reason(raw: list[dict[str, Any]]) -> None:
    try:
        prompt = OPENAI_RESPONSES.decode({"input": raw})
    except ValueError as error:
        assert str(error)
        return
    assert body(prompt) == {"input": raw}


def test_what_nobody_knows_is_kept_and_its_path_is_reported() -> None:
    raw = {
        "input": [
            {"type": "hologram", "x": 1},
            {"role": "user", "content": [{"type": "input_smell", "smell": "y"}], "mood": "z"},
        ],
        "tools": [{"type": "teleport"}],
        "frobnicate": True,
    }
    prompt = OPENAI_RESPONSES.decode(raw)
    assert body(prompt) == raw
    assert set(prompt.unknown) == {
        "input[0]:hologram",
        "input[1].content[0]:input_smell",
        "input[1].mood",
        "tools[0]:teleport",
        "request.frobnicate",
    }


def test_fields_go_to_their_typed_places() -> None:
    raw = {"instructions": "Be brief.", "input": ITEMS, "max_output_tokens": 9, "stream": True, "model": "m"}
    prompt = OPENAI_RESPONSES.decode(raw)
    blocks = {type(block): block for message in prompt.messages for block in message.blocks}
    assert (prompt.model, prompt.max_output, prompt.stream, str(prompt.system[0].text)) == ("m", 9, True, "Be brief.")  # type: ignore[attr-defined]
    assert prompt.parameters == {}
    assert blocks[CompactionBlock].encrypted == "gAAA"  # type: ignore[attr-defined]
    first = next(b for m in prompt.messages for b in m.blocks if isinstance(b, ThinkingBlock))
    assert (first.id, first.encrypted, first.blocks) == ("rs_1", "gAAA", (TextBlock("r"),))
    calls = [block for message in prompt.messages for block in message.blocks if isinstance(block, CallBlock)]
    assert {call.type for call in calls} == {"" if kind == "function_call" else kind for kind in CALLS}
    assert (calls[0].id, calls[0].arguments, calls[1].arguments, calls[1].written) == ("c1", {"a": 1}, None, "{")
    assert {call.type for call in calls if call.server} >= {"web_search_call", "mcp_call", "program"}
    found = [block for message in prompt.messages for block in message.blocks if isinstance(block, ResultBlock)]
    assert {each.type for each in found} == {"" if kind == "function_call_output" else kind for kind in RESULTS}
    assert [each.is_error for each in found if each.type == "apply_patch_call_output"] == [True, False]


def test_a_message_of_several_blocks_becomes_items_in_their_order() -> None:
    assistant = Message(
        "assistant",
        (
            ThinkingBlock(id="rs", encrypted="S", summary=()),
            TextBlock("Look"),
            TextBlock(Content(("ing", "."))),
            CallBlock(id="a", name="f", arguments={"x": "ż"}),
            CallBlock(id="b", name="sql", written="select 1", type="custom"),
        ),
    )
    results = Message(
        "user",
        (
            ResultBlock(call_id="b", blocks=(TextBlock("1"),)),
            ResultBlock(call_id="a", blocks=(TextBlock("2"), MediaBlock("image", "image/png", "AA")), form="blocks"),
            TextBlock("Go on."),
        ),
    )
    assert items(assistant, results) == [
        {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "S"},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Look"}, {"type": "output_text", "text": "ing."}],
        },
        {"type": "function_call", "call_id": "a", "name": "f", "arguments": '{"x": "ż"}'},
        {"type": "custom_tool_call", "call_id": "b", "name": "sql", "input": "select 1"},
        {"type": "custom_tool_call_output", "call_id": "b", "output": "1"},
        {
            "type": "function_call_output",
            "call_id": "a",
            "output": [
                {"type": "input_text", "text": "2"},
                {"type": "input_image", "image_url": "data:image/png;base64,AA"},
            ],
        },
        {"role": "user", "content": [{"type": "input_text", "text": "Go on."}]},
    ]


def test_system_text_is_instructions_or_a_first_developer_message_where_it_carries_a_mark() -> None:
    plain = Prompt(
        messages=(Message("user", (TextBlock("Hi"),), "text"),), system=(TextBlock(Content(("Be ", "brief."))),)
    )
    assert body(plain)["instructions"] == "Be brief."
    marked = Prompt(messages=plain.messages, system=(TextBlock("Be brief.", cache=CacheMark("12h")),))
    assert body(marked)["input"][0] == {
        "role": "developer",
        "content": [
            {"type": "input_text", "text": "Be brief.", "prompt_cache_breakpoint": {"mode": "explicit", "ttl": "12h"}}
        ],
    }


def test_tools_choice_and_schema_of_a_prompt_are_written_flat() -> None:
    prompt = Prompt(
        messages=(Message("user", (TextBlock("Hi"),), "text"),),
        tools=(ToolDefinition("f", "d", {"type": "object"}, deferred=True), ToolDefinition("g")),
        choice=ToolChoice("allowed", ("f",), required=True),
        output=OutputSchema({"type": "object"}, "n"),
        parameters={"text": {"verbosity": "low"}},
    )
    written = body(prompt)
    assert written["tools"] == [
        {"type": "function", "name": "f", "description": "d", "parameters": {"type": "object"}, "defer_loading": True},
        {"type": "function", "name": "g"},
    ]
    allowed = [{"type": "function", "name": "f"}]
    assert written["tool_choice"] == {"type": "allowed_tools", "mode": "required", "tools": allowed}
    schema = {"type": "json_schema", "name": "n", "strict": True, "schema": {"type": "object"}}
    assert written["text"] == {"verbosity": "low", "format": schema}


@pytest.mark.parametrize(
    "block",
    [
        CallBlock(id="s", name="web_search", server=True, type="server_tool_use"),
        CompactionBlock(text="a summary"),
        ToolChangeBlock(added=False, names=("f",)),
        MediaBlock("video", url="https://x/y.mp4"),
    ],
    ids=lambda block: type(block).__name__,
)
def test_what_no_item_can_say_is_an_error_that_names_it(block: Any) -> None:
    with pytest.raises(ValueError, match="Responses"):
        items(Message("assistant", (block,)))


@pytest.mark.parametrize("raw", [{"input": 5}, {"input": ["x"]}, {"input": [{"role": "user", "content": 5}]}])
def test_what_is_no_request_at_all_is_refused(raw: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"is (int|str)"):
        OPENAI_RESPONSES.decode(raw)
