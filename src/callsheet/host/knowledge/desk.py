"""The knowledge desk: what an application may do with evidence, for one session at a time (B5)."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from ...core.retrieval.joining import joined
from ...core.text.redact import redact
from ...model.evidence import Document, Query, Results
from ...model.grants import AUDIT
from ...model.ingest import Ingested, IngestPolicy, Told
from ...model.request import SHARED, RequestContext
from ...ports import Clock
from .indexes import Condition, Indexes

INGESTING = "callsheet.host.knowledge.ingesting"
"""Loaded when something is ingested: a decision reads no files of documents."""
MOST_RESULTS = 1_000_000
"""More than any index is asked for; beyond it a number would not fit the database's own."""


Given = Path | str | Mapping[str, Any] | Document
"""A document as an application hands it over: a file or a folder of them, a mapping with `id` and `text`, or a noun."""


class KnowledgeDesk:
    """Documents into the session's tenant, or into what all share; evidence out of both."""

    def __init__(self, indexes: Indexes, rules: IngestPolicy, clock: Clock) -> None:
        self._indexes, self._rules, self._clock = indexes, rules, clock

    def ingest(
        self,
        documents: Iterable[Given],
        ctx: RequestContext,
        *,
        shared: bool = False,
        history: bool = False,
        told: "Told | None" = None,
    ) -> Ingested:
        """What an ingest came to; `history` adds the earlier revisions that Git knows, as superseded versions.

        UsageError for a document or a file that is named and cannot be read, and for shared ones without the grant
        `publish`; a file of a folder that cannot be read is skipped.
        """
        ingesting = import_module(INGESTING)
        nouns, paths = ingesting.parted(documents)
        index = self._indexes.writable(ctx, shared)
        now = ctx.now or self._clock()
        given = index.origins.give(nouns, ctx.grants)
        read: Ingested = ingesting.Ingesting(index, self._rules, now, history, told, ctx.grants).run(paths)
        self._indexes.want_vectors(index)
        return given + read

    def conditions(self, ctx: RequestContext) -> tuple[Condition, ...]:
        """Whether what the session searches can be used. It tells of every scope: for whoever owns the data folder."""
        return tuple(self._indexes.conditions(ctx))

    def set_aside(self, ctx: RequestContext, *, shared: bool = False) -> Path | None:
        """Where an index that cannot be used lies from now on, so that an empty one takes its place; None if it can.

        UsageError for the shared one without the grant `publish`.
        """
        return self._indexes.set_aside(ctx, shared)

    def search(self, text: str, ctx: RequestContext, limit: int, history: bool = False) -> Results:
        """The best evidence of the tenant's own index and the shared one, in one order; in force, or of all time."""
        most = min(limit, MOST_RESULTS)
        now = ctx.now or self._clock()
        query = Query("knowledge", ctx.tenant_id, ctx.subject_id, ctx.grants, redact(text), "", most, now, history)
        found = [self._indexes.found(tenant, query) for tenant in (ctx.tenant_id, SHARED)]
        evidence = joined(each.evidence for each in found)
        return Results(
            now,
            tuple(each for each in evidence if history or not each.superseded)[:limit],
            sum(each.sections for each in found),
            tuple(dict.fromkeys(without for each in found for without in each.without)),
            self._outside(ctx) if AUDIT in ctx.grants else (),
        )

    def _outside(self, ctx: RequestContext) -> tuple[tuple[str, int], ...]:
        counts: dict[str, int] = {}
        for tenant in (ctx.tenant_id, SHARED):
            for scope, number in self._indexes.outside(tenant, ctx.grants).items():
                counts[scope] = counts.get(scope, 0) + number
        return tuple(sorted(counts.items()))
