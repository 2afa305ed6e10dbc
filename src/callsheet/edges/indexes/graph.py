"""The step along relations: documents related to the best ones come up with them, inside the same view.

Related is whoever shares a name, a code or a link that few have, and of a folder or series the document that opens it.
Only documents of the view count, also where it is counted how many have a key: what an actor may not see relates
nothing (A3).
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...core.documents.relations import AMONG, leads, reached
from .fusion import Fused, best
from .scoring import DIGITS
from .view import View

SEEDS = 10
"""Sections of the first ranking whose relations are followed."""
RARE = 15
"""A key that more documents have relates none of them."""
_VARIABLES = 500


def related(connection: sqlite3.Connection, view: View, fused: Fused, weight: float) -> Fused:
    """The scores after one step: a related document's best section gains up to `weight` of the best score."""
    seeds = best(fused.total[: view.number], SEEDS)
    if not seeds:
        return fused
    top = float(fused.total[seeds[0]])
    shares: dict[int, float] = {}
    for place, document in zip(seeds, _documents(connection, view, seeds), strict=True):
        shares.setdefault(document, float(fused.total[place]) / top)
    gains = _gains(connection, view, shares)
    most = max(gains.values(), default=0.0)
    if not most:
        return fused
    total = fused.total.copy()
    for (start, sections), gain in gains.items():
        place = start + int(np.argmax(total[start : start + sections]))
        total[place] += weight * top * gain / most
    return replace(fused, total=total.round(DIGITS))


def _gains(connection: sqlite3.Connection, view: View, shares: Mapping[int, float]) -> Mapping[tuple[int, int], float]:
    """What each related document gains, by its place in the view and its number of sections."""
    keys: defaultdict[str, dict[int, float]] = defaultdict(dict)
    query = "document, key FROM knowledge_relation WHERE document"
    for document, key in _rows(connection, query, sorted(shares)):
        for other in reached(key):
            keys[other][document] = shares[document]
    having: defaultdict[str, list[tuple[int, str, tuple[int, int]]]] = defaultdict(list)
    query = (
        "r.key, d.number, d.document_id, d.partition, d.first, d.sections FROM knowledge_relation r"
        " JOIN knowledge_document d ON d.number = r.document WHERE r.key"
    )
    for key, number, document_id, partition, first, sections in _rows(connection, query, sorted(keys)):
        if partition in view.bases and sections:
            start = int(view.places[view.bases[partition] + first])
            if 0 <= start < view.number:
                having[key].append((number, document_id, (start, sections)))
    gains: defaultdict[tuple[int, int], float] = defaultdict(float)
    for key, found in sorted(having.items()):
        series = key.startswith(AMONG)
        if not series and len(found) > RARE:
            continue
        for number, _, place in [min(found, key=lambda each: leads(each[1]))] if series else found:
            by = max((share for document, share in keys[key].items() if document != number), default=0.0)
            gains[place] += by if series else by / len(found)
    return gains


def _documents(connection: sqlite3.Connection, view: View, places: Sequence[int]) -> list[int]:
    numbers = view.rows[np.array(places, np.int64)].tolist()
    rows: dict[int, int] = dict(_rows(connection, "number, document FROM knowledge_section WHERE number", numbers))
    return [rows[number] for number in numbers]


def _rows(connection: sqlite3.Connection, query: str, values: Sequence[object]) -> Iterable[Any]:
    for start in range(0, len(values), _VARIABLES):
        some = values[start : start + _VARIABLES]
        yield from connection.execute(f"SELECT {query} IN ({','.join('?' * len(some))})", some)
