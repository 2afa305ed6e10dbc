"""Posting rows: which sections of a partition hold a term, and how often in each column."""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...model.evidence import COLUMNS

ROW = np.dtype([("section", "<u4"), ("frequency", "u1", (len(COLUMNS),))])
"""One section in a posting row. A frequency above 255 counts as 255."""

Postings = NDArray[Any]
Columns = Sequence[Sequence[str]]
"""The terms of a section, column by column."""


def frequencies(columns: Columns) -> dict[str, list[int]]:
    """How often each term stands in each column of a section."""
    found: defaultdict[str, list[int]] = defaultdict(lambda: [0] * len(COLUMNS))
    for column, terms in enumerate(columns):
        for term, number in Counter(terms).items():
            found[term][column] = min(number, 255)
    return dict(found)


def add(connection: sqlite3.Connection, partition: int, new: Mapping[str, Sequence[tuple[int, Sequence[int]]]]) -> None:
    """Appends sections to the posting rows of their terms; a term's new sections come in the order of their numbers."""
    for term, rows in new.items():
        added = np.array([(section, tuple(frequency)) for section, frequency in rows], ROW).tobytes()
        connection.execute(
            "INSERT INTO knowledge_posting VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET"
            " sections = CAST(sections || excluded.sections AS BLOB)",
            (partition, term, added),
        )


def remove(connection: sqlite3.Connection, partition: int, sections: Iterable[int], terms: Iterable[str]) -> None:
    """Takes sections out of the posting rows of these terms; a term that no section holds any more is forgotten."""
    gone = np.array(sorted(sections), "<u4")
    for term in terms:
        rows = read(connection, partition, term)
        kept = rows[~np.isin(rows["section"], gone)]
        where = "WHERE partition = ? AND term = ?"
        if len(kept):
            connection.execute(f"UPDATE knowledge_posting SET sections = ? {where}", (kept.tobytes(), partition, term))
        else:
            connection.execute(f"DELETE FROM knowledge_posting {where}", (partition, term))


def read(connection: sqlite3.Connection, partition: int, term: str) -> Postings:
    """The posting row of a term; an empty one where no section of the partition holds it."""
    query = "SELECT sections FROM knowledge_posting WHERE partition = ? AND term = ?"
    row = connection.execute(query, (partition, term)).fetchone()
    return np.frombuffer(row[0] if row else b"", ROW)
