"""Near-duplicates: sections of one permission scope that say the same in nearly the same words (B5).

A section's signature has the least hashes of its runs of terms (MinHash), so that the share of equal ones is about the
share of runs that two sections have in common. Sections whose numbers or negations differ are no duplicates, however
alike: those words are what a reader would want to see both of. What is marked depends on what a scope holds and on
nothing else, not on the order it came in.
"""

import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from .database import Connection
from .schema import partition_rows

HASHES, BAND = 64, 4
ALIKE = 0.8
"""The share of equal hashes from which on two sections are near-duplicates."""
RUN = 3
SHORTEST = 8
"""Terms that a section has at least: of shorter ones nothing can be said."""
NEGATIONS = frozenset("no not never none without nor nicht kein nie ohne nie nigdy bez ani".split())
_GUARD = np.dtype("<u8")
_HASH = np.dtype("<u4")


def signature(terms: Sequence[str]) -> bytes | None:
    """What a section is compared by: the hash of its numbers and negations, and its least hashes; None if too short."""
    if len(terms) < SHORTEST:
        return None
    telling = {term for term in set(terms) if term in NEGATIONS or (not term.isalpha() and any(map(str.isdigit, term)))}
    kept = sorted(term for term in terms if term in telling)
    guard = zlib.crc32("\n".join(kept).encode())
    runs = {"\n".join(terms[start : start + RUN]) for start in range(len(terms) - RUN + 1)}
    hashed = np.fromiter((zlib.crc32(run.encode()) for run in runs), np.uint64, len(runs))
    factors, added = _permutations()
    least = ((hashed[:, None] * factors + added) >> np.uint64(32)).min(axis=0).astype(_HASH)
    return bytes(np.array([guard], _GUARD).tobytes() + least.tobytes())


@cache
def _permutations() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    made = np.random.default_rng(20_210_517).integers(1, 2**63, (2, HASHES), np.uint64)
    return made[0] | np.uint64(1), made[1]


@dataclass(frozen=True, slots=True)
class _Section:
    number: int
    document_id: str
    version: str
    slug: str
    rank: tuple[float, str]
    marked: str

    @property
    def evidence_id(self) -> str:
        return f"{self.document_id}@{self.version}#{self.slug}"


def mark(connection: Connection) -> None:
    """Marks the near-duplicates of each scope that was changed since they were marked last.

    Of sections that say the same the one of the highest authority stands for the others, then the newest.
    """
    query = "SELECT number FROM knowledge_partition WHERE marked = 0"
    for (partition,) in connection.execute(query).fetchall():
        sections, signatures = _read(connection, partition)
        found = _duplicates(sections, signatures)
        changed = [(found.get(each.number, ""), each.number) for each in sections]
        changed = [pair for pair, each in zip(changed, sections, strict=True) if pair[0] != each.marked]
        connection.executemany("UPDATE knowledge_alike SET duplicate_of = ? WHERE number = ?", changed)
        connection.execute("UPDATE knowledge_partition SET marked = 1 WHERE number = ?", (partition,))


def _read(connection: Connection, partition: int) -> tuple[list[_Section], list[bytes]]:
    query = (
        "SELECT a.number, d.document_id, d.version, s.slug, d.authority, d.effective, a.duplicate_of, a.signature"
        " FROM knowledge_alike a JOIN knowledge_section s ON s.number = a.number"
        " JOIN knowledge_document d ON d.number = s.document WHERE a.number >= ? AND a.number < ?"
        " ORDER BY d.document_id, d.version, a.number"
    )
    sections, signatures = [], []
    for number, document_id, version, slug, authority, effective, marked, data in connection.execute(
        query, partition_rows(partition)
    ):
        sections.append(_Section(number, document_id, version, slug, (authority, effective or ""), marked))
        signatures.append(data)
    return sections, signatures


def _duplicates(sections: Sequence[_Section], signatures: Sequence[bytes]) -> dict[int, str]:
    """By section number, the id of the section that stands for it."""
    groups: defaultdict[int, list[_Section]] = defaultdict(list)
    for place, group in enumerate(_grouped(len(sections), _links(sections, signatures))):
        groups[group].append(sections[place])
    found = {}
    for alike in (each for each in groups.values() if len(each) > 1):
        best = max(alike, key=lambda each: each.rank)  # among equals the first, by id
        for each in alike:
            other_version = each.document_id == best.document_id and each.version != best.version
            if each is not best and not other_version:
                found[each.number] = best.evidence_id
    return found


def _links(sections: Sequence[_Section], signatures: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """Pairs of places of near-duplicates: in each band of hashes, all that agree with the first that has them."""
    if len(sections) < 2:
        return
    rows = np.frombuffer(b"".join(signatures), np.dtype([("guard", _GUARD), ("least", _HASH, HASHES)]))
    guards, least = rows["guard"], rows["least"]
    for begin in range(0, HASHES, BAND):
        band = least[:, begin : begin + BAND]
        order = np.lexsort((*band.T, guards))
        same = (band[order][1:] == band[order][:-1]).all(axis=1) & (guards[order][1:] == guards[order][:-1])
        heads = order[np.maximum.accumulate(np.where(np.r_[True, ~same], np.arange(len(order)), 0))]
        others = order[np.flatnonzero(heads != order)]
        firsts = heads[heads != order]
        alike = (least[others] == least[firsts]).mean(axis=1) >= ALIKE
        for one, other in zip(firsts[alike].tolist(), others[alike].tolist(), strict=True):
            if sections[one].document_id != sections[other].document_id or (
                sections[one].version == sections[other].version
            ):
                yield one, other


def _grouped(number: int, links: Iterable[tuple[int, int]]) -> list[int]:
    """The group of each place: the first place it is linked with, over any number of links."""
    groups = list(range(number))

    def first(place: int) -> int:
        while groups[place] != place:
            groups[place] = groups[groups[place]]
            place = groups[place]
        return place

    for one, other in links:
        earlier, later = sorted((first(one), first(other)))
        groups[later] = earlier
    return [first(place) for place in range(number)]
