"""Memory records of one tenant, by subject and in the order they were added."""

from dataclasses import replace
from secrets import token_hex

from ...errors import UsageError
from ...model.evidence import Query
from ...model.memory import MemoryRecord
from .codec import decode, encode
from .database import Database
from .names import encode_name


class SqliteMemories:
    """The `Memories` port for one tenant."""

    def __init__(self, database: Database, tenant_id: str) -> None:
        self._database = database
        self._tenant_id = tenant_id

    def load(self, query: Query) -> tuple[MemoryRecord, ...]:
        """Every record of the query's subject, oldest first; none where the query has no subject."""
        if query.subject_id is None or query.tenant_id != self._tenant_id:
            return ()
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT data FROM memories WHERE owner = ? ORDER BY number", (encode_name(query.subject_id),)
            ).fetchall()
            return tuple(decode(MemoryRecord, data) for (data,) in rows)

    def add(self, record: MemoryRecord) -> MemoryRecord:
        """The record as stored, under a fresh `record_id` unless it brings one; the same again changes nothing."""
        if record.tenant_id != self._tenant_id:
            raise UsageError(
                f"a memory of tenant {record.tenant_id!r} belongs in that tenant's store; open it and add there"
            )
        kept = record if record.record_id else replace(record, record_id=f"m-{token_hex(8)}")
        data = encode(kept)
        with self._database.writing() as connection:
            held = connection.execute("SELECT data FROM memories WHERE record_id = ?", (kept.record_id,)).fetchone()
            if held is None:
                connection.execute(
                    "INSERT INTO memories (record_id, owner, data) VALUES (?, ?, ?)",
                    (kept.record_id, encode_name(kept.subject_id), data),
                )
            elif held[0] != data:
                raise UsageError(
                    f"memory {kept.record_id!r} is another record; leave record_id empty to have one assigned"
                )
        return kept

    def delete(self, subject_id: str) -> int:
        """The number of records deleted: every one of the subject's."""
        with self._database.writing() as connection:
            connection.execute("INSERT OR IGNORE INTO chores VALUES ('erase')")
            number = connection.execute("DELETE FROM memories WHERE owner = ?", (encode_name(subject_id),)).rowcount
        self._database.erase()
        return number
