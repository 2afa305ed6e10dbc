"""What the Messages API refuses is refused by name, and what it takes is let pass."""

from itertools import groupby
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from callsheet.core.render.anthropic import ANTHROPIC
from callsheet.model.message import CallBlock, MediaBlock, Message, ResultBlock, TextBlock, ThinkingBlock
from callsheet.model.policy import ModelTraits
from callsheet.model.prompt import Prompt, ToolChoice

from .made import MARK, TRAITS, call, prompt, result, rule, said, searched, text, thought, told, tool, user

HOUR = {"type": "ephemeral", "ttl": "1h"}
ASK = user("Why?")
IMAGE = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}
CODE = {"type": "code_execution_20260120", "tool_id": "srvtoolu_1"}
OPEN = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution", "input": {}}
SIGNED = {"type": "compaction", "content": "so far", "signature": "s"}
REFERENCE = {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "check"}}
DEFINED = {"type": "tool_addition", "tool": {"type": "tool_definition", "definition": tool("check")}}

CODE_ALONE = ["code_execution_20260120"]
DISABLED = {"type": "auto", "disable_parallel_tool_use": True}
TOOLSET_GONE = {"type": "tool_removal", "tool": {"type": "mcp_toolset_reference", "server_name": "s"}}
CLEAR_TOOLS, CLEAR_THINKING = {"type": "clear_tool_uses_20250919"}, {"type": "clear_thinking_20251015"}
REMAINING = {"task_budget": {"remaining": 5}}
ROUND = {"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}}
STRAIGHT = {"$ref": "#/$defs/a", "$defs": {"a": {}}}


def coded(**more: Any) -> dict[str, Any]:
    """A request's tools where code may call the only one."""
    return {"tools": [tool(**{"allowed_callers": CODE_ALONE, **more})]}


LEGAL: list[tuple[list[dict[str, Any]], dict[str, Any]]] = [
    ([ASK], {}),
    ([user("a"), user("b"), said("c"), said("d"), user("e")], {}),
    ([ASK, said(call("1"), call("2")), user(result("2"), result("1"), "and then?")], {}),
    ([ASK, said(call("1")), user(result("1", ""))], {"system": ""}),
    ([ASK, {"role": "assistant", "content": ""}], {"compaction": {"type": "summarize"}}),
    ([ASK, said(call("1"), call("2")), user(result("1")), user(result("2"), "go on")], {}),
    ([ASK, said(call("1")), user(result("1", [text("x"), IMAGE]))], {}),
    ([ASK, said(*searched("srvtoolu_1"), "found", call("1")), user(result("1"), "thanks")], {}),
    ([ASK, said(OPEN, call("1", caller=CODE)), user(result("1"))], {}),
    ([ASK, said(OPEN, call("1")), user(result("1"))], {}),
    ([ASK, said(*searched("srvtoolu_1"))], {}),
    ([ASK, said(OPEN)], {}),
    ([ASK, said(thought("a"), call("1")), user(result("1"))], {}),
    ([ASK, told("Be brief."), said("Well."), user("And?"), told("a"), told("b")], {}),
    ([ASK, said(call("1")), user(result("1")), told("Be brief.")], {}),
    ([ASK, said(*searched("srvtoolu_1")), told("Be brief."), said("Well."), ASK], {}),
    ([told(output_config={"effort": "low"}), ASK], {}),
    ([ASK, told("now", clear_at="next_user_message"), said("Well."), ASK], {}),
    ([ASK, told(REFERENCE)], {"tools": [tool(), tool("b", defer_loading=True)]}),
    ([ASK, told(DEFINED), said("Well."), ASK, told(REFERENCE)], {}),
    ([said(SIGNED), ASK], {}),
    ([ASK, said("Well.")], {"compaction": {"type": "summarize"}}),
    ([user(text("a", cache_control=MARK))], {"system": [text("s", cache_control=HOUR)], "tools": [tool()]}),
    ([ASK], {"thinking": {"type": "enabled", "budget_tokens": 1024}}),
    (
        [ASK],
        {"context_management": {"edits": [CLEAR_THINKING, CLEAR_TOOLS]}},
    ),
    ([ASK], {"thread": {"type": "create"}}),
    ([ASK], {**coded(allowed_callers=["direct", *CODE_ALONE]), "tool_choice": {"type": "any"}}),
    (
        [ASK],
        coded(input_schema=STRAIGHT),
    ),
]
REFUSED: list[tuple[str, list[dict[str, Any]], dict[str, Any]]] = [
    ("prompt-empty", [], {}),
    ("prompt-empty", [user()], {}),
    ("prompt-empty", [user("")], {}),
    ("prompt-empty", [user("a", " \n")], {}),
    ("prompt-empty", [user("a", "")], {}),
    ("prompt-empty", [{"role": "user", "content": "\t"}], {}),
    ("prompt-empty", [{"role": "user", "content": ""}, ASK], {}),
    ("prompt-empty", [ASK, said("", call("1")), user(result("1"))], {}),
    ("prompt-empty", [ASK, said(" ")], {}),
    ("prompt-empty", [ASK], {"system": [text("s"), text(" ")]}),
    ("prompt-empty", [ASK], {"system": " "}),
    ("prompt-empty", [ASK, told(), said("x"), ASK], {}),
    ("call-unanswered", [ASK, said(call("1"))], {}),
    ("call-unanswered", [ASK, said(call("1"), call("2")), user(result("1"))], {}),
    ("call-unanswered", [ASK, said(call("1")), user("never mind")], {}),
    ("call-unanswered", [ASK, said(call("1"), call("1")), user(result("1"))], {}),
    ("call-unanswered", [ASK, said({"type": "tool_use", "name": "check", "input": {}}), ASK], {}),
    ("result-without-call", [user(result("1"))], {}),
    ("result-without-call", [ASK, said(call("1")), user(result("1"), result("1"))], {}),
    ("result-without-call", [ASK, said(call("1")), user(result("1")), said("x"), user(result("1"))], {}),
    ("result-without-call", [ASK, said(OPEN), user(result("srvtoolu_1"))], {}),
    ("result-without-call", [ASK, said(call("1", toolset_name="browser")), user(result("1"))], {}),
    ("result-without-call", [ASK, said(searched("srvtoolu_1")[1]), ASK], {}),
    ("result-misplaced", [ASK, said(call("1")), user("first", result("1"))], {}),
    ("result-misplaced", [ASK, said(call("1")), user("first"), user(result("1"))], {}),
    ("result-misplaced", [ASK, said(call("1"), call("2")), user(result("1"), "x", result("2"))], {}),
    ("result-misplaced", [ASK, said(OPEN, call("1")), user(result("1"), "more")], {}),
    ("result-misplaced", [ASK, said(call("1", caller=CODE)), user(result("1"), "more")], {}),
    ("block-misplaced", [ASK, said(call("1", caller=CODE)), user(result("1", [IMAGE]))], {}),
    ("block-misplaced", [user(call("1"))], {}),
    ("block-misplaced", [user(thought("a"))], {}),
    ("block-misplaced", [ASK, said(IMAGE), ASK], {}),
    ("block-misplaced", [ASK, said(result("1")), ASK], {}),
    ("block-misplaced", [user(searched("srvtoolu_1")[1])], {}),
    ("block-misplaced", [ASK, told(IMAGE)], {}),
    ("block-misplaced", [ASK, told({"type": "tool_reference", "tool_name": "check"})], {"tools": [tool()]}),
    ("block-misplaced", [ASK, said(call("1")), user(result("1", [REFERENCE]))], {"tools": [tool()]}),
    ("block-misplaced", [user(REFERENCE)], {"tools": [tool()]}),
    ("block-misplaced", [ASK], {"system": [IMAGE]}),
    ("block-misplaced", [ASK, said(SIGNED), ASK], {}),
    ("block-misplaced", [said(SIGNED, SIGNED), ASK], {}),
    ("system-misplaced", [told("first"), ASK], {}),
    ("system-misplaced", [ASK, said("Well."), told("x"), said("y"), ASK], {}),
    ("system-misplaced", [ASK, told("x"), ASK], {}),
    ("system-misplaced", [ASK, said(call("1")), told("x"), user(result("1"))], {}),
    ("system-misplaced", [ASK, said(call("1")), told(output_config={"effort": "low"}), user(result("1"))], {}),
    ("prefill-refused", [ASK, said("Well,")], {}),
    ("thinking-broken", [ASK, said({"type": "thinking", "thinking": "x"}, "y"), ASK], {}),
    ("cache-marks", [user(*(text("a", cache_control=MARK) for _ in range(5)))], {}),
    ("cache-marks", [user(*(text("a", cache_control=MARK) for _ in range(4)))], {"cache_control": MARK}),
    ("cache-marks", [user(text("a", cache_control=HOUR))], {"system": [text("s", cache_control=MARK)]}),
    ("cache-marks", [user(text("a", cache_control={**MARK, "ttl": "1d"}))], {}),
    ("cache-marks", [ASK, said(call("1")), user(result("1", [text("", cache_control=MARK)]))], {}),
    ("cache-marks", [ASK, said({**thought("a"), "cache_control": MARK}, "b"), ASK], {}),
    ("cache-marks", [ASK], {"tools": [tool(), tool("b", defer_loading=True, cache_control=MARK)]}),
    ("cache-marks", [ASK, told(text("x", cache_control=MARK), clear_at="next_user_message")], {}),
    ("tool-undefined", [ASK], {"tools": [tool(), tool()]}),
    ("tool-undefined", [ASK], {"tools": [tool("web_search"), {"type": "web_search_20260318", "name": "web_search"}]}),
    ("tool-undefined", [ASK], {"tools": [tool("no blanks")]}),
    ("tool-undefined", [ASK], {"tools": [tool(defer_loading=True)]}),
    ("tool-undefined", [ASK], {"tools": [tool()], "tool_choice": {"type": "tool", "name": "other"}}),
    ("tool-undefined", [ASK, told(REFERENCE)], {}),
    ("tool-undefined", [ASK, told(DEFINED)], {"tools": [tool()]}),
    ("tool-undefined", [ASK, said(call("1")), user(result("1", [{"type": "tool_reference", "tool_name": "b"}]))], {}),
    ("tool-undefined", [ASK, told(TOOLSET_GONE)], {}),
    ("option-conflict", [ASK], {"thinking": {"type": "enabled", "budget_tokens": 1023}}),
    ("option-conflict", [ASK], {"thinking": {"type": "enabled", "budget_tokens": 4096}}),
    ("option-conflict", [ASK], {"thread": {"type": "create"}, "cache_control": MARK}),
    ("option-conflict", [user(text("a", cache_control=MARK))], {"thread": {"type": "create"}}),
    ("option-conflict", [ASK], {"thread": {"type": "create"}, "thinking": {"type": "adaptive"}}),
    ("option-conflict", [ASK], {"thread": {"type": "create"}, "fallbacks": "default"}),
    ("option-conflict", [ASK], {"context_management": {"edits": [CLEAR_TOOLS, CLEAR_THINKING]}}),
    ("option-conflict", [ASK], {"context_management": {"edits": []}, "compaction": {"type": "summarize"}}),
    ("option-conflict", [said(SIGNED), ASK], {"context_management": {"edits": []}}),
    ("option-conflict", [ASK], {"compaction": {"type": "summarize"}, "output_config": REMAINING}),
    ("option-conflict", [ASK, told(REFERENCE, clear_at="next_user_message")], {"tools": [tool()]}),
    ("option-conflict", [ASK], coded(strict=True)),
    ("option-conflict", [ASK], coded(input_schema={"$ref": "#"})),
    ("option-conflict", [ASK], coded(input_schema=ROUND)),
    ("option-conflict", [ASK], {**coded(), "tool_choice": {"type": "tool", "name": "check"}}),
    ("option-conflict", [ASK], {**coded(allowed_callers=["direct", *CODE_ALONE]), "tool_choice": DISABLED}),
]  # fmt: skip


@pytest.mark.parametrize(("messages", "more"), LEGAL)
def test_what_the_api_takes_is_let_pass(messages: list[dict[str, Any]], more: dict[str, Any]) -> None:
    assert ANTHROPIC.illegal(prompt(*messages, **more), TRAITS) is None


@pytest.mark.parametrize(("expected", "messages", "more"), REFUSED)
def test_what_the_api_refuses_is_refused_by_its_rule(
    expected: str, messages: list[dict[str, Any]], more: dict[str, Any]
) -> None:
    assert rule(*messages, **more) == expected


def test_system_turns_and_prefill_depend_on_the_model() -> None:
    plain = ModelTraits()
    assert rule(ASK, told("x"), traits=plain) == "system-misplaced"
    assert rule(ASK, said("Well,"), traits=ModelTraits(prefill=True)) == ""


def test_blocks_of_other_providers_are_refused() -> None:
    def refused(*blocks: Any) -> str:
        asked = (Message("user", (TextBlock("q"),)), Message("assistant", blocks), Message("user", (TextBlock("q"),)))
        refusal = ANTHROPIC.illegal(Prompt(messages=asked), TRAITS)
        return refusal.rule if refusal else ""

    assert refused(ThinkingBlock(type="reasoning", encrypted="x")) == "block-misplaced"
    assert refused(CallBlock("1", "n", {}, server=True, type="web_search_call")) == "block-misplaced"
    assert refused(CallBlock("1", "n", None, "{half")) == "block-misplaced"
    assert refused(MediaBlock("audio")) == "block-misplaced"


def test_a_choice_among_some_tools_is_refused() -> None:
    asked = Prompt(messages=(Message("user", (TextBlock("q"),)),), choice=ToolChoice("allowed", ("a",)))
    refusal = ANTHROPIC.illegal(asked, TRAITS)
    assert refusal is not None and refusal.rule in ("option-conflict", "tool-undefined")


def test_results_in_messages_of_their_own_are_one_user_turn() -> None:
    one, two = CallBlock("1", "check", {}), CallBlock("2", "check", {})
    results = tuple(Message("tool", (ResultBlock(each.id, (TextBlock("ok"),)),)) for each in (one, two))
    asked = Prompt(messages=(Message("user", (TextBlock("q"),)), Message("assistant", (one, two)), *results))
    assert ANTHROPIC.illegal(asked, TRAITS) is None
    assert [each["role"] for each in ANTHROPIC.encode(asked)["messages"]] == ["user", "assistant", "user", "user"]


IDS = st.sampled_from(["1", "2", "3", "srvtoolu_1", "srvtoolu_2"])
MARKS = st.sampled_from([None, None, None, None, MARK, HOUR])
USER = st.one_of(
    st.sampled_from(["hi", "more", "again", "", " \n", IMAGE]),
    st.builds(lambda mark: text("marked", cache_control=mark), MARKS),
    st.builds(result, IDS),
    st.builds(lambda name: result(name, [IMAGE]), IDS),
)
ASSISTANT = st.one_of(
    st.sampled_from(["well", thought("a"), thought("b"), {"type": "thinking", "thinking": "unsigned"}]),
    st.builds(call, IDS),
    st.builds(lambda name: call(name, caller=CODE), IDS),
    st.builds(lambda name: searched(name)[0], IDS),
    st.builds(lambda name: searched(name)[1], IDS),
)
SYSTEM = st.one_of(st.just("note"), st.builds(lambda mark: text("note", cache_control=mark), MARKS))
MESSAGES = st.one_of(
    st.builds(lambda blocks: user(*blocks), st.lists(USER, min_size=1, max_size=3)),
    st.builds(lambda blocks: said(*blocks), st.lists(ASSISTANT, min_size=1, max_size=3)),
    st.builds(lambda blocks: told(*blocks), st.lists(SYSTEM, min_size=1, max_size=2)),
)


@st.composite
def rounds(draw: st.DrawFn) -> list[dict[str, Any]]:
    """A conversation that is mostly in order: questions, parallel calls and their results, searches, system turns."""
    made: list[dict[str, Any]] = [user("q")]
    for at in range(draw(st.integers(0, 4))):
        names = [f"{at}.{each}" for each in range(draw(st.integers(0, 3)))]
        spoken = [thought(f"s{at}"), *(draw(st.sampled_from([[], ["well"], [*searched(f"srvtoolu_{at}")]])))]
        made.append(said(*spoken, *map(call, names)) if names else said(*spoken, "so"))
        replies = draw(st.permutations([result(each) for each in names]))
        cut = draw(st.integers(0, len(replies)))
        made += [user(*part) for part in (replies[:cut], replies[cut:]) if part]
        made += draw(st.sampled_from([[], [user("and?")], [user("and?"), told("brief")]])) if names else [user("and?")]
    return made


@st.composite
def disturbed(draw: st.DrawFn) -> list[dict[str, Any]]:
    """One of those with a message dropped, moved, doubled or made up."""
    made = draw(rounds())
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(made) - 1))
        change = draw(st.sampled_from(["drop", "move", "double", "insert"]))
        if change == "insert":
            made.insert(at, draw(MESSAGES))
        elif change == "double":
            made.insert(at, made[at])
        elif len(made) > 1:
            moved = made.pop(at)
            made += [moved] if change == "move" else []
    return made


def breaks(messages: list[dict[str, Any]]) -> list[str]:
    """The documented rules that these messages break, read from their JSON alone."""
    found = []
    turns = [(role, [b for m in group for b in m["content"]]) for role, group in groupby(messages, lambda m: m["role"])]
    kinds = [[block["type"] for block in blocks] for _, blocks in turns]
    found += ["no system first"] if turns[0][0] == "system" else []
    for at, (role, blocks) in enumerate(turns):
        previous = turns[at - 1] if at else ("", [])
        if role == "user":
            asked = [b["id"] for b in previous[1] if b["type"] == "tool_use"] if previous[0] == "assistant" else []
            answered = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
            found += ["one result per call"] if sorted(asked) != sorted(answered) else []
            found += ["results first"] if "tool_result" in kinds[at][len(answered) :] else []
            found += (
                ["never a server tool's"]
                if any(each.startswith("srv") for each in answered if each not in asked)
                else []
            )
            if previous[0] == "assistant":
                done = [b["tool_use_id"] for b in previous[1] if b["type"] == "web_search_tool_result"]
                waits = any(b["type"] == "server_tool_use" and b["id"] not in done for b in previous[1])
                code = any("caller" in b for b in previous[1])
                found += ["results alone"] if (waits or code) and len(answered) < len(blocks) else []
                lists = [b for b in blocks if b["type"] == "tool_result" and b["content"] != "done"]
                found += ["text alone"] if code and lists else []
        elif role == "assistant":
            following = turns[at + 1][0] if at + 1 < len(turns) else ""
            calls = [b["id"] for b in blocks if b["type"] == "tool_use"]
            found += ["answer at once"] if calls and following != "user" else []
            found += ["unique ids"] if len(set(calls)) < len(calls) else []
            found += (
                ["prefill"]
                if not following and kinds[at][-1] not in ("server_tool_use", "web_search_tool_result")
                else []
            )
        else:
            after_server = previous[0] == "assistant" and kinds[at - 1][-1] == "web_search_tool_result"
            found += ["system after"] if previous[0] != "user" and not after_server else []
            found += ["system before"] if at + 1 < len(turns) and turns[at + 1][0] != "assistant" else []
    every = [block for _, blocks in turns for block in blocks]
    marks = [block["cache_control"].get("ttl", "5m") for block in every if block.get("cache_control")]
    found += ["four marks"] if len(marks) > 4 else []
    found += ["longer first"] if marks != sorted(marks, key=["1h", "5m"].index) else []
    found += ["signed"] if any(b["type"] == "thinking" and "signature" not in b for b in every) else []
    found += ["not blank"] if any(not b.get("text", "a thought or a tool's").strip() for b in every) else []
    return found + server_pairs(every)


def server_pairs(blocks: list[dict[str, Any]]) -> list[str]:
    open_calls: set[str] = set()
    for block in blocks:
        if block["type"] == "server_tool_use":
            open_calls.add(block["id"])
        elif block["type"] == "web_search_tool_result":
            if block["tool_use_id"] not in open_calls:
                return ["a server result without its call"]
            open_calls.discard(block["tool_use_id"])
    return []


@settings(max_examples=400)
@given(disturbed() | st.lists(MESSAGES, min_size=1, max_size=5))
def test_a_history_is_legal_exactly_when_it_breaks_no_documented_rule(messages: list[dict[str, Any]]) -> None:
    refused, broken = rule(*messages), breaks(messages)
    event("refused" if refused else "legal")
    assert bool(refused) == bool(broken), (refused, broken)


@settings(max_examples=100)
@given(rounds())
def test_a_history_in_order_is_legal(messages: list[dict[str, Any]]) -> None:
    whole = messages if messages[-1]["role"] != "assistant" else [*messages, user("go on")]
    assert rule(*whole) == ""
