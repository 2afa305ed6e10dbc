"""Calls that wait for a person between two requests: the newer protocol has no way back, so the client asks again."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

from .faces import ProtocolError, Wire

Ask = Callable[[Wire], Awaitable[Wire]]
KEY = "question"
INVALID_STATE = -32602
MOST = 64
"""Calls of one person that wait at a time; the oldest makes room for the next."""


class Waiting:
    """The calls of one person's session that wait for an answer, each under a name that nobody can guess."""

    def __init__(self) -> None:
        self._open: dict[str, _Open] = {}

    async def begun(self, call: Callable[[Ask], Awaitable[Wire]]) -> Wire:
        """The result of a call, or the protocol's request for what a person has to say first."""
        opened = _Open(call)
        return await self._next(opened)

    async def resumed(self, state: str, answers: Any) -> Wire:
        """The same of a call that waited under this name. ProtocolError where none does."""
        opened = self._open.pop(state, None)
        if opened is None or opened.task.done():
            raise ProtocolError(INVALID_STATE, "no call waits under this requestState; make the call anew")
        answer = answers.get(KEY) if isinstance(answers, dict) else None
        opened.answer(answer if isinstance(answer, dict) else {"action": "cancel"})
        return await self._next(opened)

    async def _next(self, opened: "_Open") -> Wire:
        question = await opened.question()
        if question is None:
            return await opened.task
        if len(self._open) >= MOST:
            self._open.pop(next(iter(self._open))).task.cancel()
        state = secrets.token_urlsafe(24)
        self._open[state] = opened
        request = {"method": "elicitation/create", "params": question}
        return {"resultType": "input_required", "inputRequests": {KEY: request}, "requestState": state}

    def close(self) -> None:
        """Breaks off whatever waits."""
        for each in self._open.values():
            each.task.cancel()
        self._open.clear()


class _Open:
    def __init__(self, call: Callable[[Ask], Awaitable[Wire]]) -> None:
        self._questions: asyncio.Queue[tuple[Wire, asyncio.Future[Wire]]] = asyncio.Queue()
        self._asked: asyncio.Future[Wire] | None = None
        self.task: asyncio.Task[Wire] = asyncio.create_task(self._run(call))

    async def _run(self, call: Callable[[Ask], Awaitable[Wire]]) -> Wire:
        return await call(self._ask)

    async def _ask(self, wanted: Wire) -> Wire:
        answer: asyncio.Future[Wire] = asyncio.get_running_loop().create_future()
        await self._questions.put((wanted, answer))
        return await answer

    async def question(self) -> Wire | None:
        """What is asked next; None once the call has ended."""
        asked = asyncio.create_task(self._questions.get())
        try:
            await asyncio.wait((self.task, asked), return_when=asyncio.FIRST_COMPLETED)
            if not asked.done():
                return None
            wanted, self._asked = asked.result()
            return wanted
        finally:
            asked.cancel()

    def answer(self, answer: Wire) -> None:
        """Gives the person's answer to what was asked."""
        if self._asked is not None and not self._asked.done():
            self._asked.set_result(answer)
