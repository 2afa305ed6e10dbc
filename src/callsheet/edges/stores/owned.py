"""Reading all that a tenant keeps of one subject: for the subject, and to know what to look for once it is gone."""

import json
import re
from collections.abc import Iterator
from typing import Any, Protocol

from ...core.deletion.probes import strings
from ...model.memory import MemoryRecord
from ...model.memory_file import FileOrigin
from ...ports import Artifacts
from .blobs import unpacked
from .codec import decode
from .database import Connection
from .keys import keyed_hash
from .ledger import owner_of
from .states import present

_REFERENCE = re.compile(r"toolrun://(.+\.\d{1,9})/\d+")


NO_ARTIFACT = "no artifact {!r}; a manifest's observations name those that exist"


class OwnedArtifacts(Artifacts, Protocol):
    """Artifacts that a deletion takes with it."""

    def owned(self, connection: Connection, owner: str) -> Iterator[tuple[str, bytes]]:
        """The names and bytes of one owner's outputs, in the order of their names."""

    def discard(self, connection: Connection, owner: str, name: str) -> None:
        """Deletes one output of an owner; only for use inside a write transaction."""

    def remove(self, owner: str) -> None:
        """Deletes what of one owner lies outside the database; only for use inside a write transaction."""


def artifact_name(reference: str, key: bytes) -> str:
    """The name of an output, which says nothing: the keyed hash of its reference."""
    return keyed_hash(reference.encode("utf-8", "surrogatepass"), key).hex()


def check_there(connection: Connection, reference: str) -> None:
    """StoreError where a tool's output is of a request whose subject was deleted meanwhile."""
    found = _REFERENCE.fullmatch(reference)
    if found is not None:
        owner_of(connection, found[1])


def owned_records(connection: Connection, owner: str) -> list[MemoryRecord]:
    """The memory records of an owner, oldest first."""
    rows = connection.execute("SELECT data FROM memories WHERE owner = ? ORDER BY number", (owner,)).fetchall()
    return [decode(MemoryRecord, data) for (data,) in rows]


def owned_files(connection: Connection, owner: str) -> list[dict[str, Any]]:
    """The memory files of an owner that are kept as rows: path, text, and whose words they are."""
    rows = connection.execute(
        "SELECT path, data, origin FROM memory_files WHERE owner = ? AND data IS NOT NULL ORDER BY path", (owner,)
    ).fetchall()
    return [
        {"path": f"/memories/{path}", "text": bytes(data).decode(), "origin": decode(FileOrigin, origin)}
        for path, data, origin in rows
    ]


def owned_requests(connection: Connection, owner: str) -> list[str]:
    """The ids of an owner's requests that were recorded, oldest first."""
    rows = connection.execute(
        "SELECT r.run_id, r.number FROM requests r JOIN entries e ON e.run_id = r.run_id AND e.number = r.number "
        "AND e.effect = 'Record' WHERE r.owner = ? ORDER BY r.created_at, r.run_id, r.number",
        (owner,),
    ).fetchall()
    return [f"{run_id}.{number}" for run_id, number in rows]


def owned_words(connection: Connection, artifacts: OwnedArtifacts, owner: str) -> Iterator[str]:
    """Every text that is kept of an owner: records, files, outputs, state, and the words of its requests and notices.

    Of state, approvals and ledger that is whatever has a blank in it; names, hashes and times say nothing of anybody.
    """
    for record in owned_records(connection, owner):
        yield from (record.text, record.provenance, record.relation)
    for file in owned_files(connection, owner):
        yield file["text"]
    for _, data in artifacts.owned(connection, owner):
        yield data.decode("utf-8", "ignore")
    state = present(connection, owner)
    yield from (state.goal, *strings(state.facts))
    for table, column in (("states", "data"), ("approvals", "shown")):
        for (data,) in connection.execute(f"SELECT {column} FROM {table} WHERE owner = ?", (owner,)).fetchall():
            yield from _words(bytes(data))
    query = "SELECT data FROM blobs WHERE owner = ? AND data IS NOT NULL"
    for (data,) in connection.execute(query, (owner,)).fetchall():
        yield from _words(unpacked(bytes(data)))


def _words(data: bytes) -> Iterator[str]:
    text = data.decode("utf-8", "ignore")
    try:
        found = strings(json.loads(text))
    except ValueError:
        found = (text,)
    yield from (each for each in found if " " in each)
