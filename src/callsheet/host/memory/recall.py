"""The memories that bear on a question: searched by an index beside the store, which catches up first (C3, C8)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from ...edges.stores import TenantStore, TenantStores
from ...edges.stores.names import encode_name
from ...model.evidence import Query
from ...model.memory import Recalled
from ...model.request import RequestContext
from ...ports import Recall
from ..knowledge.indexes import Indexes

if TYPE_CHECKING:
    from ...edges.indexes.memories import MemoryIndex

INDEX = "memory.db"
ENGINE = "callsheet.edges.indexes.memories"
"""Loaded when memories are first searched: it brings numpy."""


@dataclass
class MemoryIndexes:
    """One index of memories for each tenant and one for the shared area: copies, which the stores can always renew."""

    stores: TenantStores
    data_dir: Path
    indexes: Indexes
    _opened: dict[str, "MemoryIndex"] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def of(self, ctx: RequestContext) -> Recall:
        """What a session's requests recall: memories of its tenant, and of all."""
        return _SessionRecall(self, ctx.tenant_id)

    def recall(self, store: TenantStore, query: Query) -> Sequence[Recalled]:
        """What one store has for a query; a store without any memory makes no index."""
        if not store.memory_log.mark(0).number:
            return ()
        found = self._index(store.tenant_id).search(query, store.memory_log)
        seen = {each.record_id: each for each in store.memory_log.candidates(query, tuple(found))}
        first = [Recalled(seen[name], relevance) for name, relevance in found.items() if name in seen]
        return [*first, *(Recalled(each) for name, each in seen.items() if name not in found)]

    def forget(self, tenant_id: str) -> None:
        """Takes out of the tenant's index what its store has deleted, with its bytes."""
        if self._path(tenant_id).exists():
            self._index(tenant_id).catch_up(self.stores.open(tenant_id).memory_log)

    def close(self) -> None:
        """Closes every index."""
        with self._lock:
            for each in self._opened.values():
                each.index.close()

    def _index(self, tenant_id: str) -> "MemoryIndex":
        with self._lock:
            found = self._opened.get(tenant_id)
            if found is None:
                index = self.indexes.opened(self._path(tenant_id), tenant_id)
                found = self._opened[tenant_id] = import_module(ENGINE).MemoryIndex(index)
            return found

    def _path(self, tenant_id: str) -> Path:
        return self.data_dir / encode_name(tenant_id) / INDEX


@dataclass(frozen=True, slots=True)
class _SessionRecall:
    indexes: MemoryIndexes
    tenant_id: str

    def recall(self, query: Query) -> Sequence[Recalled]:
        """The tenant's own, then what is shared: every check is asked of each."""
        own, shared = self.indexes.stores.open(self.tenant_id), self.indexes.stores.shared()
        return [each for store in (own, shared) if store is not None for each in self.indexes.recall(store, query)]
