"""The views that are kept between searches: as many as fit a limit of memory, whatever the tenants and the grants."""

import threading
from collections import OrderedDict

from ...model.knowledge_policy import Ranking
from .view import Partition, View

LIMIT = 512 * 2**20
"""Bytes of all views together, about; the one that was not used for longest goes first."""

Key = tuple[str, tuple[Partition, ...], Ranking, bool, bool]
"""A file's mark, what is visible of it and how often that was changed; ranked how; with history, and with vectors."""


class Views:
    """Views by what they show. Any thread may use it; a view itself is never changed but for what it has read."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._size = 0
        self._views: OrderedDict[Key, View] = OrderedDict()
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
            while self._size > self._limit and len(self._views) > 1:
                self._drop(next(iter(self._views)))

    def _drop(self, key: Key) -> None:
        view = self._views.pop(key, None)
        if view is not None:
            self._size -= view.size
