"""Destroying one memory record, and what absorbed it, inside one write transaction (C2, invariant 8)."""

from collections.abc import Iterator
from dataclasses import replace

from ...core.deletion.probes import LEAST, forms
from ...model.deletion import Trace
from ...model.memory import MemoryRecord
from .blobs import unpacked
from .codec import decode, encode
from .database import Connection
from .deleting import done, mark_deleted, of_record
from .keys import Keys
from .names import encode_name
from .owned import OwnedArtifacts
from .unsaying import Unsaying, says

CARRIED = "had carried the record; their content is deleted"
WEIGHED = "had only weighed the record and left it out; they keep all but its text"


def remove_record(
    connection: Connection, keys: Keys, artifacts: OwnedArtifacts, record: MemoryRecord
) -> tuple[dict[str, int], list[Trace]]:
    """The number of pieces that were destroyed, per table, and what had absorbed the record, with the reason.

    Records that were made of it go with it. Outputs of tools and notices to the subject that hold the very words go; of
    decisions that carried or weighed it, what `Unsaying` says.
    """
    owner, family = encode_name(record.subject_id), _family(connection, record)
    words = tuple(form for each in family.values() if len(each.text) >= LEAST for form in forms(each.text))
    absorbed = [Trace(f"memory {key}", "made of the deleted record") for key in family if key != record.record_id]
    outputs = [name for name, data in artifacts.owned(connection, owner) if says(data, words)]
    for name in outputs:
        artifacts.discard(connection, owner, name)
    events = _events_saying(connection, owner, words)
    for number in events:
        for table in ("deliveries", "claims", "events"):
            connection.execute(f"DELETE FROM {table} WHERE number = ?", (number,))
    absorbed += [Trace(what, "held the words of the record; deleted", len(of)) for what, of in
                 (("tool outputs", outputs), ("events", events)) if of]  # fmt: skip
    _delete(connection, family)
    unsaid = Unsaying(connection, keys, owner, frozenset(family), words).run()
    absorbed += [Trace("decisions", what, number) for what, number in
                 ((CARRIED, unsaid.carried), (WEIGHED, unsaid.weighed)) if number]  # fmt: skip
    mark_deleted(connection)
    done(connection, of_record(record.record_id))
    return {"memories": len(family), "artifacts": len(outputs), "events": len(events), "blobs": unsaid.blobs}, absorbed


def found_record(connection: Connection, record_id: str) -> MemoryRecord | None:
    """The record of this id, whosoever's; None where the tenant has none."""
    row = connection.execute("SELECT data FROM memories WHERE record_id = ?", (record_id,)).fetchone()
    return decode(MemoryRecord, row[0]) if row else None


def _family(connection: Connection, record: MemoryRecord) -> dict[str, MemoryRecord]:
    """The record and all that were made of it, or of what was made of it, by their ids."""
    family, others = {record.record_id: record}, dict(_all(connection))
    while made := {
        key: each for key, each in others.items() if key not in family and family.keys() & each.derived_from
    }:
        family |= made
    return family


def _all(connection: Connection) -> Iterator[tuple[str, MemoryRecord]]:
    for record_id, data in connection.execute("SELECT record_id, data FROM memories ORDER BY number").fetchall():
        yield record_id, decode(MemoryRecord, data)


def _delete(connection: Connection, family: dict[str, MemoryRecord]) -> None:
    """Deletes records. What one of them had corrected stays superseded, by nobody that could still be named."""
    for record_id, each in list(_all(connection)):
        if record_id in family:
            connection.execute("DELETE FROM memories WHERE record_id = ?", (record_id,))
        elif each.superseded_by in family:
            data = encode(replace(each, superseded_by=""))
            connection.execute("UPDATE memories SET data = ? WHERE record_id = ?", (data, record_id))


def _events_saying(connection: Connection, owner: str, words: tuple[bytes, ...]) -> list[int]:
    query = "SELECT number, data FROM events JOIN blobs ON hash = notice WHERE events.owner = ? AND data IS NOT NULL"
    rows = connection.execute(query, (owner,)).fetchall()
    return [number for number, data in rows if says(unpacked(data), words)]
