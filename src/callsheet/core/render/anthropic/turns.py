"""A conversation as the Messages API sees it: neighbouring messages of one role are one turn."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from ....model.message import Block, CallBlock, Message, ResultBlock, Role
from ....model.prompt import Prompt

Speaker = Literal["user", "assistant", "system"]
SPEAKERS: dict[Role, Speaker] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "tool": "user",
    "assistant": "assistant",
}


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker says in a row: its messages, and their blocks as one list."""

    speaker: Speaker
    messages: tuple[Message, ...]
    blocks: tuple[Block, ...]

    @property
    def calls(self) -> tuple[CallBlock, ...]:
        """The calls that the caller has to answer."""
        return tuple(block for block in self.blocks if isinstance(block, CallBlock) and not block.server)

    @property
    def unfinished(self) -> bool:
        """True where a call that the provider runs has no result in this turn."""
        done = {block.call_id for block in self.blocks if isinstance(block, ResultBlock)}
        return any(isinstance(block, CallBlock) and block.server and block.id not in done for block in self.blocks)

    @property
    def ends_with_server(self) -> bool:
        """True where its last block is a provider's own call or the result of one: the model goes on from there."""
        return bool(self.blocks) and isinstance(self.blocks[-1], CallBlock | ResultBlock) and self.blocks[-1].server


def turns(prompt: Prompt) -> tuple[Turn, ...]:
    """The turns of the conversation, in order."""
    return tuple(_turns(prompt))


def _turns(prompt: Prompt) -> Iterator[Turn]:
    for speaker, group in groupby(prompt.messages, key=lambda message: SPEAKERS[message.role]):
        messages = tuple(group)
        yield Turn(speaker, messages, tuple(block for message in messages for block in message.blocks))
