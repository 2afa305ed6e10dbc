"""A window as a file's own request lists show it: what changed between two of them is said, and nothing twice.

The current window's messages are held, which no model's window lets grow, and never those before.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...model.message import Message
from ...model.transcript import Change, Event, Replaced, Said, Speaker

Key = tuple[str, int]
"""A message's role and the hash of what it says."""


@dataclass(frozen=True, slots=True)
class Line:
    """One message of the window, and who wrote it."""

    message: Message
    speaker: Speaker


class Standing:
    """What stands in one conversation's window."""

    def __init__(self, thread: str = "") -> None:
        self.thread = thread
        self.keys: list[Key] = []
        self.lines: list[Line] = []

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages in the window."""
        return tuple(each.message for each in self.lines)

    def say(self, record: int, key: Key, line: Line, **said: Any) -> Said:
        """A message joins the window."""
        self.keys.append(key)
        self.lines.append(line)
        return Said(record=record, thread=self.thread, message=line.message, speaker=line.speaker, **said)

    def follow(
        self, record: int, keys: Sequence[Key], read: Callable[[int], Line], *, start: int = 0, end: int
    ) -> Iterator[Event]:
        """The window becomes the messages with the first `end` of these keys, of which `start` are known to stand.

        `read` makes the line of a number, where it is not known. What comes again is the message that it was. One that
        stands in another's place, with the same role, is that one, shortened or edited.
        """
        kept = self._common(keys, start, end)
        old, gone = self.keys[kept:], defaultdict[Key, list[Line]](list)
        if old:
            for key, line in zip(reversed(old), reversed(self.lines[kept:]), strict=True):
                gone[key].append(line)
            yield Replaced(record=record, thread=self.thread, change=_change(old, keys[kept:end]), kept=kept)
            del self.keys[kept:], self.lines[kept:]
        for at in range(kept, end):
            key, place = keys[at], at - kept
            if gone[key]:
                yield self.say(record, key, gone[key].pop(), again=True)
            else:
                edited = place < len(old) and old[place][0] == key[0]
                yield self.say(record, key, read(at), again=edited)

    def _common(self, keys: Sequence[Key], start: int, end: int) -> int:
        most = min(end, len(self.keys))
        return next((at for at in range(start, most) if keys[at] != self.keys[at]), most)


def _change(old: Sequence[Key], new: Sequence[Key]) -> Change:
    """Why the window was cut: its end was taken back, or earlier messages were shortened where they stand."""
    return "rewind" if len(new) < len(old) or not new or new[0][0] != old[0][0] else "eviction"
