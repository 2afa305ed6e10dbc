"""What indexes keep between searches: views up to a limit of memory, connections up to a limit of open files."""

import threading
from collections import OrderedDict
from typing import Protocol

from ...model.knowledge_policy import Ranking
from .view import View

MEMORY = 512 * 2**20
"""Bytes of all views together, about; the one that was not used for longest goes first."""
OPEN = 256
"""Files that stay open while nobody searches them."""

Key = tuple[str, tuple[int, ...], Ranking, bool, bool]
"""A file's mark, which of its partitions are visible; ranked how; with history, and with vectors."""


class Closing(Protocol):
    """What has a file open, closes it when it is told to, and opens it again when it is used."""

    def close(self) -> None:
        """Closes the file."""


class Kept:
    """Views by what they show, and the indexes that have a file open. One serves any number of indexes and threads."""

    def __init__(self, memory: int = MEMORY, files: int = OPEN) -> None:
        self._memory, self._files = memory, files
        self._size = 0
        self._views: OrderedDict[Key, View] = OrderedDict()
        self._open: OrderedDict[Closing, None] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key) -> View | None:
        """The view that was kept under this key."""
        with self._lock:
            view = self._views.get(key)
            if view is not None:
                self._views.move_to_end(key)
            return view

    def keep(self, key: Key, view: View) -> None:
        """Keeps a view, and lets those go that no longer fit beside it."""
        with self._lock:
            self._drop(key)
            self._views[key] = view
            self._size += view.size
            while self._size > self._memory and len(self._views) > 1:
                self._drop(next(iter(self._views)))

    def opened(self, index: Closing) -> None:
        """Notes that an index has its file open, and closes those that were not used for longest."""
        with self._lock:
            self._open[index] = None
            self._open.move_to_end(index)
            over = [self._open.popitem(last=False)[0] for _ in range(len(self._open) - self._files)]
        for other in over:
            other.close()

    def closed(self, index: Closing) -> None:
        """Notes that an index has no file open any more."""
        with self._lock:
            self._open.pop(index, None)

    def _drop(self, key: Key) -> None:
        view = self._views.pop(key, None)
        if view is not None:
            self._size -= view.size
