"""Where two parts of a request differ first: the item, and the byte in the part's own text."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from json import dumps

from ....model.message import Block, Message, ToolDefinition
from ...text.blocks import text_of
from ...text.shared_head import shared_head
from .sameness import bare_blocks, bare_tools


@dataclass(frozen=True, slots=True)
class Difference:
    """An item of a request and the first byte that differs, counted over the text of the whole part."""

    item: str | None
    byte: int | None


def in_tools(one: Sequence[ToolDefinition], other: Sequence[ToolDefinition]) -> Difference:
    """The first tool whose definition differs, by the name it has in the later list."""
    mine, theirs = bare_tools(one), bare_tools(other)
    at = next((at for at, pair in enumerate(zip_longest(mine, theirs)) if pair[0] != pair[1]), None)
    if at is None:
        return Difference(None, None)
    named = theirs[at] if at < len(theirs) else mine[at]
    return Difference(str(named.name), _byte(map(_definition, mine), map(_definition, theirs)))


def in_blocks(part: str, one: Iterable[Block], other: Iterable[Block]) -> Difference:
    """The first block that differs, as `part[n]`."""
    mine, theirs = bare_blocks(one), bare_blocks(other)
    at = next((at for at, pair in enumerate(zip_longest(mine, theirs)) if pair[0] != pair[1]), None)
    if at is None:
        return Difference(part, 0)
    return Difference(f"{part}[{at}]", _byte(map(text_of, mine), map(text_of, theirs)))


def in_message(part: str, one: Sequence[Message], other: Sequence[Message]) -> Difference:
    """The first block that differs between two messages, each given alone in a sequence or missing."""
    if not one or not other or one[0].role != other[0].role:
        return Difference(part, 0)
    return in_blocks(part, one[0].blocks, other[0].blocks)


def _byte(one: Iterable[str], other: Iterable[str]) -> int:
    joined = ("".join(texts).encode("utf-8", "surrogatepass") for texts in (one, other))
    return shared_head(*joined)


def _definition(tool: ToolDefinition) -> str:
    return dumps(asdict(tool), ensure_ascii=False, default=str)
