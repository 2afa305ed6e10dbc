"""What is legal in more than one dialect: each rule gives the refusal that names it, or None (invariant 3)."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from ...model.message import Block, Message, ResultBlock
from ...model.prompt import Prompt
from ...model.verdict import Verdict

Value = TypeVar("Value")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def refuse(rule: str, why: str, subject: str | None = None) -> Verdict:
    """The refusal to send a prompt, by one rule."""
    return Verdict("refuse", rule, why, subject=subject)


def first(rules: Iterable[Callable[[Value], Verdict | None]], value: Value) -> Verdict | None:
    """The first refusal any of the rules has, in their order."""
    return next((refusal for rule in rules if (refusal := rule(value)) is not None), None)


def blank(text: str) -> bool:
    """Whether a text has nothing but white space: Anthropic takes no such block, though its models say them."""
    return not text or text.isspace()


def tools_defined(prompt: Prompt, name: re.Pattern[str] = NAME) -> Verdict | None:
    """Every function has a legal name of its own, and what the choice names is among them."""
    names = [str(tool.name) for tool in prompt.tools or () if not tool.type]
    for each in names:
        if not name.fullmatch(each):
            return refuse("tool-undefined", f"the tool name {each!r} does not match {name.pattern}", each)
        if names.count(each) > 1:
            return refuse("tool-undefined", f"the tool {each!r} is defined twice", each)
    known = {*names, *(tool.type for tool in prompt.tools or ()), *(str(tool.name) for tool in prompt.tools or ())}
    for each in map(str, prompt.choice.names if prompt.choice else ()):
        if each not in known:
            return refuse("tool-undefined", f"the tool choice names {each!r}, which the request does not define", each)
    return None


def answered_at_once(prompt: Prompt) -> Verdict | None:
    """Each call of an assistant turn is answered once, in the messages right after it, before anything else."""
    waiting: list[str | None] = []
    for message in prompt.messages:
        for block in message.blocks:
            if isinstance(block, ResultBlock) and not block.server:
                if block.call_id not in waiting:
                    why = f"the result for {block.call_id!r} answers no call of the assistant turn before it"
                    return refuse("result-without-call", why, block.call_id)
                waiting.remove(block.call_id)
            elif waiting:
                why = f"the call {waiting[0]!r} must be answered before anything else is said"
                return refuse("call-unanswered", why, waiting[0])
        if message.role == "assistant":
            waiting += [call.id for call in message.calls]
    if waiting:
        return refuse("call-unanswered", f"the call {waiting[0]!r} has no result", waiting[0])
    return None


def only(message: Message, takes: tuple[type[Block], ...], where: str) -> Verdict | None:
    """The message holds blocks of these classes alone."""
    return only_blocks(message.blocks, takes, where)


def only_blocks(blocks: Sequence[Block], takes: tuple[type[Block], ...], where: str) -> Verdict | None:
    """Every block is of one of these classes."""
    for block in blocks:
        if not isinstance(block, takes):
            return refuse("block-misplaced", f"{where} takes no {type(block).__name__}", type(block).__name__)
    return None
