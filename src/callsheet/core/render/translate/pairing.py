"""Calls and results that know each other: every call with an id of its own, every result with its call's id and name.

Gemini may leave ids out and matches by name, in order; the others leave the name out of a result. An id that is
missing, that another dialect would not take, or that an earlier call has used up becomes `call_{message}_{call}`,
counted from 0.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from ....model.message import Block, CallBlock, Message, ResultBlock

ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def paired(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages with their calls and results bound by id and name; what the provider ran itself is left alone."""
    pairs = _Pairs()
    return tuple(
        replace(message, blocks=tuple(pairs.bound(block, f"call_{at}_{number}") for number, block in _counted(message)))
        for at, message in enumerate(messages)
    )


def _counted(message: Message) -> list[tuple[int, Block]]:
    """The blocks, each with the number of calls before it in its message."""
    counted, calls = [], 0
    for block in message.blocks:
        counted.append((calls, block))
        calls += isinstance(block, CallBlock)
    return counted


class _Pairs:
    def __init__(self) -> None:
        self._open: list[tuple[CallBlock, str]] = []
        self._used: set[str] = set()

    def bound(self, block: Block, fresh: str) -> Block:
        if isinstance(block, CallBlock) and not block.server:
            return replace(block, id=self._asked(block, fresh))
        if isinstance(block, ResultBlock) and not block.server:
            return self._answered(block)
        return block

    def _asked(self, call: CallBlock, fresh: str) -> str:
        own = call.id is not None and ID.fullmatch(call.id) and call.id not in self._used
        call_id = call.id if own and call.id is not None else fresh
        while call_id in self._used:
            call_id += "_"
        self._used.add(call_id)
        self._open.append((call, call_id))
        return call_id

    def _answered(self, result: ResultBlock) -> ResultBlock:
        for at, (call, call_id) in enumerate(self._open):
            if _fits(result, call):
                del self._open[at]
                return replace(result, call_id=call_id, name=call.name)
        return result


def _fits(result: ResultBlock, call: CallBlock) -> bool:
    if result.call_id is not None and call.id is not None:
        return result.call_id == call.id
    return result.name is not None and result.name == call.name
