"""Conversations for the tests of compaction: what a person says, what the model says and calls, what comes back."""

from collections.abc import Callable, Sequence
from typing import Any

from callsheet.core.history.conversation import Conversation
from callsheet.core.history.summary.by_rule import draft
from callsheet.core.history.terms import Terms
from callsheet.core.text.blocks import text_of
from callsheet.drive import drive
from callsheet.model.history import Drafted, Entry, Standing, Summarise, View
from callsheet.model.history_policy import Compact, HistoryPolicy, Trigger
from callsheet.model.item import Trust
from callsheet.model.message import Block, CallBlock, Message, ResultBlock, Role, TextBlock
from callsheet.model.transcript import Speaker

Summariser = Callable[[Summarise], Drafted]


def count(text: str) -> int:
    """A count that every test can follow: four characters are a token."""
    return (len(text) + 3) // 4


class Dialogue:
    """A conversation that grows message by message."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def person(self, text: str) -> int:
        """A person speaks; gives the message's number."""
        return self._add("user", "person", (TextBlock(text=text),))

    def harness(self, text: str, role: Role = "user") -> int:
        """The harness writes something into the conversation."""
        return self._add(role, "harness", (TextBlock(text=text),))

    def model(self, text: str) -> int:
        """The model speaks."""
        return self._add("assistant", "model", (TextBlock(text=text),))

    def did(
        self,
        name: str,
        arguments: Any,
        result: str = "ok",
        says: str = "",
        error: bool = False,
        trust: Trust = "trusted",
    ) -> int:
        """The model calls a tool, with words before the call where `says` has any, and the result comes back."""
        call_id = f"call-{len(self.entries)}"
        words: tuple[Block, ...] = (TextBlock(text=says),) if says else ()
        number = self._add("assistant", "model", (*words, CallBlock(id=call_id, name=name, arguments=arguments)))
        answer = ResultBlock(call_id=call_id, blocks=(TextBlock(text=result),), is_error=error)
        self._add("user", "tool", (answer,), trust)
        return number

    def _add(self, role: Role, speaker: Speaker, blocks: tuple[Block, ...], trust: Trust = "trusted") -> int:
        number = len(self.entries)
        tokens = tuple(count(text_of(block)) for block in blocks)
        self.entries.append(Entry(number, Message(role, blocks), tokens, speaker, trust=trust))
        return number


def compacted(
    entries: Sequence[Entry], step: Compact, window: int, summariser: Summariser = draft, **terms: Any
) -> tuple[View, Standing]:
    """The view of a conversation under one step, and how it stands."""
    conversation = Conversation(HistoryPolicy("compaction", (step,)))
    for entry in entries:
        conversation.add(entry)
    view = drive(conversation.prepare(Terms(window, count, reserve=0.0, **terms)), summariser)
    return view, conversation.standing


def always(keep: float = 0.1, limit: float = 0.3, **settings: Any) -> Compact:
    """A step that compacts before every request."""
    return Compact(Trigger("always"), keep=keep, limit=limit, **settings)


def texts(view: View) -> str:
    """All words of a view."""
    return "\n".join(text_of(block) for each in view.shown for block in each.message.blocks)
