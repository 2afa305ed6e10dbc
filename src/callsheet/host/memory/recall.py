"""The memories that bear on a question: searched by an index beside the store, which catches up first (C3, C8)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from ...core.memory.superseding import in_force
from ...edges.stores import TenantStore, TenantStores
from ...edges.stores.files import storing
from ...errors import StoreError
from ...model.evidence import Query
from ...model.memory import MemoryRecord, Recalled
from ...model.request import RequestContext
from ...ports import Recall
from ..knowledge.indexes import CONDITION, Indexes
from ..knowledge.places import Places

if TYPE_CHECKING:
    from ...edges.indexes.memories import MemoryIndex

ENGINE = "callsheet.edges.indexes.memories"
"""Loaded when memories are first searched: it brings numpy."""


RENEWING = "=memory index"
"""The name that whoever begins an index anew holds; no run has it."""
Found = TypeVar("Found")
DEEPER, DEEPEST = 4, 64
"""How much further a search looks at a time, and how much further at most."""


@dataclass
class MemoryIndexes:
    """One index of memories for each tenant and one for the shared area: copies, which the stores can always renew."""

    stores: TenantStores
    places: Places
    indexes: Indexes
    _opened: dict[str, "MemoryIndex"] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def of(self, ctx: RequestContext) -> Recall:
        """What a session's requests recall: memories of its tenant, and of all."""
        return _SessionRecall(self, ctx.tenant_id)

    def recall(self, store: TenantStore, query: Query) -> Sequence[Recalled]:
        """What one store has for a query; a store without any memory makes no index."""
        if store.tenant_id not in self._opened and not store.memory_log.mark(0).number:
            return ()
        found, seen = self._used(store, lambda index: self._found(index, store, query))
        good = [name for name in found if name in seen and _in_force(seen[name], query)]
        rest = [name for name in found if name in seen and name not in good]
        first = [Recalled(seen[name], found[name]) for name in (*good[: query.limit], *rest[: query.limit])]
        return [*first, *(Recalled(each) for name, each in seen.items() if name not in found)]

    def _found(
        self, index: "MemoryIndex", store: TenantStore, query: Query
    ) -> tuple[Mapping[str, float], Mapping[str, MemoryRecord]]:
        """What the search finds, by id with its relevance, and all candidates by id.

        It looks deeper where what was corrected or has expired takes the places of what is in force.
        """
        limit = query.limit
        while True:
            found = index.search(replace(query, limit=limit), store.memory_log)
            seen = {each.record_id: each for each in store.memory_log.candidates(query, tuple(found))}
            good = sum(_in_force(seen[name], query) for name in found if name in seen)
            if good >= query.limit or len(found) < limit or limit >= DEEPEST * query.limit:
                return found, seen
            limit *= DEEPER

    def forget(self, tenant_id: str) -> None:
        """Takes out of the tenant's index what its store has deleted, with its bytes, and closes it."""
        store = self.stores.open(tenant_id)
        self._renewed(store)
        if self.places.written(tenant_id, "memories"):
            self._used(store, lambda index: index.catch_up(store.memory_log))
        self._let_go(tenant_id)
        if store.unfinished().memories:
            store.forgotten(erased=self.stores.index(tenant_id, "memories") is None)  # a file erases itself

    def close(self) -> None:
        """Closes every index."""
        with self._lock:
            for each in self._opened.values():
                each.index.close()

    def _used(self, store: TenantStore, use: Callable[["MemoryIndex"], Found]) -> Found:
        """What a use of the tenant's index gives, begun anew where its file cannot be used."""
        try:
            return use(self._index(store))
        except StoreError:
            if not self._renewed(store):
                raise
            return use(self._index(store))

    def _renewed(self, store: TenantStore) -> bool:
        """Whether the index was a file that is damaged or of another version. It was a copy, and is no more there."""
        path, condition = self.places.path(store.tenant_id, "memories"), import_module(CONDITION)
        if not condition.fault(path):
            return False
        with store.leases.held(RENEWING, "the index of memories", wait=True), storing(path):
            if not condition.fault(path):
                return True  # another process was first
            self._let_go(store.tenant_id)
            condition.delete(path)
            return True

    def _let_go(self, tenant_id: str) -> None:
        with self._lock:
            index = self._opened.pop(tenant_id, None)
        if index is not None:
            index.index.close()

    def _index(self, store: TenantStore) -> "MemoryIndex":
        tenant_id = store.tenant_id
        with self._lock:
            found = self._opened.get(tenant_id)
            if found is None:
                rankers = self.indexes.rankers
                index = self.places.open(tenant_id, False, rankers.embedder(), rankers.reranker(), "memories")
                want = self.indexes.want_vectors  # memories are found by their words until they have vectors
                log_in = store.memory_log_in if self.stores.index(tenant_id, "memories") is not None else None
                found = self._opened[tenant_id] = import_module(ENGINE).MemoryIndex(index, want, log_in)
                want(index)
            return found


def _in_force(record: MemoryRecord, query: Query) -> bool:
    return query.now is None or in_force(record, query.now)


@dataclass(frozen=True, slots=True)
class _SessionRecall:
    indexes: MemoryIndexes
    tenant_id: str

    def recall(self, query: Query) -> Sequence[Recalled]:
        """The tenant's own, then what is shared: every check is asked of each."""
        own, shared = self.indexes.stores.open(self.tenant_id), self.indexes.stores.shared()
        return [each for store in (own, shared) if store is not None for each in self.indexes.recall(store, query)]
