"""Messages in chunks that fit the one who sums them up; every character of every message stands in exactly one chunk.

What does not fit is never cut off (M7, report 5): a longer history makes more chunks, and a longer message more parts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....model.history import Entry
from ....model.message import CallBlock, ResultBlock, TextBlock
from ...text.redact import redact
from ..artifacts.result_text import result_text
from ..terms import Count
from .material import argument_texts

LEAST = 200
"""The smallest limit of a chunk, in tokens: below it the words around a message would take the place of the message."""
WHO = {
    "person": "the person",
    "model": "the assistant",
    "tool": "a tool",
    "harness": "the harness",
    "summary": "a summary",
}


@dataclass(frozen=True, slots=True)
class Part:
    """A part of one message: its number, who said it, the text from `start` on, whether the message ends with it."""

    number: int
    who: str
    text: str
    start: int = 0
    last: bool = True

    @property
    def heading(self) -> str:
        """The line before it: which message it is of, and whether it goes on elsewhere."""
        more = "" if self.start == 0 and self.last else f", characters {self.start}-{self.start + len(self.text)}"
        return f"[message {self.number}, {self.who}{more}]"


Chunk = tuple[Part, ...]


def written(entry: Entry) -> str:
    """A message as the one who sums it up reads it: words, calls with their arguments, results; no thinking,
    and no secrets."""
    parts: list[str] = []
    for block in entry.message.blocks:
        if isinstance(block, TextBlock):
            parts.append(str(block.text))
        elif isinstance(block, CallBlock):
            parts.append(f"{block.name}: " + "\n".join(argument_texts(block)))
        elif isinstance(block, ResultBlock):
            parts.append(("error: " if block.is_error else "") + result_text(block))
    return redact("\n".join(parts))


def chunks(entries: Sequence[Entry], limit: int, count: Count) -> tuple[Chunk, ...]:
    """The messages in as few chunks of at most `limit` tokens as their order allows.

    ValueError for a limit under `LEAST`: no message of any length could be passed on whole.
    """
    if limit < LEAST:
        raise ValueError(f"a chunk of {limit} tokens holds no message; it takes {LEAST}")
    made: list[Chunk] = []
    chunk: list[Part] = []
    room = limit
    for entry in entries:
        for part in _parts(entry, limit, count):
            tokens = count(part.heading) + count(part.text) + 2
            if chunk and tokens > room:
                made.append(tuple(chunk))
                chunk, room = [], limit
            chunk.append(part)
            room -= tokens
    if chunk:
        made.append(tuple(chunk))
    assert covered(made) == {entry.number: written(entry) for entry in entries}, "a message was lost between chunks"
    return tuple(made)


def covered(made: Sequence[Chunk]) -> dict[int, str]:
    """What stands in the chunks, message by message: the proof that nothing is missing."""
    texts: dict[int, list[str]] = {}
    for part in (part for chunk in made for part in chunk):
        texts.setdefault(part.number, []).append(part.text)
    return {number: "".join(parts) for number, parts in texts.items()}


def _parts(entry: Entry, limit: int, count: Count) -> Iterator[Part]:
    """The message in parts that fit, halved until they do, at a line's end where there is one near."""
    text, who = written(entry), WHO[entry.speaker]
    waiting = [(0, len(text))]
    while waiting:
        start, end = waiting.pop()
        if count(text[start:end]) + LEAST // 4 > limit and end - start > 1:
            middle = (start + end) // 2
            line = text.rfind("\n", start + (end - start) // 4, middle)
            middle = line + 1 if line >= 0 else middle
            waiting.extend(((middle, end), (start, middle)))
        else:
            yield Part(entry.number, who, text[start:end], start, end == len(text))
