"""Listing: what an index holds for an actor, without a question."""

import sqlite3
from collections.abc import Iterable

from .view import Partition


def section_ids(connection: sqlite3.Connection, partitions: Iterable[Partition]) -> frozenset[str]:
    """The ids of the documents of some partitions, and of their sections as `document#section`, of all versions."""
    query = (
        "SELECT d.document_id, s.slug FROM knowledge_section s JOIN knowledge_document d ON d.number = s.document"
        " WHERE d.partition = ?"
    )
    rows = [row for each in partitions for row in connection.execute(query, (each.number,))]
    return frozenset([document_id for document_id, _ in rows] + [f"{name}#{slug}" for name, slug in rows])
