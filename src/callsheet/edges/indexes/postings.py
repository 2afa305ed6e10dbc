"""Posting rows: which sections of a partition hold a term, and how often in each column."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...model.evidence import COLUMNS
from .database import Connection, marks

ROW = np.dtype([("section", "<u4"), ("frequency", "u1", (len(COLUMNS),))])
"""One section in a posting row. A frequency above 255 counts as 255."""
LENGTH = np.dtype("<u2")
"""A section's terms in one column, counted; more than it can say count as the most it can."""
MOST = 1_000
"""Sections of one posting row, about: a term that many hold is written anew by the last of its rows alone."""

_AT_ONCE = 400
"""Terms, and partitions, of one statement: together fewer than any build of SQLite allows variables."""
_PACKED = Struct(f"<I{len(COLUMNS)}B")
_LARGEST = MOST * ROW.itemsize
_WHERE = "WHERE partition = ? AND term = ?"

Columns = Sequence[Sequence[str]]
"""The terms of a section, column by column."""


def frequencies(columns: Columns) -> Mapping[str, list[int]]:
    """How often each term stands in each column of a section, at most 255."""
    found: dict[str, list[int]] = {}
    nothing = [0] * len(COLUMNS)
    for column, terms in enumerate(columns):
        for term, number in Counter(terms).items():
            row = found.get(term)
            if row is None:
                row = found[term] = nothing.copy()
            row[column] = number if number < 255 else 255
    return found


class Changes:
    """What a batch of documents does to posting rows, gathered so that each row is written once."""

    def __init__(self) -> None:
        self.size = 0
        self._new: defaultdict[int, defaultdict[str, bytearray]] = defaultdict(lambda: defaultdict(bytearray))
        self._gone: defaultdict[int, set[int]] = defaultdict(set)
        self._held: set[tuple[int, str]] = set()

    def add(self, partition: int, section: int, counted: Mapping[str, Sequence[int]]) -> None:
        """Notes a new section with the frequencies of its terms; numbers only grow."""
        new, pack = self._new[partition], _PACKED.pack
        for term, frequency in counted.items():
            new[term] += pack(section, *frequency)
        self.size += len(counted)

    def remove(self, partition: int, section: int, terms: Sequence[str]) -> None:
        """Notes that a section is gone, which held these terms."""
        self._gone[partition].add(section)
        self._held.update((partition, term) for term in terms)
        self.size += len(terms)

    def write(self, connection: Connection) -> None:
        """Brings the posting rows up to date; a term that no section holds any more is forgotten."""
        gone = {partition: np.array(sorted(sections), "<u4") for partition, sections in self._gone.items()}
        for partition, term in sorted(self._held):
            _drop(connection, partition, term, gone[partition])
        for partition in sorted(self._new):
            new: Mapping[str, bytes | bytearray] = self._new[partition]
            if partition in gone:
                new = {term: _without(packed, gone[partition]) for term, packed in new.items()}
            _append(connection, partition, new)
        self.size = 0
        self._new.clear()
        self._gone.clear()
        self._held.clear()


def _drop(connection: Connection, partition: int, term: str, gone: NDArray[Any]) -> None:
    rows = connection.execute(f"SELECT first, sections FROM knowledge_posting {_WHERE}", (partition, term)).fetchall()
    for first, data in rows:
        held = np.frombuffer(data, ROW)
        kept = held[~np.isin(held["section"], gone)]
        if not len(kept):
            connection.execute(f"DELETE FROM knowledge_posting {_WHERE} AND first = ?", (partition, term, first))
        elif len(kept) < len(held):
            update = f"UPDATE knowledge_posting SET sections = ? {_WHERE} AND first = ?"
            connection.execute(update, (kept.tobytes(), partition, term, first))


def _without(packed: bytes | bytearray, gone: NDArray[Any]) -> bytes:
    rows = np.frombuffer(packed, ROW)
    return rows[~np.isin(rows["section"], gone)].tobytes()


def _append(connection: Connection, partition: int, new: Mapping[str, bytes | bytearray]) -> None:
    """Adds to the last posting row of each term, and begins another where that is full."""
    terms = sorted(term for term, packed in new.items() if packed)
    open_rows: dict[str, tuple[int, bytes]] = {}
    for some in _pieces(terms):
        # The last row of each term first: else a term that many hold is read whole to add to its end.
        last = (
            f"WITH asked (term) AS (VALUES {', '.join(['(?)'] * len(some))}), last (term, first) AS MATERIALIZED"
            " (SELECT term, (SELECT max(first) FROM knowledge_posting p WHERE partition = ? AND p.term = asked.term)"
            " FROM asked) SELECT term, first, (SELECT sections FROM knowledge_posting p WHERE partition = ?"
            " AND p.term = last.term AND p.first = last.first AND length(sections) < ?) FROM last"
        )
        found = connection.execute(last, (*some, partition, partition, _LARGEST))
        open_rows.update((term, (first, data)) for term, first, data in found if data is not None)
    rows = list(_rows(terms, new, open_rows))
    longer = [(data, partition, term, first) for term, first, data, there in rows if there]
    connection.executemany(f"UPDATE knowledge_posting SET sections = ? {_WHERE} AND first = ?", longer)
    made = [(partition, term, first, data) for term, first, data, there in rows if not there]
    connection.executemany("INSERT INTO knowledge_posting VALUES (?, ?, ?, ?)", made)


def _rows(
    terms: Sequence[str], new: Mapping[str, bytes | bytearray], open_rows: Mapping[str, tuple[int, bytes]]
) -> Iterator[tuple[str, int, bytes, bool]]:
    """The rows of each term: its term, its first section, what it holds, and whether it is there already."""
    for term in terms:
        first, data = open_rows.get(term, (None, b""))
        data += new[term]
        for start in range(0, len(data), _LARGEST):
            piece = data[start : start + _LARGEST]
            if start == 0 and first is not None:
                yield term, first, piece, True
            else:
                yield term, int.from_bytes(piece[:4], "little"), piece, False


def read(
    connection: Connection, partitions: Sequence[int], terms: Sequence[str] | None
) -> list[tuple[str, int, bytes]]:
    """The posting rows of some terms, or of all, in some partitions: term, partition and sections, in that order."""
    found: list[tuple[str, int, bytes]] = []
    for among in _pieces(partitions):
        for some in [None] if terms is None else _pieces(terms):
            chosen = "" if some is None else f" AND term IN ({marks(some)})"
            query = (
                f"SELECT term, partition, sections FROM knowledge_posting WHERE partition IN ({marks(among)}){chosen}"
                " ORDER BY term, partition, first"
            )
            found += connection.execute(query, (*among, *(some or ())))
    return sorted(found, key=itemgetter(0, 1))


def _pieces(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (values[start : start + _AT_ONCE] for start in range(0, len(values), _AT_ONCE))
