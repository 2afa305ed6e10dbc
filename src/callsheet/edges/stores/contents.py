"""All values of a tenant's rows, unpacked, for a search through everything."""

from collections.abc import Iterator
from dataclasses import dataclass

from ...errors import StoreError
from .blobs import unpacked
from .database import Connection

_SEPARATOR = b"\x00\x00\x00\x00"
"""Between the values of a row, so that no text is found that only two of them make together."""


@dataclass(frozen=True, slots=True)
class Content:
    """The values of one row as bytes, and whose it is: an owner's, nobody's (empty), or None where no row says so."""

    table: str
    owner: str | None
    data: bytes


def contents_of(connection: Connection, table: str) -> Iterator[Content]:
    """The rows of one table."""
    rows = connection.execute(f"SELECT * FROM {table}")
    columns = [str(each[0]) for each in rows.description or ()]
    place = columns.index("owner") if "owner" in columns else None
    packed = columns.index("data") if table == "blobs" else None
    while (row := rows.fetchone()) is not None:
        values = [_bytes(value, at == packed) for at, value in enumerate(row) if value is not None]
        yield Content(table, None if place is None else row[place] or "", _SEPARATOR.join(values))


def _bytes(value: object, packed: bool) -> bytes:
    if not isinstance(value, bytes | bytearray | memoryview):
        return str(value).encode("utf-8", "surrogatepass")
    if not packed:
        return bytes(value)
    try:
        return unpacked(bytes(value))
    except StoreError:  # what nobody can read is searched as it is
        return bytes(value)
