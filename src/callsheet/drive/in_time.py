"""Waiting for a tool no longer than it was given. A thread cannot be stopped, so a call may outlive its time."""

from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import dataclass, field
from threading import Thread

from ..model.tool import RawResult

TIMEOUT = "timeout"
"""The failure that a call is noted with that gave nothing in its time; whether it happened, nobody can say."""


@dataclass(frozen=True, slots=True)
class Running:
    """Runs calls within their time, and knows which of them run on."""

    _late: dict[str, Future[RawResult]] = field(default_factory=dict)

    def __call__(self, identity: str, work: Callable[[], RawResult], seconds: float) -> RawResult:
        """What `work` gave; where it has given nothing in `seconds`, an unknown result. 0 waits as long as it takes."""
        if not seconds:
            return work()
        ended: Future[RawResult] = Future()
        Thread(target=copy_context().run, args=(_into, ended, work), daemon=True).start()
        try:
            return ended.result(seconds)
        except TimeoutError:
            if ended.done():
                raise  # the tool's own words
            self._late[identity] = ended
            return RawResult(failure=TIMEOUT, unknown=True, detail=f"no answer within {seconds:g} seconds")

    def runs_on(self, identity: str) -> bool:
        """Whether a call of this identity outlived its time, and has not ended since."""
        ended = self._late.get(identity)
        if ended is not None and ended.done():
            self._late.pop(identity, None)
            return False
        return ended is not None


def _into(ended: "Future[RawResult]", work: Callable[[], RawResult]) -> None:
    try:
        ended.set_result(work())
    except BaseException as error:
        ended.set_exception(error)
