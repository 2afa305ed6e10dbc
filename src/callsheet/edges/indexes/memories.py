"""The memories of one tenant in an index of their own: a copy that follows the store, and ranks as documents are.

A memory is written into the store alone; the index catches up before it is searched. How far it has come stands in the
same transaction as what it took in, so that a process may end anywhere: the next search goes on from there. When the
store says that records were deleted, what is left of them here is taken out before anything is searched, and a file
is written anew, so that no byte stays.

Any number of processes may share an index: whoever brings it further excludes the others, who look how far it has come
when it is their turn. Where it stands in the store's own database, the store is looked at in that same transaction, so
that nothing comes in that was deleted meanwhile.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from secrets import token_hex
from threading import Lock
from typing import NamedTuple

from ...core.documents.convert import memory_document, memory_grants
from ...model.evidence import Query
from ...model.memory import MemoryMark
from ...ports import MemoryLog
from .database import Connection
from .documents import Known, Writer
from .index import TenantIndex

_AT_ONCE = 1_000
"""Records of one transaction, so that whoever is stopped has lost no more."""
_TABLE = """
CREATE TABLE IF NOT EXISTS memory_index_place (
    number INTEGER NOT NULL, deletions TEXT NOT NULL, record_id TEXT NOT NULL, erase INTEGER NOT NULL)
"""
_NOWHERE = MemoryMark()


class _Step(NamedTuple):
    """What one transaction did: how many records it took in or out, how far the index has come, and what is left."""

    changed: int
    place: MemoryMark
    more: bool
    erase: bool


class MemoryIndex:
    """The memories of one tenant, found by a question. Any number of threads may search it at once.

    `grown` is told the index when records were taken in. `log_in` gives the store's log as the index's own transaction
    sees it, where both are rows of one database; None where the index is a file.
    """

    def __init__(
        self,
        index: TenantIndex,
        grown: Callable[[TenantIndex], None] | None = None,
        log_in: Callable[[Connection], MemoryLog] | None = None,
    ) -> None:
        self.index = index
        self._grown, self._log_in = grown, log_in
        self._place: MemoryMark | None = None
        self._lock = Lock()

    def search(self, query: Query, log: MemoryLog) -> Mapping[str, float]:
        """How relevant each record of the query's purpose is that its session may see and that is found, by id, best
        first.

        Equal with and without everything else: each subject, scope and purpose is a partition of its own.
        """
        self.catch_up(log)
        found: dict[str, float] = {}
        grants = memory_grants(query.subject_id, query.grants, query.purpose)
        for each in self.index.search(replace(query, grants=grants, now=None)).evidence:
            found.setdefault(each.document_id, each.relevance)  # a long one has several sections
        return found

    def catch_up(self, log: MemoryLog) -> int:
        """How many records were taken in or taken out: afterwards the index has those of the store and no others."""
        known = self._place
        if known is not None and log.mark(known.number) == known:
            return 0
        with self._lock:  # threads of one process take turns; others wait for the database
            changed, more, erase = 0, True, False
            while more:
                with self.index.database.writing() as connection:
                    step = self._step(connection, log)
                self._place, more, erase = step.place, step.more, step.erase
                changed += step.changed
            if erase:
                self._erase()
            if changed and self._grown is not None:
                self._grown(self.index)
            return changed

    def _step(self, connection: Connection, log: MemoryLog) -> _Step:
        if self._log_in is None:
            connection.execute(_TABLE)
        else:
            log = self._log_in(connection)
        before, erase = _read(connection)
        mark = log.mark(before.number)
        place, gone = before, 0
        if (mark.deletions, mark.record_id) != (before.deletions, before.record_id):
            place, gone = self._settled(connection, log, before, mark.deletions)
        rows = log.added(place.number, _AT_ONCE) if place != before or mark.number > place.number else ()
        if rows:
            writer = self._writer(connection)
            for _, record in rows:
                writer.write(memory_document(record))
            writer.finish()
            number, last = rows[-1]
            place = MemoryMark(number, place.deletions, last.record_id)
        erase = erase or gone > 0
        if place != before:
            connection.execute("DELETE FROM memory_index_place")
            row = (place.number, place.deletions, place.record_id, int(erase))
            connection.execute("INSERT INTO memory_index_place VALUES (?, ?, ?, ?)", row)
        return _Step(gone + len(rows), place, len(rows) == _AT_ONCE, erase)

    def _settled(
        self, connection: Connection, log: MemoryLog, place: MemoryMark, deletions: str
    ) -> tuple[MemoryMark, int]:
        """How far the index has come without what the store has no more, and how many records that was."""
        kept = log.ids()
        held = [name for (name,) in connection.execute("SELECT DISTINCT document_id FROM knowledge_document")]
        earlier = {name for name, number in kept.items() if number <= place.number}
        # Records under numbers that were passed and are not here: the store was put back to an earlier day.
        again = not earlier.issubset(held)
        gone = held if again else [name for name in held if name not in kept]
        _take_out(connection, self._writer(connection), gone)
        last = "" if again else max(earlier, key=lambda name: kept[name], default="")
        return MemoryMark(kept.get(last, 0), deletions, last), len(gone)

    def _writer(self, connection: Connection) -> Writer:
        return Writer(connection, self.index.tenant_id)

    def _erase(self) -> None:
        if self.index.database.rewrite():
            with self.index.database.writing() as connection:
                connection.execute("UPDATE memory_index_place SET erase = 0")
        else:
            self._place = None  # the next search tries again


def _read(connection: Connection) -> tuple[MemoryMark, bool]:
    """How far the index has come, and whether bytes of what it took out are still in its file."""
    row = connection.execute("SELECT number, deletions, record_id, erase FROM memory_index_place").fetchone()
    return (MemoryMark(*row[:3]), bool(row[3])) if row else (_NOWHERE, False)


def _take_out(connection: Connection, writer: Writer, record_ids: Iterable[str]) -> None:
    query = "SELECT number, partition, first, sections, digest FROM knowledge_document WHERE document_id = ?"
    for record_id in record_ids:
        for row in connection.execute(query, (record_id,)).fetchall():
            writer.delete(Known(*row))
    writer.finish()
    # The names of subjects stand in partitions. Their numbers come again, so whoever keeps a view is to see a new file.
    connection.execute("DELETE FROM knowledge_partition WHERE number NOT IN (SELECT partition FROM knowledge_document)")
    connection.execute("UPDATE knowledge_state SET file = ?", (token_hex(16),))
