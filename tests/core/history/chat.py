"""A conversation that goes on under a policy: calls and results as a test says them, and the views that were sent."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from callsheet.core.history.conversation import Conversation
from callsheet.core.history.recorded.entries import entry
from callsheet.core.history.terms import Terms
from callsheet.drive import drive
from callsheet.model.history import Edit, Standing, View
from callsheet.model.history_policy import HistoryPolicy, Step, Thinking
from callsheet.model.message import Block, CallBlock, Message, ResultBlock, TextBlock, ThinkingBlock

from .said import count

Call = tuple[str, Mapping[str, Any], str] | tuple[str, Mapping[str, Any], str, bool]
"""A tool's name, its arguments, its result, and whether that is an error."""
TOOLS = frozenset(("read", "bash", "recall"))


class Chat:
    """A conversation under these steps; a token is a word."""

    def __init__(self, *steps: Step, window: int = 10_000, thinking: Thinking = "strip", **terms: Any) -> None:
        self.conversation = Conversation(HistoryPolicy("p", steps, thinking=thinking))
        given = {"reserve": 0.0, "tools": TOOLS, "recall": "recall", **terms}
        self.terms = Terms(window, count, **given)
        self.sent: list[View] = []

    @property
    def standing(self) -> Standing:
        return self.conversation.standing

    @property
    def edits(self) -> tuple[Edit, ...]:
        return self.standing.edits

    @property
    def refusals(self) -> list[str]:
        return [each.refused for each in self.edits if each.refused]

    @property
    def cleared(self) -> list[int]:
        """The numbers of the messages in which a result was cleared."""
        return sorted({number for number, _ in self.standing.cleared})

    def say(self, *blocks: Block, role: str = "assistant", **said: Any) -> int:
        number = len(self.conversation.history)
        message = Message(role, blocks)  # type: ignore[arg-type]
        self.conversation.add(entry(number, message, count, **said))
        return number

    def person(self, text: str) -> int:
        return self.say(TextBlock(text=text), role="user")

    def answered(self, text: str = "So it is.") -> int:
        """The model has seen all there is, and says something."""
        return self.say(TextBlock(text=text))

    def called(self, *calls: Call, thinking: str = "", response: str = "") -> int:
        """One response with calls, or a piece of it, and one message with all their results, whose number it gives."""
        at = len(self.conversation.history)
        thought = (ThinkingBlock(text=thinking, signature=f"seal{at}"),) if thinking else ()
        blocks = [CallBlock(id=f"c{at}.{n}", name=each[0], arguments=each[1]) for n, each in enumerate(calls)]
        self.say(*thought, *blocks, response=response or f"r{at}")
        results = [
            ResultBlock(call_id=f"c{at}.{n}", blocks=(TextBlock(text=each[2]),), is_error=True if each[3:] else None)
            for n, each in enumerate(calls)
        ]
        return self.say(*results, role="user")

    def round(self, **terms: Any) -> View:
        """The view for the next request; the same again where nothing was said meanwhile."""
        terms_now = replace(self.terms, **terms)
        view = drive(self.conversation.prepare(terms_now), lambda effect: effect)
        standing = self.standing
        again = drive(self.conversation.prepare(terms_now), lambda effect: effect)
        assert self.standing is standing and again == view
        self.sent.append(view)
        return view

    def text(self, number: int, at: int = 0) -> str:
        """A result as it was sent last."""
        blocks = next(each.message.blocks for each in self.sent[-1].shown if number in each.numbers)
        found = blocks[at]
        assert isinstance(found, ResultBlock)
        return found.text


def reads(chat: Chat, number: int, words: int = 100, rounds: bool = False) -> list[int]:
    """So many reads of files of their own, one after another; the numbers of their results."""
    numbers = []
    for at in range(number):
        numbers.append(chat.called(("read", {"path": f"/p/{len(chat.conversation.history)}.py"}, f"w{at} " * words)))
        if rounds:
            chat.round()
    return numbers


def changed(before: View, after: View) -> int | None:
    """The first message of an earlier request that a later one does not begin with; None where it is all there."""
    for at, (one, other) in enumerate(zip(before.messages, after.messages, strict=False)):
        if one != other:
            return at
    return None if len(after.messages) >= len(before.messages) else len(after.messages)
