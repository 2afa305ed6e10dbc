"""Why the prefix of two requests ends where it does: the causes of G2, by rules over what changed."""

import re
from collections.abc import Iterable, Mapping, Sequence

from ....model.message import Block, CompactionBlock, Message, ResultBlock, TextBlock
from ....model.prompt import Prompt
from ...text.blocks import text_of
from ...text.shared_head import shared_head
from .sameness import bare, bare_blocks, bare_tools, same

CAUSES: Mapping[str, str] = {
    "timestamp": "a time, date or number near the start is written anew for each request",
    "conditional-text": "a text near the start comes and goes",
    "system-changed": "the system text is another one",
    "tools-reordered": "the same tools come in another order, as from an unordered map",
    "tools-changed": "tools came, went or were defined anew between two requests",
    "status-block-rotated": "a status block is written anew in its old place, or taken away there and put in later",
    "messages-removed": "older messages were taken out of the middle",
    "results-cleared": "old tool results were cleared",
    "compacted": "a summary took the place of older messages",
    "message-edited": "an earlier message was changed",
    "cut-back": "the conversation went back to an earlier message",
    "new-conversation": "another conversation begins",
    "model-changed": "another model was asked",
    "parameters-changed": "a setting that is part of the cached prefix changed",
    "other-endpoint": "the request went to another address",
    "expired": "the provider's cache had expired",
    "provider": "nothing that was sent changed, and the provider read less from its cache",
    "unknown": "the file does not show what changed",
}
"""The closed list of causes, each with what it means."""
VARYING = re.compile(
    r"\d{1,4}([-/.:]\d{1,2}){1,2}|\d{1,2}:\d{2}|\b\d{6,}\b|[0-9a-f]{8}-[0-9a-f]{4}|\b\d+\b"
    r"|\b(mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(january|february|march|april|may|june|july|august|september"
    r"|october|november|december)\b",
    re.IGNORECASE,
)
"""What changes by itself from one request to the next: times, dates, counters, ids."""


def cause_of(kind: str, part: str, one: Prompt, other: Prompt) -> str:
    """The cause of a break at this part."""
    if part == "tools":
        return _of_tools(one, other)
    if part == "system":
        return _of_texts(one.system, other.system) or "system-changed"
    if kind == "truncated":
        return "cut-back"
    return _of_messages(int(part.removeprefix("msg")), one.messages, other.messages)


def _of_tools(one: Prompt, other: Prompt) -> str:
    mine, theirs = bare_tools(one.tools), bare_tools(other.tools)
    reordered = len(mine) == len(theirs) and all(each in theirs for each in mine)
    return "tools-reordered" if reordered else "tools-changed"


def _of_messages(at: int, before: Sequence[Message], after: Sequence[Message]) -> str:
    mine, theirs = before[at], after[at]
    if _summarised(before[at:], after[at:]):
        return "compacted"
    if any(same(each, theirs) for each in before[at + 1 :]):
        return "messages-removed"
    if rotated(mine, after[at:]):
        return "status-block-rotated"
    if at == 0 or (at == 1 and mine.role == theirs.role and before[0].role in ("system", "developer")):
        return _of_start(at, before, after)
    if _cleared(mine, theirs):
        return "results-cleared"
    return "message-edited"


def _of_start(at: int, before: Sequence[Message], after: Sequence[Message]) -> str:
    """The cause of a difference in the first words: the same conversation with text that varies, or another one."""
    mine, theirs = before[at], after[at]
    cause = _of_texts(mine.blocks, theirs.blocks) if mine.role == theirs.role else ""
    if mine.role in ("system", "developer") and theirs.role == mine.role:
        return cause or ("new-conversation" if len(before) < 2 or len(after) < 2 else "system-changed")
    goes_on = any(same(mine, theirs) for mine, theirs in zip(before[at + 1 :], after[at + 1 :], strict=False))
    return (cause or "message-edited") if goes_on else "new-conversation"


def _of_texts(one: Iterable[Block], other: Iterable[Block]) -> str:
    """Gives "timestamp" or "conditional-text" where that is all that two texts differ by, else nothing."""
    before, after = ("\n".join(map(text_of, blocks)) for blocks in (one, other))
    gone, came = changed(before, after)
    if VARYING.sub("", gone) == VARYING.sub("", came) and gone != came:
        return "timestamp"
    shared = max(len(before), len(after)) - max(len(gone), len(came))
    return "conditional-text" if shared and not (gone.strip() and came.strip()) else ""


def changed(one: str, other: str) -> tuple[str, str]:
    """What stands between the beginning and the end that two texts share, widened to whole words."""
    shorter = min(len(one), len(other))
    head = shared_head(one, other)
    tail = min(shared_head(one[::-1], other[::-1]), shorter - head)
    if head + tail < shorter or len(one) == len(other):
        while head and not one[head - 1].isspace():
            head -= 1
        while tail and not one[-tail].isspace():
            tail -= 1
    return one[head : len(one) - tail], other[head : len(other) - tail]


def rotated(mine: Message, after: Sequence[Message]) -> bool:
    """True where a block of a message was taken out and stands, written anew or not, further on; or changed in place.

    A status block is told by its first line: a tag or a heading that the new one begins with as well.
    """
    theirs = after[0]
    one, other = bare_blocks(mine.blocks), bare_blocks(theirs.blocks)
    heads = {head for block in one if block not in other and (head := _heading(block))}
    if not heads or mine.role != theirs.role:
        return False
    later = {_heading(block) for message in after[1:] for block in bare_blocks(message.blocks)}
    in_place = {_heading(block) for block in other if block not in one}
    return bool(heads & (later | in_place))


def _heading(block: Block) -> str:
    """The tag or heading a text block begins with, "" where it has none."""
    text = str(block.text).lstrip() if isinstance(block, TextBlock) else ""
    line = text[:120].split("\n", 1)[0].strip()
    tagged = re.match(r"<[A-Za-z][\w.-]*|\[[\w .-]+\]|#+ [\w ]+|[^\W\d][^\W\d ]*(?: [^\W\d]+){0,4}:(?=\s|$)", line)
    return tagged.group() if tagged else ""


def _cleared(mine: Message, theirs: Message) -> bool:
    results = [{each.call_id: each for each in side.blocks if isinstance(each, ResultBlock)} for side in (mine, theirs)]
    pairs = [(each, results[1][call_id]) for call_id, each in results[0].items() if call_id in results[1]]
    return any(len(other.text) < len(each.text) and each != other for each, other in pairs)


def _summarised(before: Sequence[Message], after: Sequence[Message]) -> bool:
    known = [bare(each) for each in before if any(isinstance(block, CompactionBlock) for block in each.blocks)]
    held = (each for each in after if any(isinstance(block, CompactionBlock) for block in each.blocks))
    return any(bare(each) not in known for each in held)
