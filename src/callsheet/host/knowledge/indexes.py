"""The indexes of a host's tenants: opened and embedded when first asked for, searched for a session (C8)."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from ...edges.project.folder import ProjectFolder
from ...edges.stores.files import storing
from ...errors import OutageError, StoreError, UsageError
from ...model.evidence import Query, Search
from ...model.grants import AUDIT, PUBLISH
from ...model.ingest import Told
from ...model.request import SHARED, RequestContext
from ...ports import Index
from .embedding import AT_ONCE, BackgroundEmbedding, embed
from .experience import Learning
from .places import Places
from .rankers import OpenedRankers

if TYPE_CHECKING:
    from ...edges.indexes.index import TenantIndex

CONDITION = "callsheet.edges.indexes.condition"
"""Loaded when an index is looked through: it brings numpy."""
PROJECT, GIVEN = "project", ""
"""Origins of documents: the project's own folder, and applications."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Whether an index can be used: its fault in words, empty where it has none.

    Of one with a fault, the `folders` and files that it was made from, and whether an application has given documents,
    as far as that can still be read.
    """

    shared: bool
    fault: str
    folders: tuple[str, ...] = ()
    given: bool = False


@dataclass
class Indexes:
    """One index for each tenant and one for all. The project's own knowledge is written once into the shared one."""

    folder: ProjectFolder
    places: Places
    rankers: OpenedRankers
    learning: Learning
    embedding: BackgroundEmbedding = field(default_factory=BackgroundEmbedding)
    _own: dict[str, "TenantIndex"] = field(default_factory=dict)
    _shared: "TenantIndex | None" = None
    _lock: Lock = field(default_factory=Lock)

    def close(self) -> None:
        """Closes every index, after the batch that is being embedded, and the models."""
        self.embedding.close()
        for index in (*self._own.values(), *((self._shared,) if self._shared else ())):
            index.close()
        self.rankers.close()

    def let_go(self, tenant_id: str) -> None:
        """Closes the index of a tenant whose folder is about to go."""
        with self._lock:
            index = self._own.pop(tenant_id, None)
        if index is not None:
            index.close()

    def of(self, ctx: RequestContext) -> tuple[Index, ...]:
        """What a session's requests search: its tenant's own knowledge and that of all, neither opened yet."""
        return _Knowledge(self, ctx.tenant_id), _Knowledge(self, SHARED)

    def index(self, tenant_id: str) -> "TenantIndex":
        """The tenant's index. That of `shared` is read-only here; it holds the project's `knowledge/` as it is now."""
        with self._lock:
            found = self._own.get(tenant_id)
            if found is None:
                if tenant_id == SHARED:
                    self._shared_writer().publish(PROJECT, self.folder.documents)
                found = self._own[tenant_id] = self._opened(tenant_id, read_only=tenant_id == SHARED)
                self._catch_up(tenant_id)
            return found

    def _catch_up(self, tenant_id: str) -> None:
        """Embeds what an index lacks: few sections of the project's own at once, others in the background."""
        index = self._shared_writer() if tenant_id == SHARED else self._own[tenant_id]
        lacking = index.pending()
        if tenant_id == SHARED and 0 < lacking <= AT_ONCE:
            with suppress(OutageError):  # each search says what it lacks
                embed(index)
        elif lacking:
            self.embedding.want(index)

    def writable(self, ctx: RequestContext, shared: bool) -> "TenantIndex":
        """The index that a session may write to; UsageError for the shared one without the grant `publish`."""
        self._may_publish(ctx, shared)
        return self._written(ctx.tenant_id, shared)

    def want_vectors(self, index: "TenantIndex") -> None:
        """Has what an index lacks embedded in the background; its words are found from now on."""
        if index.pending():
            self.embedding.want(index)

    def embed(self, ctx: RequestContext, shared: bool, told: Told | None) -> int:
        """How many sections got the vectors that they lacked. Errors as `ingest`, and OutageError of the embedder."""
        self._may_publish(ctx, shared)
        if self.rankers.embedder() is None:
            raise UsageError(
                'no embedder is named, so there are no vectors to make; write embedder = "embedded" into [knowledge] '
                "of callsheet.toml"
            )
        work = self.embedding.want(self._written(ctx.tenant_id, shared), told)
        work.over.wait()
        if work.failure is not None:
            raise work.failure
        return work.done

    def lacking(self, tenant_id: str, grants: Iterable[str]) -> int:
        """How many sections that these grants open have no vector of the project's embedder yet; it opens no index."""
        if self.rankers.embedder() is None or not self.places.written(tenant_id):
            return 0
        with closing(self._opened(tenant_id, read_only=True)) as index:
            return index.pending(grants)

    def _may_publish(self, ctx: RequestContext, shared: bool) -> None:
        if shared and PUBLISH not in ctx.grants:
            raise UsageError(
                f"knowledge that every tenant reads needs the grant {PUBLISH!r}, which this session does not hold; "
                "use one that does, or write to the tenant's own"
            )

    def _written(self, tenant_id: str, shared: bool) -> "TenantIndex":
        """The index that may be written to."""
        if not shared:
            return self.index(tenant_id)
        with self._lock:
            return self._shared_writer()

    def _shared_writer(self) -> "TenantIndex":
        """The one index of shared knowledge that writes; requests read it through another."""
        if self._shared is None:
            self._shared = self._opened(SHARED)
        return self._shared

    def _opened(self, tenant_id: str, read_only: bool = False) -> "TenantIndex":
        given = (tenant_id, read_only, self.rankers.embedder(), self.rankers.reranker())
        try:
            return self.places.open(*given)
        except StoreError:
            # The project's own knowledge comes again by itself; what else was shared does not.
            path = self.places.path(tenant_id)
            if tenant_id != SHARED or not path.exists() or not import_module(CONDITION).renewed(path, PROJECT):
                raise
            return self.places.open(*given)

    def conditions(self, ctx: RequestContext) -> Iterator[Condition]:
        """The files that a session's searches read, each looked through whole: the tenant's own and the shared one."""
        condition = import_module(CONDITION)
        for tenant_id in (ctx.tenant_id, SHARED):
            path = self.places.path(tenant_id)
            fault = condition.fault(path)
            known = condition.origins(path) if fault else ()
            folders = tuple(each for each in known if Path(each).is_absolute())
            yield Condition(tenant_id == SHARED, fault, folders, GIVEN in known)

    def set_aside(self, ctx: RequestContext, shared: bool) -> Path | None:
        """Where the index that a session may write to lies from now on, if it cannot be used; None where it can."""
        self._may_publish(ctx, shared)
        tenant_id = SHARED if shared else ctx.tenant_id
        path, condition = self.places.path(tenant_id), import_module(CONDITION)
        if not condition.fault(path):
            return None
        with self._lock, storing(path):
            # What is closed opens itself again; the reader of shared knowledge waits for its writer to do so.
            for index in (self._own.pop(tenant_id, None), self._shared if shared else None):
                if index is not None:
                    index.close()
            aside: Path = condition.set_aside(path)
            return aside

    def found(self, tenant_id: str, query: Query) -> Search:
        """What a tenant's index has for a query: nothing where none was written yet, and asking makes none."""
        if self._absent(tenant_id):
            return Search()
        return self.learning.reordered(query, self.index(tenant_id).search(self.learning.wider(query)))

    def outside(self, tenant_id: str, grants: Iterable[str]) -> Mapping[str, int]:
        """How many sections of which scopes a session's searches do not look through; for the grant `audit`."""
        return {} if self._absent(tenant_id) else self.index(tenant_id).outside(grants)

    def _absent(self, tenant_id: str) -> bool:
        """True where nothing was ever written: a search then loads no index."""
        if tenant_id == SHARED and self.folder.written_documents:
            return False
        return tenant_id not in self._own and not self.places.written(tenant_id)

    def section_ids(self, ctx: RequestContext) -> frozenset[str]:
        """The ids of the documents that a session's grants may see, and of their sections as `document#section`."""
        tenants = [each for each in (ctx.tenant_id, SHARED) if not self._absent(each)]
        return frozenset().union(*(self.index(tenant).section_ids(ctx.grants) for tenant in tenants))


@dataclass(frozen=True, slots=True)
class _Knowledge:
    """A tenant's index, opened when it is asked: one that cannot be opened is an outage of its source and no more."""

    indexes: Indexes
    tenant_id: str

    def search(self, query: Query) -> Search:
        found = replace(self.indexes.found(self.tenant_id, query), store=self.tenant_id)
        if AUDIT not in query.grants:
            return found
        return replace(found, outside=sum(self.indexes.outside(self.tenant_id, query.grants).values()))
