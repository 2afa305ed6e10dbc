"""Messages as entries of a conversation: numbered, weighed block by block, and told by who wrote them."""

from ....model.history import Entry
from ....model.message import Message, ResultBlock
from ....model.transcript import Speaker
from ...text.blocks import block_tokens
from ..terms import Count
from .speakers import speaker_of


def entry(
    number: int,
    message: Message,
    count: Count,
    speaker: Speaker | None = None,
    *,
    response: str = "",
    pinned: bool = False,
) -> Entry:
    """A message with its number and its tokens; who wrote it is told by its form where nobody says it.

    What a tool or the harness wrote is untrusted: it adds no rule and no instruction. So is a person's message that
    holds a tool's result as well.
    """
    who = speaker or speaker_of(message)
    tokens = tuple(block_tokens(block, count) for block in message.blocks)
    system = message.role in ("system", "developer")
    told = who == "person" and any(isinstance(block, ResultBlock) for block in message.blocks)
    trusted = system or (who in ("person", "model") and not told)
    return Entry(number, message, tokens, who, response, pinned, "trusted" if trusted else "untrusted")
