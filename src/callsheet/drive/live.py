"""The drivers that also tell of a reply while it comes: each piece of it, then the effect with its answer."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from queue import SimpleQueue
from typing import Any, NamedTuple, Protocol, TypeVar

from ..model.effect import Call, Effect, Flow
from ..model.message import Reply
from ..model.prompt import Delta

Result = TypeVar("Result")
Tell = Callable[[Delta], None]


class Happened(NamedTuple):
    """One effect, performed and journalled, with its answer."""

    effect: Effect[Any]
    answer: Any


class Streaming(Protocol):
    """An outside that tells the pieces of a reply while a `Call` is under way, and can break it off."""

    @property
    def streams(self) -> bool:
        """True where replies come piece by piece."""

    def __call__(self, effect: Effect[Any], tell: Tell | None = None) -> Any:
        """The effect's answer."""

    async def perform(self, effect: Effect[Any], tell: Tell | None = None) -> Any:
        """The effect's answer, awaited; cancelling it breaks a model call off."""

    def cancel(self) -> None:
        """Breaks off the model call that is running."""


def live(flow: Flow[Result], outside: Streaming) -> Generator[Happened | Delta, None, Result]:
    """Yields each piece of a reply and each effect with its answer as they happen; returns the flow's result."""
    answer: Any = None
    while True:
        try:
            effect = flow.send(answer)
        except StopIteration as end:
            result: Result = end.value
            return result
        if isinstance(effect, Call) and outside.streams:
            answer = yield from _pieces(outside, effect)
        else:
            answer = outside(effect)
        yield Happened(effect, answer)


def _pieces(outside: Streaming, effect: Call) -> Generator[Delta, None, Any]:
    """The call runs in a thread of its own, so that its pieces can be yielded here; leaving early breaks it off."""
    pieces: SimpleQueue[Delta | None] = SimpleQueue()
    with ThreadPoolExecutor(1) as thread:  # leaving it waits: until the reply is journalled nobody else may go on
        running = thread.submit(outside, effect, pieces.put)
        running.add_done_callback(lambda _: pieces.put(None))
        try:
            while (piece := pieces.get()) is not None:
                yield piece
        except BaseException:
            outside.cancel()
            raise
    return running.result()


async def alive(flow: Flow[Result], outside: Streaming) -> AsyncGenerator[Happened | Delta | Result, None]:
    """As `live`, awaited; the flow's result comes last: an async generator cannot return one."""
    answer: Any = None
    while True:
        try:
            effect = flow.send(answer)
        except StopIteration as end:
            yield end.value
            return
        if isinstance(effect, Call) and outside.streams:
            async with aclosing(_awaited_pieces(outside, effect)) as pieces:
                async for each in pieces:
                    if isinstance(each, Delta):
                        yield each
                    else:
                        answer = each
        else:
            answer = await outside.perform(effect)
        yield Happened(effect, answer)


async def _awaited_pieces(outside: Streaming, effect: Call) -> AsyncGenerator[Delta | Reply, None]:
    """Each piece of the reply, and last the reply; leaving early cancels the call, and waits until it is journalled."""
    pieces: asyncio.Queue[Delta | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def tell(piece: Delta) -> None:
        loop.call_soon_threadsafe(pieces.put_nowait, piece)

    running = asyncio.ensure_future(outside.perform(effect, tell))
    running.add_done_callback(lambda _: pieces.put_nowait(None))
    try:
        while (piece := await pieces.get()) is not None:
            yield piece
        yield running.result()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
