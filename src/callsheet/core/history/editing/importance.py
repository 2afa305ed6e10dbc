"""How much a tool's result matters for what is being done now, from 0 to 1 (F4): a pure score, no model asked."""

from collections.abc import Iterable, Mapping, Sequence

from ....model.message import CallBlock, ResultBlock
from ...text.likeness import telling_words
from ..record import History
from ..recorded.pairing import Place
from ..recorded.tool_results import ToolResult

TASK, USED, RECENT = 0.5, 0.3, 0.2
"""What it shares with the task's words, how lately a call named the same thing, and how new it is."""
LONGEST = 200
"""The longest argument, in characters, that names a thing; longer ones are contents."""


def scores(history: History, results: Sequence[ToolResult]) -> Mapping[Place, float]:
    """The score of each result: words of the task under way, later calls that name what it is about, its place."""
    end = max(1, len(history) - 1)
    task = telling_words(history.entries[history.turns[-1]].message.text) if history.turns else frozenset()
    named: dict[str, int] = {}
    for number, at in history.calls.values():
        for name in _names(history.entries[number].message.blocks[at]):
            named[name] = max(named.get(name, 0), number)
    return {each.place: _score(history, each, task, named, end) for each in results}


def _score(history: History, result: ToolResult, task: frozenset[str], named: Mapping[str, int], end: int) -> float:
    number, at = result.place
    block = history.entries[number].message.blocks[at]
    call = history.entries[result.call[0]].message.blocks[result.call[1]]
    words = telling_words(block.text) if isinstance(block, ResultBlock) else frozenset()
    shared = len(task & (words | telling_words(result.short))) / len(task) if task else 0.0
    later = max((named[name] for name in _names(call) if name in named), default=0)
    used = later / end if later > number else 0.0
    return TASK * shared + USED * used + RECENT * number / end


def _names(call: object) -> Iterable[str]:
    arguments = call.arguments if isinstance(call, CallBlock) else None
    values = arguments.values() if isinstance(arguments, Mapping) else ()
    return [value for value in values if isinstance(value, str) and 2 < len(value) <= LONGEST]
