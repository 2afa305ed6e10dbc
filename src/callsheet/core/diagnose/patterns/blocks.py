"""The blocks of a conversation as patterns are given them: whose words each is, and which call it is or answers."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from .texts.reading import Reading

Source = Literal["system", "person", "harness", "model", "tool", "summary", "evidence", "memory"]
"""Whose words a block is."""
LONGEST_QUOTE = 300
COMMANDS = ("command", "cmd", "script", "code", "input")
"""The arguments of a tool that hold what it runs in a shell."""


@dataclass(frozen=True)
class Call:
    """A tool call: `written` are its arguments as one text, the same for the same ones; `text` is what was sent.

    `server`: the provider runs it itself; its result may stand nowhere.
    """

    id: str
    name: str
    arguments: Any
    written: str
    record: int
    round: int
    text: str = ""
    server: bool = False

    @cached_property
    def key(self) -> str:
        """The call's name and arguments: equal for the same call."""
        return f"{self.name} {self.written}"

    @cached_property
    def brief(self) -> "Call":
        """The call as far as a finding quotes it."""
        text = self.text[:LONGEST_QUOTE]
        return Call(self.id, self.name, None, self.written, self.record, self.round, text, self.server)

    @cached_property
    def shell(self) -> Reading:
        """What the call runs in a shell; the text itself where the model writes its commands as text."""
        if not isinstance(self.arguments, dict):
            return Reading(self.text if self.arguments is None else "")
        found = next((self.arguments[key] for key in COMMANDS if isinstance(self.arguments.get(key), str | list)), "")
        return Reading(" ".join(map(str, found)) if isinstance(found, list) else found)


@dataclass(frozen=True)
class ReadBlock:
    """One block of a message: whose words it is, its text, and the call it is or answers.

    What is kept of many blocks is their `brief`, which lets go of the text and of all that was read in it.
    """

    kind: Literal["text", "thinking", "call", "result"]
    source: Source
    text: str
    record: int
    message: int = 0
    call: Call | None = None
    error: bool = False
    tokens: int = 0

    @cached_property
    def reading(self) -> Reading:
        """The text as patterns read it."""
        return Reading(self.text)

    @property
    def head(self) -> str:
        """The text as far as patterns read it."""
        return self.reading.head

    @cached_property
    def brief(self) -> "ReadBlock":
        """The block as far as a finding quotes it: what is kept of many blocks."""
        call, text = self.call and self.call.brief, self.text[:LONGEST_QUOTE]
        return ReadBlock(self.kind, self.source, text, self.record, self.message, call, self.error, self.tokens)
