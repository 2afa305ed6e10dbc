"""Vectors of sections: which are still to be made, how they are stored, and how a view reads them.

They are of one embedder at a time and stand beside their document as float16, the sections in a row. An embedder of
another name or dimension makes its own: until then a document has none, and is found by its words. The old ones go as
the new ones come, so that no vector is ever compared with one of another model.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import OutageError
from ...ports import Embedder
from .database import Connection, Run, Vectors, among
from .schema import row_number

GIVEN = np.dtype("<f4")


@dataclass(frozen=True, slots=True)
class Pending:
    """A section that has no vector yet, and the document's number it belongs to."""

    document: int
    partition: int
    section: int
    heading: str
    text: str


def identity(embedder: Embedder) -> str:
    """What vectors are told apart by: the embedder's name and its dimension."""
    return f"{embedder.name}/{embedder.dimension}"


def checked(embedder: Embedder, data: bytes) -> NDArray[np.float32]:
    """A vector of an embedder; OutageError where it is of another dimension than the embedder says, or no numbers."""
    vector = np.frombuffer(data, GIVEN) if len(data) % GIVEN.itemsize == 0 else np.empty(0, np.float32)
    if len(vector) != embedder.dimension:
        raise OutageError(
            f"the embedder {embedder.name} gave {len(data)} bytes where {embedder.dimension} numbers of 4 are due;"
            " correct its dimension in [knowledge] of callsheet.toml, or ask it for vectors of that length"
        )
    if not np.isfinite(vector).all():
        raise OutageError(f"the embedder {embedder.name} gave a vector that holds no numbers; check its weights")
    return vector


def pending(connection: Connection, embedder: str, most: int) -> Sequence[Pending]:
    """Sections without a vector of this embedder, in the order of their documents; at most `most`."""
    query = (
        "SELECT number, partition, first, sections, CASE WHEN embedder = ? THEN embedded ELSE 0 END"
        " FROM knowledge_document WHERE sections > 0 AND (embedder IS NULL OR embedder <> ? OR embedded < sections)"
        " ORDER BY number LIMIT ?"
    )
    texts = "SELECT heading, text FROM knowledge_section WHERE number >= ? AND number < ? ORDER BY number"
    found: list[Pending] = []
    for document, partition, first, sections, done in connection.execute(query, (embedder, embedder, most)):
        begin, end = first + done, min(first + sections, first + done + most - len(found))
        rows = connection.execute(texts, (row_number(partition, begin), row_number(partition, end)))
        found += [Pending(document, partition, begin + n, *row) for n, row in enumerate(rows)]
        if len(found) >= most:
            break
    return found


def lacking(connection: Connection, embedder: str, partitions: Collection[int] | None) -> int:
    """How many sections of some partitions, or of all, have no vector of this embedder yet."""
    query = (
        "SELECT partition, SUM(sections - CASE WHEN embedder = ? THEN embedded ELSE 0 END) FROM knowledge_document"
        " GROUP BY partition"
    )
    counts = connection.execute(query, (embedder,)).fetchall()
    return sum(number for partition, number in counts if partitions is None or partition in partitions)


def store(
    connection: Connection,
    kept: Vectors,
    embedder: str,
    of: Sequence[Pending],
    made: Sequence[NDArray[np.float32]],
) -> None:
    """Stores the vectors of sections whose document is still there and waits for just these."""
    by_document: dict[int, list[int]] = {}
    for place, each in enumerate(of):
        by_document.setdefault(each.document, []).append(place)
    touched, runs, updates = set(), [], []
    query = "SELECT number, partition, first, embedder, embedded FROM knowledge_document WHERE number"
    rows = {number: row for number, *row in among(connection, query, by_document)}
    for document, places in by_document.items():
        row = rows.get(document)
        partition, first = of[places[0]].partition, of[places[0]].section
        done = row[3] if row and row[2] == embedder else 0
        if row is None or (row[0], row[1] + done) != (partition, first):
            continue
        if done == 0 and row[2] is not None:
            connection.execute("DELETE FROM knowledge_vector WHERE document = ?", (document,))
        runs.append(Run(document, partition, first, np.stack([made[place] for place in places]).astype(np.float16)))
        updates.append((embedder, done + len(places), document))
        touched.add(partition)
    kept.add(connection, runs)
    connection.executemany("UPDATE knowledge_document SET embedder = ?, embedded = ? WHERE number = ?", updates)
    for partition in touched:
        connection.execute("UPDATE knowledge_partition SET generation = generation + 1 WHERE number = ?", (partition,))
    if touched:
        connection.execute("UPDATE knowledge_state SET generation = generation + 1")
