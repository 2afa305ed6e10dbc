"""A conversation's prompt counted again and again while it grows: only what is new is tokenized."""

from array import array
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...core.render.openai_chat.message import write_messages
from ...core.render.openai_chat.request import encode
from ...core.render.translate.prompt import for_dialect
from ...core.text.shared_head import shared_head
from ...errors import UsageError
from ...model.message import Message, ResultBlock, ToolDefinition
from ...model.prompt import Prompt
from .prompt import TemplateCounter
from .server_chat import as_chat

DIALECT = "openai_chat"
"""The dialect of which a template's messages are a part."""
LONGEST = 128
"""Characters of the longest control token, with room to spare."""


class GrowingPrompt:
    """The prompt of one conversation, by a model's chat template and tokenizer: `count_prompt`, without its repetition.

    Each call renders the prompt whole, because a template may look anywhere; what it has in common with the prompt
    before is found by comparing, and is not tokenized again. A window of n tokens is held as text.
    """

    def __init__(self, counter: TemplateCounter) -> None:
        self._counter = counter
        self._head: list[dict[str, Any]] = []
        self._tools: list[dict[str, Any]] = []
        self._said: list[tuple[Message, str]] = []
        self._chat: list[dict[str, Any]] = []
        self._starts: list[int] = []
        self._counted, self._counted_bare = _Counted(counter), _Counted(counter)

    def offer(self, system: tuple[Message, ...] | None, tools: tuple[ToolDefinition, ...] | None) -> None:
        """What stands before the messages from here on; None leaves it as it is."""
        if system is not None:
            self._head = [each for message in system for each in _chat(message)]
        if tools is not None:
            shown = tuple(tool for tool in tools if not tool.deferred and not tool.type)
            self._tools = as_chat(DIALECT, encode(Prompt(tools=shown)))[1]

    def add(self, message: Message, response: str) -> None:
        """A message joins; messages of the same response are one."""
        if response and message.role == "assistant" and self._said and self._said[-1][1] == response:
            before = self._said[-1][0]
            start = self._starts[-1]
            del self._chat[start:]
            message = replace(before, blocks=(*before.blocks, *message.blocks), form=_form(before, message))
        else:
            start = len(self._chat)
        self._said.append((message, response))
        self._starts.append(start)
        self._chat += _chat(message)

    def cut(self, kept: int) -> None:
        """Only the first `kept` messages stay."""
        if kept >= len(self._said):
            return
        del self._chat[self._starts[kept] :], self._starts[kept:], self._said[kept:]
        if self._said and len(self._chat) == self._starts[-1]:  # the cut went through one response
            self._chat += _chat(self._said[-1][0])

    def tokens(self, *, reply: bool = False, tools: bool = True) -> int | None:
        """Tokens of the prompt, its reply opened or not, with its tools or without; None where the template refuses.

        With its reply opened it is the count of `TemplateCounter.count_prompt` for the same request.
        """
        messages = [*self._head, *self._chat]
        try:
            prompt = self._counter.prompt(messages, self._tools if tools else (), reply)
        except UsageError:
            return None
        return (self._counted if tools else self._counted_bare).tokens(prompt)


class _Counted:
    """A prompt that was counted: its text, and at the end of every control token how many tokens there are so far."""

    def __init__(self, counter: TemplateCounter) -> None:
        self._counter = counter
        self._text = ""
        self._ends = array("q", [0])
        self._totals = array("q", [0])

    def tokens(self, text: str) -> int:
        """Tokens of a prompt; what it begins with, as the one before did, is not read again."""
        # A control token that ends just before the difference may be the beginning of a longer one.
        known = max(1, bisect_right(self._ends, shared_head(self._text, text) - LONGEST))
        del self._ends[known:], self._totals[known:]
        end, total = self._ends[-1], self._totals[-1]
        for piece, control in self._counter.pieces(text[end:]):
            end += len(piece)
            total += 1 if control else self._counter.piece_tokens(piece)
            if control:
                self._ends.append(end)
                self._totals.append(total)
        self._text = text
        return total


def _chat(message: Message) -> list[dict[str, Any]]:
    """One message as a template takes it; what Chat Completions cannot say is translated, or left out."""
    valued = any(isinstance(block, ResultBlock) and block.value is not None for block in message.blocks)
    try:
        written = [] if valued else write_messages(Prompt(messages=(message,)))
    except ValueError:
        valued = True
    if valued:
        written = write_messages(for_dialect(Prompt(messages=(message,)), "openai_chat").prompt)
    body: Mapping[str, Any] = {"messages": written}
    return as_chat(DIALECT, body)[0]


def _form(one: Message, other: Message) -> Any:
    """The form of two messages' content together: two texts are blocks."""
    return other.form if one.form in ("null", "absent") else one.form if other.form in ("null", "absent") else "blocks"
