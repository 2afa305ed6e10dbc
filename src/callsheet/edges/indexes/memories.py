"""The memories of one tenant in an index of their own: a copy that follows the store, and ranks as documents are.

A memory is written into the store alone; the index catches up before it is searched. How far it has come stands in the
same transaction as what it took in, so that a process may end anywhere: the next search goes on from there. When the
store says that records were deleted, what is left of them here is taken out before anything is searched, and the file
is written anew, so that no byte stays.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from secrets import token_hex
from threading import Lock

from ...core.documents.convert import memory_document, memory_grants
from ...model.evidence import Query
from ...model.memory import MemoryMark
from ...ports import MemoryLog
from .database import Connection
from .documents import Known, Writer
from .file import IndexFile
from .index import TenantIndex

_AT_ONCE = 1_000
"""Records of one transaction, so that whoever is stopped has lost no more."""
_TABLE = """
CREATE TABLE IF NOT EXISTS memory_place (
    number INTEGER NOT NULL, deletions TEXT NOT NULL, record_id TEXT NOT NULL, erase INTEGER NOT NULL)
"""
_NOWHERE = MemoryMark()


class MemoryIndex:
    """The memories of one tenant, found by a question. Any number of threads may search it at once.

    `grown` is told the index when records were taken in.
    """

    def __init__(self, index: TenantIndex, file: IndexFile, grown: Callable[[TenantIndex], None] | None = None) -> None:
        self.index = index
        self._grown = grown
        self._file = file
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
        with self._lock:  # threads of one process take turns; others wait for the file
            changed, erase = self._settle(log)
            while taken := self._take(log):
                changed += taken
            if erase:
                self._erase()
            if changed and self._grown is not None:
                self._grown(self.index)
            return changed

    def _settle(self, log: MemoryLog) -> tuple[int, bool]:
        """How many records were taken out that the store has no more, and whether their bytes are still in the file."""
        with self._file.writing() as connection:
            connection.execute(_TABLE)
            place, erase = _read(connection)
            mark = log.mark(place.number)
            if (mark.deletions, mark.record_id) == (place.deletions, place.record_id):
                self._place = place
                return 0, erase
            kept = log.ids()
            held = [name for (name,) in connection.execute("SELECT DISTINCT document_id FROM knowledge_document")]
            earlier = {name for name, number in kept.items() if number <= place.number}
            # Records under numbers that were passed and are not here: the store was put back to an earlier day.
            again = not earlier.issubset(held)
            gone = held if again else [name for name in held if name not in kept]
            _take_out(connection, self._writer(connection), gone)
            last = "" if again else max(earlier, key=lambda name: kept[name], default="")
            self._note(connection, MemoryMark(kept.get(last, 0), mark.deletions, last), bool(gone) or erase)
            return len(gone), bool(gone) or erase

    def _take(self, log: MemoryLog) -> int:
        """How many further records were taken in, in one transaction."""
        place = self._place or _NOWHERE
        if log.mark(place.number).number <= place.number:
            return 0
        with self._file.writing() as connection:
            place, erase = _read(connection)
            rows = log.added(place.number, _AT_ONCE)
            if rows:
                writer = self._writer(connection)
                for _, record in rows:
                    writer.write(memory_document(record))
                writer.finish()
                number, last = rows[-1]
                place = MemoryMark(number, place.deletions, last.record_id)
            self._note(connection, place, erase)
            return len(rows)

    def _writer(self, connection: Connection) -> Writer:
        return Writer(connection, self.index.tenant_id)

    def _note(self, connection: Connection, place: MemoryMark, erase: bool) -> None:
        connection.execute("DELETE FROM memory_place")
        row = (place.number, place.deletions, place.record_id, erase)
        connection.execute("INSERT INTO memory_place VALUES (?, ?, ?, ?)", row)
        self._place = place

    def _erase(self) -> None:
        if self._file.rewrite():
            with self._file.writing() as connection:
                connection.execute("UPDATE memory_place SET erase = 0")
        else:
            self._place = None  # the next search tries again


def _read(connection: Connection) -> tuple[MemoryMark, bool]:
    """How far the index has come, and whether bytes of what it took out are still in its file."""
    row = connection.execute("SELECT number, deletions, record_id, erase FROM memory_place").fetchone()
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
