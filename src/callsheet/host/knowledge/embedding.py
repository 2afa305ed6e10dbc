"""Vectors after words: what was ingested is found by its words at once, and gets its vectors beside that.

A section has its vector or it has not, and only a whole batch is committed: whoever is stopped goes on from there.
"""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...model.ingest import Told

if TYPE_CHECKING:
    from ...edges.indexes.index import TenantIndex

AT_ONCE = 100
"""So few sections of the project's own are embedded before the first search, so that its searches are all alike
(invariant 1): about ten seconds of the embedded model, once."""
BATCH = 8


def embed(index: "TenantIndex", told: Told | None = None, stopped: Callable[[], bool] = lambda: False) -> int:
    """How many sections got their vectors, until none lacks one or it was stopped. OutageError from the embedder."""
    done, lacking = 0, index.pending()
    while not stopped() and (made := index.embed(BATCH)):
        done += made
        if told is not None:
            told(done, max(done, lacking))
    return done


@dataclass(slots=True, eq=False)
class Work:
    """The embedding of one index: its end, how many sections it was, and what ended it early."""

    index: "TenantIndex"
    told: list[Told] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)
    done: int = 0
    failure: Exception | None = None

    def tell(self, done: int, of: int) -> None:
        """Tells everyone who listens."""
        self.done = done
        for each in tuple(self.told):
            each(done, of)


class BackgroundEmbedding:
    """Embeds what indexes lack, one after another, in a thread that lives while there is work.

    An outage ends the work on an index; what is missing is told by its searches, and the next ingest tries again.
    """

    def __init__(self) -> None:
        self._waiting: deque[Work] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    def want(self, index: "TenantIndex", told: Told | None = None) -> Work:
        """The work on an index, begun or queued; one that waits already is not queued again."""
        with self._changed:
            work = next((each for each in self._waiting if each.index is index), None) or Work(index)
            if told is not None:
                work.told.append(told)
            if self._closed:
                work.over.set()
            elif work not in self._waiting:
                self._waiting.append(work)
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="callsheet-embedding", daemon=True)
                    self._thread.start()
            return work

    def close(self) -> None:
        """Ends after the batch at hand; what is missing stays for the next time."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._thread is None)

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._waiting:
                    self._thread = None
                    self._changed.notify_all()
                    return
                work = self._waiting.popleft()
            try:
                embed(work.index, work.tell, lambda: self._closed)
            except Exception as error:  # words are found all the same; whoever waits for the work is told
                work.failure = error
            finally:
                work.over.set()
