"""Chat Completions: what its reference forbids is refused by the rule's name, and what it allows goes through."""

from typing import Any

import pytest

from callsheet.core.render.openai_chat import OPENAI_CHAT
from callsheet.model.message import (
    CallBlock,
    MediaBlock,
    Message,
    ResultBlock,
    TextBlock,
    ThinkingBlock,
    ToolChangeBlock,
    ToolDefinition,
)
from callsheet.model.policy import ModelTraits
from callsheet.model.prompt import Prompt, ToolChoice

SEALED = ThinkingBlock(text="hm", signature="s", type="thinking")


def user(*blocks: Any) -> Message:
    return Message("user", blocks or (TextBlock("hi"),))


def called(*ids: str) -> Message:
    return Message("assistant", tuple(CallBlock(id=each, name="look", arguments={}) for each in ids))


def result(call_id: str, **said: Any) -> Message:
    return Message("tool", (ResultBlock(call_id=call_id, blocks=(TextBlock("found"),), **said),))


def rule(*messages: Message, prefill: bool = False, **given: Any) -> str | None:
    refusal = OPENAI_CHAT.illegal(Prompt(model="m", messages=messages, **given), ModelTraits(prefill=prefill))
    return refusal.rule if refusal else None


def tools(*names: str) -> tuple[ToolDefinition, ...]:
    return tuple(ToolDefinition(each) for each in names)


@pytest.mark.parametrize(
    "refused",
    [
        None,
        rule(user(), called("a", "b"), result("b"), result("a")),
        rule(user(), called("a"), result("a"), called("a"), result("a")),
        rule(user(), Message("assistant", (TextBlock("and"),)), prefill=True),
        rule(user(TextBlock("")), called("a"), result("a"), Message("assistant", (), "text"), user()),
        rule(user(), Message("assistant", (), "null", native={"refusal": "no"}), user()),
        rule(user(), tools=tools("look", "find"), choice=ToolChoice("tool", ("find",))),
        rule(user(MediaBlock(media="image", url="https://x")), user(MediaBlock(media="document", file_id="f"))),
    ],
)
def test_what_the_reference_allows_is_legal(refused: str | None) -> None:
    assert refused is None


@pytest.mark.parametrize(
    ("refused", "wanted"),
    [
        (rule(), "prompt-empty"),
        (rule(user(), Message("assistant", (), "null"), user()), "prompt-empty"),
        (rule(Message("user", (), "blocks")), "prompt-empty"),
        (rule(Message("user", (), "absent")), "prompt-empty"),
        (rule(user(), called("a")), "call-unanswered"),
        (rule(user(), called("a", "b"), result("a")), "call-unanswered"),
        (rule(user(), called("a"), user(), result("a")), "call-unanswered"),
        (rule(user(), called("a"), called("b"), result("a"), result("b")), "call-unanswered"),
        (rule(user(), result("a")), "result-without-call"),
        (rule(user(), called("a"), result("b"), result("a")), "result-without-call"),
        (rule(user(), called("a"), result("a"), result("a")), "result-without-call"),
        (rule(user(), called("a"), result("a", value={"x": 1})), "block-misplaced"),
        (rule(user(), called("a"), result("a", server=True, name="search")), "block-misplaced"),
        (rule(user(), Message("assistant", (TextBlock("and"),))), "prefill-refused"),
        (rule(user(ThinkingBlock(text="hm"))), "block-misplaced"),
        (rule(Message("assistant", (SEALED,)), user()), "block-misplaced"),
        (rule(Message("system", (ToolChangeBlock(added=False, names=("look",)),)), user()), "block-misplaced"),
        (rule(user(MediaBlock(media="video", url="https://x"))), "block-misplaced"),
        (rule(user(MediaBlock(media="audio", url="https://x"))), "block-misplaced"),
        (rule(user(), tools=tools("look", "look")), "tool-undefined"),
        (rule(user(), tools=tools("look up")), "tool-undefined"),
        (rule(user(), tools=tools("l" * 65)), "tool-undefined"),
        (rule(user(), tools=tools("look"), choice=ToolChoice("tool", ("find",))), "tool-undefined"),
    ],
)  # fmt: skip
def test_what_it_forbids_is_refused_by_name(refused: str | None, wanted: str) -> None:
    assert refused == wanted
