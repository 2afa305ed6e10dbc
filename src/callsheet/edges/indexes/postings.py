"""Posting rows: which sections of a partition hold a term, and how often in each column."""

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...model.evidence import COLUMNS

ROW = np.dtype([("section", "<u4"), ("frequency", "u1", (len(COLUMNS),))])
"""One section in a posting row. A frequency above 255 counts as 255."""
MOST = 1_000
"""Sections of one posting row, about: a term that many hold is written anew by the last of its rows alone."""

_PACKED = Struct(f"<I{len(COLUMNS)}B")
_LARGEST = MOST * ROW.itemsize
_WHERE = "WHERE partition = ? AND term = ?"

Columns = Sequence[Sequence[str]]
"""The terms of a section, column by column."""


def frequencies(columns: Columns) -> Mapping[str, list[int]]:
    """How often each term stands in each column of a section, at most 255."""
    found: defaultdict[str, list[int]] = defaultdict(lambda: [0] * len(COLUMNS))
    for column, terms in enumerate(columns):
        for term, number in Counter(terms).items():
            found[term][column] = min(number, 255)
    return found


class Changes:
    """What a batch of documents does to posting rows, gathered so that each row is written once."""

    def __init__(self) -> None:
        self.size = 0
        self._new: defaultdict[tuple[int, str], bytearray] = defaultdict(bytearray)
        self._gone: defaultdict[int, set[int]] = defaultdict(set)
        self._held: set[tuple[int, str]] = set()

    def add(self, partition: int, section: int, counted: Mapping[str, Sequence[int]]) -> None:
        """Notes a new section with the frequencies of its terms; numbers only grow."""
        for term, frequency in counted.items():
            self._new[partition, term] += _PACKED.pack(section, *frequency)
        self.size += len(counted)

    def remove(self, partition: int, section: int, terms: Sequence[str]) -> None:
        """Notes that a section is gone, which held these terms."""
        self._gone[partition].add(section)
        self._held.update((partition, term) for term in terms)
        self.size += len(terms)

    def write(self, connection: sqlite3.Connection) -> None:
        """Brings the posting rows up to date; a term that no section holds any more is forgotten."""
        gone = {partition: np.array(sorted(sections), "<u4") for partition, sections in self._gone.items()}
        for partition, term in sorted(self._held):
            _drop(connection, partition, term, gone[partition])
        for (partition, term), packed in sorted(self._new.items()):
            added = bytes(packed)
            if partition in gone:
                rows = np.frombuffer(added, ROW)
                added = rows[~np.isin(rows["section"], gone[partition])].tobytes()
            if added:
                _append(connection, partition, term, added)
        self.size = 0
        self._new.clear()
        self._gone.clear()
        self._held.clear()


def _drop(connection: sqlite3.Connection, partition: int, term: str, gone: NDArray[Any]) -> None:
    rows = connection.execute(f"SELECT first, sections FROM knowledge_posting {_WHERE}", (partition, term)).fetchall()
    for first, data in rows:
        held = np.frombuffer(data, ROW)
        kept = held[~np.isin(held["section"], gone)]
        if not len(kept):
            connection.execute(f"DELETE FROM knowledge_posting {_WHERE} AND first = ?", (partition, term, first))
        elif len(kept) < len(held):
            update = f"UPDATE knowledge_posting SET sections = ? {_WHERE} AND first = ?"
            connection.execute(update, (kept.tobytes(), partition, term, first))


def _append(connection: sqlite3.Connection, partition: int, term: str, added: bytes) -> None:
    last = f"SELECT first, sections FROM knowledge_posting {_WHERE} ORDER BY first DESC LIMIT 1"
    row = connection.execute(last, (partition, term)).fetchone()
    first = None
    if row is not None and len(row[1]) < _LARGEST:
        first, added = row[0], row[1] + added
    for start in range(0, len(added), _LARGEST):
        piece = added[start : start + _LARGEST]
        number = first if start == 0 and first is not None else int.from_bytes(piece[:4], "little")
        connection.execute(
            "INSERT OR REPLACE INTO knowledge_posting VALUES (?, ?, ?, ?)", (partition, term, number, piece)
        )


def read(
    connection: sqlite3.Connection, partitions: Sequence[int], terms: Sequence[str]
) -> list[tuple[str, int, bytes]]:
    """The posting rows of some terms in some partitions: term, partition and packed sections, in that order."""
    query = (
        "SELECT term, partition, sections FROM knowledge_posting WHERE partition IN (SELECT value FROM json_each(?))"
        " AND term IN (SELECT value FROM json_each(?)) ORDER BY term, partition, first"
    )
    return connection.execute(query, (json.dumps(partitions), json.dumps(terms))).fetchall()
