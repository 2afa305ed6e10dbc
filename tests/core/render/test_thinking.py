"""Which edits between two requests break bound thinking: the documented table, row by row."""

from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callsheet.core.render.anthropic import ANTHROPIC
from callsheet.core.render.anthropic.cache import mark
from callsheet.core.render.thinking import How, binding_breaks, enforce
from callsheet.model.message import ThinkingBlock
from callsheet.model.prompt import Prompt
from callsheet.model.verdict import Verdict

from .anthropic.made import MARK, TRAITS, call, prompt, result, said, searched, text, thought, told, tool, user

TOOLS = [tool(), tool("later", defer_loading=True)]
HISTORY = [
    user("Why?", {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png?X-Amz-Signature=1"}}),
    said(thought("a"), call("1")),
    user(result("1", "revoked on Monday")),
    told("One round left.", clear_at="next_user_message"),
    said(thought("b"), "Revoked.", call("2")),
    user(result("2", "by its owner")),
]
REPLY = said(thought("c"), "By you.")
NEXT = user("When?")
LATER = tool("later", description="x", defer_loading=True)
SUMMARY = said({"type": "compaction", "content": "so far", "signature": "s"})


def request(*messages: dict[str, Any], **more: Any) -> Prompt:
    return prompt(*messages, **{"system": "You support.", "tools": TOOLS, **more})


BEFORE = request(*HISTORY)


def edited(at: int, message: dict[str, Any]) -> list[dict[str, Any]]:
    return [*HISTORY[:at], message, *HISTORY[at + 1 :], REPLY, NEXT]


def retold(*blocks: Any) -> Prompt:
    """The whole, with something else in place of the first tool result."""
    return request(*edited(2, user(*blocks)))


def without(*places: int) -> list[dict[str, Any]]:
    """The history without the thinking blocks of these messages; 6 is the reply."""
    whole = [*HISTORY, REPLY, NEXT]
    return [
        {**each, "content": [b for b in each["content"] if b["type"] != "thinking"]} if at in places else each
        for at, each in enumerate(whole)
    ]


WHOLE = [*HISTORY, REPLY, NEXT]
VALID: dict[str, Prompt] = {
    "messages appended": request(*WHOLE),
    "nothing changed": BEFORE,
    "a cache mark added": request(*WHOLE[:-1], user(text("When?", cache_control=MARK)), cache_control=MARK),
    "a cache mark added to an old result": retold(result("1", "revoked on Monday", cache_control=MARK)),
    "a result's text as a list": retold(result("1", [text("revoked on Monday", cache_control=MARK)])),
    "the system text as a marked list": request(*WHOLE, system=[text("You support.", cache_control=MARK)]),
    "effort, limit, choice, metadata, display": request(
        *WHOLE,
        max_tokens=99,
        tool_choice={"type": "none"},
        metadata={"user_id": "u"},
        output_config={"effort": "low"},
        thinking={"type": "adaptive", "display": "omitted"},
    ),
    "a deferred tool added that nobody referenced": request(*WHOLE, tools=[*TOOLS, tool("new", defer_loading=True)]),
    "a deferred tool edited that nobody referenced": request(*WHOLE, tools=[TOOLS[0], LATER]),
    "thinking dropped from the oldest end": request(*without(1)),
    "more thinking dropped from the oldest end": request(*without(1, 4)),
    "thinking dropped from the newest end": request(*without(6)),
    "more thinking dropped from the newest end": request(*without(4, 6)),
    "all thinking dropped": request(*without(1, 4, 6)),
    "server-side editing": request(*WHOLE, context_management={"edits": [{"type": "clear_tool_uses_20250919"}]}),
    "the provider's summary in place of everything": request(SUMMARY, NEXT),
    "the provider's summary and kept turns": request(SUMMARY, *HISTORY[5:], REPLY, NEXT),
    "a cleared system message left in place": request(*WHOLE),
    "a signed address signed anew": request(
        *edited(0, user("Why?", {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png?X-Amz-Signature=2"}}))
    ),
    "one user message with summary and instruction": request(user("So far: revoked. When?")),
}  # fmt: skip
INVALID: dict[str, tuple[Prompt, str, int]] = {
    "an earlier message edited": (request(*edited(0, user("Who?"))), "messages.0.content.0", 3),
    "a text added to an old turn": (retold(result("1", "revoked on Monday"), "and"), "messages.2.content.1", 2),
    "an old tool result masked": (retold(result("1", "[masked]")), "messages.2.content.0", 2),
    "a text put right before thinking": (
        request(*edited(1, said("so", thought("a"), call("1")))),
        "messages.1.content.0",
        3,
    ),
    "an earlier message deleted": (request(*HISTORY[:3], *HISTORY[4:], REPLY, NEXT), "messages.3", 2),
    "a cleared system message left out": (request(*HISTORY[:3], *HISTORY[4:], REPLY, NEXT), "messages.3", 2),
    "messages reordered": (request(HISTORY[0], *HISTORY[4:6], *HISTORY[1:4], REPLY, NEXT), "messages.1.content.1", 3),
    "an image of another address": (
        request(*edited(0, user("Why?", {"type": "image", "source": {"type": "url", "url": "https://example.org/b.png"}}))),
        "messages.0.content.1",
        3,
    ),
    "the system changed": (request(*WHOLE, system="You help."), "system", 3),
    "a tool added": (request(*WHOLE, tools=[*TOOLS, tool("new")]), "tools", 3),
    "a tool removed": (request(*WHOLE, tools=TOOLS[1:]), "tools", 3),
    "a tool renamed": (request(*WHOLE, tools=[tool("checked"), TOOLS[1]]), "tools", 3),
    "a tool edited": (request(*WHOLE, tools=[tool(description="x"), TOOLS[1]]), "tools", 3),
    "a tool not deferred any more": (request(*WHOLE, tools=[tool(), tool("later")]), "tools", 3),
    "thinking removed from the middle": (request(*without(4)), "thinking before messages.6.content.0", 1),
    "the text of thinking changed": (
        request(*edited(1, said({**thought("a"), "thinking": "else"}, call("1")))),
        "messages.1.content.0",
        3,
    ),
    "a client's summary with kept turns": (request(user("So."), *HISTORY[4:], REPLY, NEXT), "messages.0.content.0", 2),
    "a summary, and turns behind it that were changed": (
        request(SUMMARY, user(result("2", "[masked]")), REPLY, NEXT, system="You help."),
        "system",
        1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("edit", VALID)
def test_an_edit_that_is_documented_as_valid_breaks_nothing(edit: str) -> None:
    assert binding_breaks(BEFORE, VALID[edit]) == ()
    for how in get_args(How):
        if how != "append-only":
            assert enforce(BEFORE, VALID[edit], how) == VALID[edit]


@pytest.mark.parametrize("edit", INVALID)
def test_an_edit_that_is_documented_as_invalid_breaks_the_thinking_after_it(edit: str) -> None:
    after, first, count = INVALID[edit]
    breaks = binding_breaks(BEFORE, after)
    assert (breaks[0].edit, len(breaks)) == (first, count)
    refusal = enforce(BEFORE, after, "refuse")
    assert isinstance(refusal, Verdict)
    assert (refusal.outcome, refusal.rule, refusal.subject) == ("refuse", "thinking-broken", first)


def test_a_removed_block_that_is_put_back_breaks_itself_and_those_behind_it() -> None:
    stripped = request(*without(1)[:-2])
    assert [each.path for each in binding_breaks(stripped, BEFORE)] == ["messages.1.content.0", "messages.4.content.0"]


def test_a_kept_turn_that_was_changed_behind_a_summary_breaks() -> None:
    kept = [user(result("1", "[masked]")), *HISTORY[3:]]
    assert [each.path for each in binding_breaks(BEFORE, request(SUMMARY, *kept))] == ["messages.3.content.0"]


def test_turns_kept_behind_a_summary_must_begin_with_the_user() -> None:
    before = request(*HISTORY, REPLY, NEXT)
    assert binding_breaks(before, request(SUMMARY, HISTORY[5], REPLY, NEXT)) == ()
    assert [each.edit for each in binding_breaks(before, request(SUMMARY, REPLY, NEXT))] == ["messages.1"]


def test_a_summary_that_was_there_before_is_where_comparing_starts() -> None:
    before = request(SUMMARY, user("Why?"), said(thought("a"), "So."), NEXT)
    assert binding_breaks(before, request(SUMMARY, user("Why?"), said(thought("a"), "So."), NEXT, REPLY, NEXT)) == ()
    assert len(binding_breaks(before, request(SUMMARY, user("Who?"), said(thought("a"), "So."), NEXT))) == 1


def test_a_deferred_tool_that_was_found_must_stay_as_it_was() -> None:
    found = (
        searched("srvtoolu_1")[0],
        {
            "type": "tool_search_tool_result",
            "tool_use_id": "srvtoolu_1",
            "content": {"tool_references": [{"type": "tool_reference", "tool_name": "later"}]},
        },
    )
    messages = [user("Why?"), said(thought("a"), *found, thought("b"), "So."), NEXT]
    changed = [TOOLS[0], tool("later", description="new", defer_loading=True)]
    breaks = binding_breaks(request(*messages), request(*messages, tools=changed))
    assert [(each.path, each.edit) for each in breaks] == [("messages.1.content.3", "tools")]


def test_with_the_reply_a_change_of_its_own_thinking_is_found() -> None:
    changed = said({**thought("c"), "thinking": "else"}, "By you.")
    assert binding_breaks(request(*HISTORY, REPLY), request(*HISTORY, changed, NEXT))[0].path == "messages.6.content.0"


@pytest.mark.parametrize("edit", INVALID)
def test_stripping_leaves_nothing_that_breaks_and_says_all_the_rest(edit: str) -> None:
    after, _, _ = INVALID[edit]
    stripped = enforce(BEFORE, after, "strip")
    assert isinstance(stripped, Prompt)
    assert binding_breaks(BEFORE, stripped) == ()
    assert [each.text for each in stripped.messages] == [each.text for each in after.messages]


def test_stripping_leaves_the_thinking_that_still_holds() -> None:
    stripped = enforce(BEFORE, INVALID["an old tool result masked"][0], "strip")
    assert isinstance(stripped, Prompt)
    kept = [at for at, each in enumerate(stripped.messages) if any(isinstance(b, ThinkingBlock) for b in each.blocks)]
    assert kept == [1]


def test_append_only_holds_up_to_the_last_word_said() -> None:
    after = request(user("Who?"), said("Me."), NEXT)
    refusal = enforce(request(user("Why?")), after, "append-only")
    assert isinstance(refusal, Verdict) and refusal.subject == "messages.0.content.0"


def test_a_message_of_thinking_alone_is_left_out_when_it_is_stripped() -> None:
    messages = [user("Why?"), said(thought("a")), user("So?")]
    stripped = enforce(request(*messages), request(*messages, system="You help."), "strip")
    assert isinstance(stripped, Prompt) and [each.role for each in stripped.messages] == ["user", "user"]


def test_the_api_can_be_asked_to_drop_what_breaks() -> None:
    after = replace(
        INVALID["the system changed"][0], parameters={"thinking": {"type": "adaptive", "display": "omitted"}}
    )
    asked = enforce(BEFORE, after, "drop-block")
    assert isinstance(asked, Prompt)
    binding = {"prefix_mismatch_behavior": "drop_block"}
    assert asked.parameters["thinking"] == {"type": "adaptive", "display": "omitted", "block_binding": binding}
    off = replace(after, parameters={"thinking": {"type": "disabled"}})
    refusal = enforce(BEFORE, off, "drop-block")
    assert isinstance(refusal, Verdict) and refusal.rule == "option-conflict"


def test_append_only_takes_further_messages_and_nothing_else() -> None:
    assert enforce(BEFORE, request(*WHOLE), "append-only") == request(*WHOLE)
    for edit in ("an old tool result masked", "the system changed", "a tool added", "an earlier message deleted"):
        refusal = enforce(BEFORE, INVALID[edit][0], "append-only")
        assert isinstance(refusal, Verdict) and refusal.subject == INVALID[edit][1]
    for edit in ("all thinking dropped", "one user message with summary and instruction"):
        assert isinstance(enforce(BEFORE, VALID[edit], "append-only"), Verdict)


@settings(max_examples=150)
@given(st.lists(st.sampled_from("drop mask text think".split()), max_size=3), st.data())
def test_whatever_is_edited_stripping_mends_it(edits: list[str], data: st.DataObject) -> None:
    messages = [*HISTORY, REPLY, NEXT]
    for edit in edits:
        at = data.draw(st.integers(0, len(messages) - 1))
        blocks = messages[at]["content"]
        if edit == "drop" and len(messages) > 1:
            messages.pop(at)
        elif edit == "mask":
            messages[at] = {**messages[at], "content": [{**b, "content": "-"} if "content" in b else b for b in blocks]}
        elif edit == "text":
            messages[at] = {**messages[at], "content": [*blocks, text("x")]}
        else:
            messages[at] = {**messages[at], "content": [b for b in blocks if b["type"] != "thinking"]}
    stripped = enforce(BEFORE, request(*messages), "strip")
    assert isinstance(stripped, Prompt) and binding_breaks(BEFORE, stripped) == ()


def test_placing_cache_marks_breaks_no_seal() -> None:
    assert binding_breaks(BEFORE, mark(request(*WHOLE), TRAITS)) == ()
    assert ANTHROPIC.illegal(mark(request(*WHOLE), TRAITS), TRAITS) is None
