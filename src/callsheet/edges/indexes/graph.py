"""The step along relations: documents related to the best ones come up with them, inside the same view.

Related is whoever shares a name, a code or a link that few have, and of a folder or series the document that opens it
most, the others less.
Only documents of the view count, also where it is counted how many have a key: what an actor may not see relates
nothing (A3).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...core.documents.relations import AMONG, leads, reached
from .database import Connection, among
from .fusion import Fused, best
from .scoring import DIGITS
from .view import View

SEEDS = 30
"""Documents of the first ranking whose relations are followed."""
SECTIONS = 150
"""The best sections, among which these are looked for."""
SHARED = 0.5
"""What the most related by shared keys gains, where the document that opens the best one's series gains 1."""
MEMBER = 0.5
"""What all of a series gain of the mean of its FEW best: several hits in it say more than one."""
FEW = 3
RARE = 15
"""A key that more documents have relates none of them."""


def related(connection: Connection, view: View, fused: Fused, weight: float) -> Fused:
    """The scores after one step: the best section of a related document gains `weight` of the best score or less."""
    shares = _seeds(connection, view, fused)
    total = fused.total.copy()
    for (start, sections), gain in _gains(connection, view, shares).items():
        place = start + int(np.argmax(total[start : start + sections]))
        if total[place] > 0 or gain.brings:
            total[place] += weight * float(fused.total[: view.number].max()) * gain.worth
    return replace(fused, total=total.round(DIGITS))


@dataclass(slots=True)
class _Gain:
    """What a document gains, as a share of the best score, and whether that brings it up where no word of it fits."""

    worth: float = 0.0
    brings: bool = False


_Place = tuple[int, int]
"""A document's first place in the view, and its number of sections."""
_Having = Mapping[str, Sequence[tuple[int, str, _Place]]]
"""By key, the documents of the view that have it: number, id and place."""


def _seeds(connection: Connection, view: View, fused: Fused) -> Mapping[int, float]:
    """The best documents, each with its share of the best score."""
    places = best(fused.total[: view.number], SECTIONS)
    shares: dict[int, float] = {}
    for place, document in zip(places, _documents(connection, view, places), strict=True):
        if len(shares) < SEEDS:
            shares.setdefault(document, float(fused.total[place] / fused.total[places[0]]))
    return shares


def _gains(connection: Connection, view: View, shares: Mapping[int, float]) -> Mapping[_Place, _Gain]:
    keys: defaultdict[str, dict[int, float]] = defaultdict(dict)
    query = "SELECT document, key FROM knowledge_relation WHERE document"
    for document, key in among(connection, query, sorted(shares)):
        for other in reached(key):
            keys[other][document] = shares[document]
    gains: defaultdict[_Place, _Gain] = defaultdict(_Gain)
    having = _having(connection, view, keys)
    shared = _shared(having, keys)
    most = max(shared.values(), default=0.0)
    for place, worth in shared.items():
        gains[place].worth += SHARED * worth / most
        gains[place].brings = True
    for key, found in having.items():
        if key.startswith(AMONG) and len(found) > 1:
            ranked = sorted(keys[key].values(), reverse=True)
            for _, _, place in found:
                gains[place].worth += MEMBER * sum(ranked[:FEW]) / FEW
            opens = gains[min(found, key=lambda each: leads(each[1]))[2]]
            opens.worth += ranked[0]
            opens.brings = True
    return gains


def _having(connection: Connection, view: View, keys: Iterable[str]) -> _Having:
    found: defaultdict[str, list[tuple[int, str, _Place]]] = defaultdict(list)
    query = (
        "SELECT r.key, d.number, d.document_id, d.partition, d.first, d.sections FROM knowledge_relation r"
        " JOIN knowledge_document d ON d.number = r.document WHERE r.key"
    )
    for key, number, document_id, partition, first, sections in among(connection, query, sorted(keys)):
        if partition in view.bases and sections:
            start = int(view.places[view.bases[partition] + first])
            if 0 <= start < view.number:
                found[key].append((number, document_id, (start, sections)))
    return dict(sorted(found.items()))


def _shared(having: _Having, keys: Mapping[str, Mapping[int, float]]) -> Mapping[_Place, float]:
    """What documents gain from names, codes and links that they share with the best: the rarer, the more."""
    gains: defaultdict[_Place, float] = defaultdict(float)
    for key, found in having.items():
        for number, _, place in found if len(found) <= RARE and not key.startswith(AMONG) else ():
            by = max((share for document, share in keys[key].items() if document != number), default=0.0)
            if by:
                gains[place] += by / len(found)
    return gains


def _documents(connection: Connection, view: View, places: Sequence[int]) -> list[int]:
    numbers = view.rows[np.array(places, np.int64)].tolist()
    rows: dict[int, int] = dict(
        among(connection, "SELECT number, document FROM knowledge_section WHERE number", numbers)
    )
    return [rows[number] for number in numbers]
