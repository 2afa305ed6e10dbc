"""Leases as advisory locks: the server lets go of them when the process that held them, or its machine, dies."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

import psycopg

from ....errors import UsageError
from .server import Server, translating

_AGAIN = 0.02
"""Seconds between two tries of one who waits: a lock that is waited for would keep the connection from all others."""


class Locks:
    """The locks of one process, all held over one connection of its own; a session and not a transaction keeps them.

    Where that connection breaks the server lets go of them; they are taken again with the next use. What must never
    happen twice does not rest on a lease: an intention is looked up and written in one transaction.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._lock = Lock()
        self._held: set[str] = set()
        self._connection: psycopg.Connection[Any] | None = None

    def take(self, name: str) -> bool:
        """Whether the lock of this name is ours now; False where anybody has it, in this process too."""
        with self._lock, translating(self._server.name):
            if name in self._held:
                return False
            taken = self._ask("SELECT pg_try_advisory_lock(hashtextextended($1, 0))", name)
            if taken:
                self._held.add(name)
            return taken

    def release(self, name: str) -> None:
        """Lets go of a lock of ours."""
        with self._lock, translating(self._server.name):
            self._held.discard(name)
            if self._connection is not None and not self._connection.closed:
                self._ask("SELECT pg_advisory_unlock(hashtextextended($1, 0))", name)

    def close(self) -> None:
        """Lets go of every lock."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None
            self._held.clear()

    def _ask(self, statement: Any, name: str) -> bool:
        try:
            return self._told(statement, name)
        except psycopg.OperationalError:
            if self._connection is None or not self._connection.closed:
                raise
            return self._told(statement, name)

    def _told(self, statement: Any, name: str) -> bool:
        if self._connection is None or self._connection.closed:
            self._connection = self._server.connected()
            for held in self._held:
                self._connection.execute("SELECT pg_try_advisory_lock(hashtextextended($1, 0))", (held,))
        row = self._connection.execute(statement, (name,)).fetchone()
        return bool(row and row[0])


class PostgresLeases:
    """The `Leases` port for one tenant, given by its encoded name."""

    def __init__(self, locks: Locks, tenant: str) -> None:
        self._locks = locks
        self._tenant = tenant

    @contextmanager
    def held(self, name: str, what: str, *, wait: bool = False) -> Iterator[None]:
        """Holds a name alone for the time of the block; UsageError that names `what` where another holds it, unless
        `wait` says to wait until that one is done.
        """
        lock = f"callsheet lease {self._tenant} {name}"
        while not self._locks.take(lock):
            if not wait:
                raise UsageError(f"{what} is being worked on by another process; wait for it, or end it")
            time.sleep(_AGAIN)
        try:
            yield
        finally:
            self._locks.release(lock)
