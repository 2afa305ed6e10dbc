"""Asking the sources: one query, one source, its nouns redacted and rendered to measured items (A3)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from operator import attrgetter

from ..core.memory.loading import relevance
from ..core.restart.scope import cleaned
from ..core.retrieval.excerpt import excerpt
from ..core.retrieval.joining import joined
from ..core.sources.events import event_item
from ..core.sources.knowledge import evidence_item
from ..core.sources.memory import memory_item
from ..core.sources.scope import restart_items
from ..core.sources.state import state_item, value_item
from ..core.text.redact import redact, redact_value
from ..errors import OutageError
from ..model.effect import Found, Outage
from ..model.evidence import Evidence, Query, Search, Searched
from ..model.item import ContextItem, revised
from ..model.request import RequestContext
from ..ports import Approvals, Clock, Events, Index, Recall, States, Values
from .items import Items

NOTICES = 20
"""Notices that one decision is told of, oldest first; the rest waits for the next."""
# Scores change with the query and the text does not, so a rendered item is kept by what lasts of its evidence.
_lasting = attrgetter(*(each.name for each in fields(Evidence) if each.name not in ("relevance", "rank", "scores")))


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of one session. `indexes` are the tenant's own and the shared one, joined by rank and relevance."""

    ctx: RequestContext
    items: Items
    indexes: tuple[Index, ...]
    memories: Recall
    states: States
    events: Events
    approvals: Approvals
    values: Values
    clock: Clock
    stale_freshness: float
    excerpts: float = 0.0

    def answer(self, query: Query, taker: str | None = None) -> Found | Outage:
        """What one source has for one query, or that it could not answer.

        `taker` is the request that is about to be sent: it takes the notices it is given off the queue. Without one
        they are only looked at.
        """
        try:
            return self._readers(taker)[query.source](query)
        except OutageError as error:
            return Outage(query.source, redact(str(error)))

    def _readers(self, taker: str | None) -> Mapping[str, Callable[[Query], Found]]:
        return {
            "values": self._values,
            "state": self._state,
            "events": lambda query: self._events(query, taker),
            "approvals": lambda query: Found(approvals=self.approvals.granted(query.text)),
            "memory": self._memory,
            "knowledge": self._knowledge,
        }

    def _found(self, items: Iterable[ContextItem]) -> Found:
        now = self.clock()
        return Found(tuple(revised(item, retrieved_at=now) for item in items))

    def _values(self, query: Query) -> Found:
        assert self.ctx.now is not None
        current = self.values.current(self.ctx.now)
        values = (replace(each, value=redact(each.value), text=redact(each.text)) for each in current)
        return self._found(self.items.made(each, lambda each=each: value_item(each)) for each in values)  # type: ignore[misc]

    def _state(self, query: Query) -> Found:
        state = self.states.load(query.subject_id)
        clean = replace(
            state,
            goal=redact(state.goal),
            phase=redact(state.phase),
            completed=tuple(map(redact, state.completed)),
            pending_approvals=tuple(map(redact, state.pending_approvals)),
            artifacts=tuple(map(redact, state.artifacts)),
            tests=redact(state.tests),
            facts=redact_value(state.facts),
        )
        clean = cleaned(clean, redact)
        # The log is rendered as far as it is shown: every request would store all of it again.
        items = (state_item(replace(clean, log=()), self.ctx), *restart_items(clean, self.ctx))
        return self._found(map(self.items.measured, items))

    def _events(self, query: Query, taker: str | None) -> Found:
        assert self.ctx.now is not None
        # A few at a time, oldest first: a queue that overflowed must not keep a decision from being made.
        pending = self.events.pending(query.subject_id, self.ctx.now, NOTICES, taker)
        return self._found(self.items.measured(event_item(replace(e, text=redact(e.text)), self.ctx)) for e in pending)

    def _memory(self, query: Query) -> Found:
        now = self.ctx.now
        assert now is not None
        items = []
        for each in self.memories.recall(query):
            record = each.record
            clean = replace(record, text=redact(record.text), provenance=redact(record.provenance))
            key = clean, clean.review_by is not None and clean.review_by < now
            item = self.items.made(key, lambda clean=clean: memory_item(clean, now, self.stale_freshness))  # type: ignore[misc]
            items.append(revised(item, relevance=round(relevance(clean, each.found), 4)))
        return self._found(items)

    def _knowledge(self, query: Query) -> Found:
        searches, now = [index.search(query) for index in self.indexes], self.clock()
        found = joined([each.evidence for each in searches])
        # What is superseded is only told of: it takes nobody's place.
        found = sorted(found, key=lambda each: each.superseded and not query.history)[: query.limit]
        lacked = dict.fromkeys(redact(each) for search in searches for each in search.without)
        notes = tuple(f"knowledge was searched without {each}" for each in lacked)
        searched = tuple(_searched(query.text, each) for each in searches)
        items = (*(self._evidence(each, now) for each in found), *self._quoted(found, query.text, now))
        return Found(items, notes=notes, searched=searched)

    def _quoted(self, found: Iterable[Evidence], question: str, now: datetime) -> Iterator[ContextItem]:
        """Each section again with what the question needs of it, where that may stand in for the whole."""
        for each in found if self.excerpts else ():
            clean = _with_text(each, redact(each.text))
            most = int(len(clean.text) * self.excerpts)
            spans = excerpt(question, f"{each.heading} {each.document_id}", clean.text, most)
            if spans:
                yield self._evidence(replace(clean, quoted=spans), now)

    def _evidence(self, evidence: Evidence, found_at: datetime) -> ContextItem:
        now = self.ctx.now
        assert now is not None
        item = self.items.made(
            (_lasting(evidence), evidence.overdue(now)),
            lambda: evidence_item(_with_text(evidence, redact(evidence.text)), now, self.stale_freshness),
            clean=True,
        )
        assert isinstance(item.record, Evidence)
        scored = _with_text(evidence, item.record.text)
        return revised(item, retrieved_at=found_at, relevance=evidence.relevance, record=scored)


def _searched(text: str, search: Search) -> Searched:
    in_force = sum(not each.superseded for each in search.evidence)
    return Searched(redact(text), search.store, search.sections, in_force, search.outside)


def _with_text(evidence: Evidence, text: str) -> Evidence:
    return evidence if evidence.text == text else replace(evidence, text=text)
