"""Newly cut messages, read once: who said what, what was called, which exact names came up, the artifact index."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b

from ....model.diagnosis import Artifacts
from ....model.history import Entry, Line
from ....model.item import Trust
from ....model.message import CallBlock, Message, ResultBlock, TextBlock
from ....model.transcript import Said
from ..artifacts.index import ArtifactIndex
from ..artifacts.result_text import result_text as answer_text
from ..artifacts.tools import line_of
from .identifiers import identifiers
from .speech import sentences

Rule = Callable[["Material"], Iterable[Line]]
"""Draws the lines of one section from the material."""
NUMBERS = 8
"""Of the messages a line was drawn from so many are noted, the newest ones."""


@dataclass(slots=True)
class Mention:
    """Where an exact name came up: the newest messages, how often in all, and who used it."""

    numbers: tuple[int, ...] = ()
    times: int = 0
    used: bool = False
    person: bool = False

    def add(self, number: int) -> None:
        """One more message with it."""
        self.times += 1
        self.numbers = (*self.numbers[-NUMBERS + 1 :], number)


@dataclass(frozen=True)
class Material:
    """The messages that a summary is made of; everything drawn from them is drawn once, when it is first asked for.

    `instructions` are those that leave the window with them: nothing of those is summarised, but the exact
    names in them are known.
    """

    entries: Sequence[Entry]
    instructions: Sequence[Entry] = ()
    by_number: dict[int, Entry] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.by_number.update((entry.number, entry) for entry in (*self.entries, *self.instructions))

    def line(self, section: str, text: str, numbers: Sequence[int], key: str = "", quote: bool = False) -> Line:
        """A line drawn from these messages, as one written line; without a key its own words are its key."""
        kept = tuple(numbers)[-NUMBERS:]
        return Line(section, " ".join(text.split("\n")).strip(), key or digest(text), 1, kept, quote, self.trust(kept))

    def trust(self, numbers: Sequence[int]) -> Trust:
        """The lowest label of these messages."""
        return lowest(self.by_number[each].trust for each in numbers if each in self.by_number)

    @cached_property
    def index(self) -> Artifacts:
        """The artifact index of these messages; its records are their numbers."""
        index = ArtifactIndex()
        for entry in self.entries:
            index.take(Said(record=entry.number, message=entry.message, speaker=entry.speaker, response=entry.response))
        return index.result()

    @cached_property
    def spoken(self) -> tuple[tuple[int, str], ...]:
        """Every sentence of a person, with its message."""
        return tuple(self._sentences(("person",)))

    @cached_property
    def told(self) -> tuple[tuple[int, list[str]], ...]:
        """The model's sentences, message by message; a summary of an agent's own is taken for the model's words."""
        found: dict[int, list[str]] = {}
        for number, sentence in self._sentences(("model", "summary")):
            found.setdefault(number, []).append(sentence)
        return tuple(found.items())

    def _sentences(self, speakers: tuple[str, ...]) -> Iterator[tuple[int, str]]:
        for entry in self.entries:
            if entry.speaker in speakers:
                for block in entry.message.blocks:
                    if isinstance(block, TextBlock):
                        yield from ((entry.number, each) for each in sentences(str(block.text)))

    @cached_property
    def calls(self) -> tuple[tuple[int, CallBlock], ...]:
        """The model's calls, with their messages."""
        return tuple((entry.number, call) for entry in self.entries for call in entry.message.calls)

    @cached_property
    def lines(self) -> tuple[tuple[int, CallBlock, str], ...]:
        """The command lines that were run, with their calls and messages."""
        called = ((number, call, line_of(call)) for number, call in self.calls)
        return tuple(each for each in called if each[2])

    @cached_property
    def answered(self) -> dict[str, int]:
        """By call, the message that holds its last result."""
        return {
            block.call_id: entry.number
            for entry in self.entries
            for block in entry.message.blocks
            if isinstance(block, ResultBlock) and block.call_id
        }

    @cached_property
    def mentions(self) -> dict[str, Mention]:
        """Every exact name, in the order in which it first came up."""
        found: dict[str, Mention] = {}
        for entry in sorted((*self.entries, *self.instructions), key=lambda entry: entry.number):
            used = entry.speaker != "tool"
            for name in dict.fromkeys(name for text in texts(entry.message) for name in identifiers(text)):
                mention = found.setdefault(name, Mention())
                mention.add(entry.number)
                mention.used = mention.used or used
                mention.person = mention.person or entry.speaker == "person"
        return found


def digest(text: str) -> str:
    """A short name of a sentence that stays the same however it is spaced or capitalised."""
    return blake2b(" ".join(re.findall(r"\w+", text.casefold())).encode("utf-8", "replace"), digest_size=6).hexdigest()


def lowest(labels: Iterable[Trust]) -> Trust:
    """The lowest of these labels."""
    return "untrusted" if "untrusted" in labels else "trusted"


def texts(message: Message) -> Iterator[str]:
    """The texts of a message that something can be drawn from: words, arguments of calls, results; no thinking."""
    for block in message.blocks:
        if isinstance(block, TextBlock):
            yield str(block.text)
        elif isinstance(block, CallBlock):
            yield block.name
            yield from argument_texts(block)
        elif isinstance(block, ResultBlock):
            yield answer_text(block)


def argument_texts(call: CallBlock) -> Iterator[str]:
    """The texts in a call's arguments, with the arguments' names; its written form where that is no JSON."""
    if call.arguments is None:
        yield call.written or ""
        return
    waiting = [call.arguments]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            yield from value
            waiting.extend(reversed(value.values()))
        elif isinstance(value, list | tuple):
            waiting.extend(reversed(value))
        elif value is not None and not isinstance(value, bool):
            yield json.dumps(value)
