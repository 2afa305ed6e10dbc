"""Memory records of one tenant, by subject and in the order they were added."""

from collections.abc import Sequence
from dataclasses import replace
from secrets import token_hex

from ...core.memory.loading import standing
from ...errors import UnknownName, UsageError
from ...model.evidence import Query
from ...model.memory import MemoryRecord
from .codec import decode, encode
from .database import Connection, Database
from .names import encode_name


class SqlMemories:
    """The `Memories` port for one tenant."""

    def __init__(self, database: Database, tenant_id: str) -> None:
        self._database = database
        self._tenant_id = tenant_id

    def load(self, query: Query) -> tuple[MemoryRecord, ...]:
        """The records of the query's subject, and those that everyone of the tenant may see, oldest first.

        None where the query has no subject.
        """
        if query.subject_id is None or query.tenant_id != self._tenant_id:
            return ()
        with self._database.reading() as connection:
            # The words of the partial index stand there too: without them every record of the tenant is looked at.
            rows = connection.execute(
                "SELECT data FROM memories WHERE owner = ? OR (visibility <> 'subject' AND visibility = 'tenant')"
                " ORDER BY number",
                (encode_name(query.subject_id),),
            ).fetchall()
            return tuple(decode(MemoryRecord, data) for (data,) in rows)

    def add(self, record: MemoryRecord, supersedes: Sequence[str] = ()) -> MemoryRecord:
        """The record as stored, under a fresh `record_id` unless it brings one; the same again changes nothing."""
        if record.tenant_id != self._tenant_id:
            raise UsageError(
                f"a memory of tenant {record.tenant_id!r} belongs in that tenant's store; open it and add there"
            )
        kept = record if record.record_id else replace(record, record_id=f"m-{token_hex(8)}")
        data, owner = encode(kept), encode_name(kept.subject_id)
        with self._database.writing() as connection:
            held = connection.execute("SELECT data FROM memories WHERE record_id = ?", (kept.record_id,)).fetchone()
            if held is None:
                connection.execute(
                    "INSERT INTO memories (record_id, owner, visibility, scope, standing, data)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    (kept.record_id, owner, kept.visibility, kept.scope, int(standing(kept)), data),
                )
            elif held[0] != data:
                raise UsageError(
                    f"memory {kept.record_id!r} is another record; leave record_id empty to have one assigned"
                )
            for record_id in supersedes:
                _supersede(connection, record_id, kept)
        return kept


def _supersede(connection: Connection, record_id: str, by: MemoryRecord) -> None:
    row = connection.execute(
        "SELECT data FROM memories WHERE record_id = ? AND owner = ?", (record_id, encode_name(by.subject_id))
    ).fetchone()
    if row is None:
        raise UnknownName(f"no memory {record_id!r} of subject {by.subject_id!r} is there to be superseded")
    old: MemoryRecord = decode(MemoryRecord, row[0])
    marked = replace(old, superseded_at=by.created_at, superseded_by=by.record_id)
    connection.execute("UPDATE memories SET data = ? WHERE record_id = ?", (encode(marked), record_id))
