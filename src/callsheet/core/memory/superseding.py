"""What a new record takes the place of, what it may not touch, and what was known when (C5).

A correction supersedes only what says the same relation of the same subject for the same purpose, only upwards in trust
or at its level, and only where whoever saw what was said sees the correction. What a person states never takes the
place of a system's own record: both stand, each under who vouches for it. A quote takes nobody's place and nobody takes
its own: it is what somebody else said.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ...model.memory import FACT_SOURCES, QUOTE_SOURCES, MemoryRecord
from .relation import normal, relation_of, topic_of
from .sameness import said, says_the_same

_WIDTHS = ("subject", "tenant", "everyone")
_RANKS = {"model_inferred": 1, "user_stated": 2, "system_record": 3}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a new record stands among those there are: what it supersedes, what says it already, what forbids it."""

    supersedes: tuple[str, ...] = ()
    merged: MemoryRecord | None = None
    against: MemoryRecord | None = None


def place(record: MemoryRecord, existing: Iterable[MemoryRecord], now: datetime) -> Place:
    """The record's place among the subject's own records in force."""
    rivals = [each for each in existing if _of_the_same(record, each) and in_force(each, now)]
    same = [each for each in rivals if _alike(record, each)]
    for each in same:
        if rank(each) >= rank(record) and _lasts(each, record):
            return Place(merged=each)
    if record.source in QUOTE_SOURCES:
        return Place()
    if record.source not in FACT_SOURCES:
        against = next((each for each in rivals if _contradicts(record, each)), None)
        if against is not None:
            return Place(against=against)
    taken = [each for each in rivals if each in same or (_one_relation(record, each) and _seen_wherever(record, each))]
    lower = [each for each in taken if each.source not in QUOTE_SOURCES and rank(each) <= rank(record)]
    return Place(tuple(each.record_id for each in lower if each.record_id))


def in_force(record: MemoryRecord, now: datetime) -> bool:
    """True for a record that is neither superseded nor expired at a moment."""
    return record.superseded_at is None and (record.expires_at is None or record.expires_at > now)


def rank(record: MemoryRecord) -> int:
    """How much stands behind a record: a system's own, a person's word, a model's inference, anything else."""
    return _RANKS.get(record.source, 0)


def _of_the_same(record: MemoryRecord, other: MemoryRecord) -> bool:
    whose = (record.subject_id, record.tenant_id, record.purpose)
    return whose == (other.subject_id, other.tenant_id, other.purpose)


def _alike(record: MemoryRecord, other: MemoryRecord) -> bool:
    """True where both say the same to the same people; a quote is the same only from the same place."""
    if (record.scope, record.visibility) != (other.scope, other.visibility):
        return False
    if record.source in QUOTE_SOURCES and other.source in QUOTE_SOURCES and record.provenance != other.provenance:
        return False
    relations = {normal(record.relation), normal(other.relation)} - {""}
    return len(relations) < 2 and says_the_same(record.text, other.text)


def _seen_wherever(record: MemoryRecord, other: MemoryRecord) -> bool:
    """True where whoever sees the other one sees the record too: for anybody else it would vanish without a reason."""
    as_wide = _WIDTHS.index(record.visibility) >= _WIDTHS.index(other.visibility)
    return as_wide and record.scope in (None, other.scope)


def _lasts(kept: MemoryRecord, new: MemoryRecord) -> bool:
    """True where what is kept already ends no sooner than the new record would."""
    return kept.expires_at is None or (new.expires_at is not None and new.expires_at <= kept.expires_at)


def _one_relation(record: MemoryRecord, other: MemoryRecord) -> bool:
    return bool(ours := _relation(record)) and ours == _relation(other)


def _relation(record: MemoryRecord) -> str:
    return normal(record.relation) or relation_of(record.text)


def _contradicts(record: MemoryRecord, fact: MemoryRecord) -> bool:
    """True where what a model inferred would say otherwise than a fact about the same thing."""
    if fact.source not in FACT_SOURCES:
        return False
    if {_relation(record), topic_of(record.text)} & ({_relation(fact), normal(fact.relation)} - {""}):
        return True
    one, two = said(record.text), said(fact.text)
    return one.words == two.words and (one.numbers, one.turns) != (two.numbers, two.turns)


def known_at(records: Sequence[MemoryRecord], true_at: datetime, known_at: datetime) -> tuple[MemoryRecord, ...]:
    """The records that, by what was known at one moment, were true at another, in the order given.

    A correction that says since when it holds leaves what was true before that; one that does not says that it was
    never otherwise. Where the correction itself is gone, it counts for every time.
    """
    by_id = {each.record_id: each for each in records if each.record_id}
    return tuple(
        each
        for each in records
        if (each.created_at is None or each.created_at <= known_at)
        and (each.valid_from is None or each.valid_from <= true_at)
        and (each.valid_until is None or true_at < each.valid_until)
        and not corrected(each, by_id, true_at, known_at)
    )


def corrected(
    record: MemoryRecord, by_id: Mapping[str, MemoryRecord], true_at: datetime, known_at: datetime | None = None
) -> bool:
    """True where a correction says otherwise of a moment, by what was known at another; by all that is known without.

    `by_id` are the records that a correction is looked up in.
    """
    seen: set[str] = set()
    while record.superseded_at is not None and (known_at is None or record.superseded_at <= known_at):
        correction = by_id.get(record.superseded_by)
        if correction is None or correction.record_id in seen:
            return True
        if correction.valid_from is None or correction.valid_from <= true_at:
            return True
        seen.add(correction.record_id)
        record = correction
    return False
