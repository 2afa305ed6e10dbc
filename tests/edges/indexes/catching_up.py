"""A process that brings the index of memories up to date when it is told to, and says how many records it took in.

Usage: python -m tests.edges.indexes.catching_up KIND PLACE, after which it says `ready` and waits for a line.
"""

import sys
from pathlib import Path

from callsheet.edges.indexes.index import TenantIndex, open_index
from callsheet.edges.indexes.memories import MemoryIndex
from callsheet.edges.indexes.rows import IndexRows
from callsheet.edges.stores import TenantStore, TenantStores
from callsheet.edges.stores.names import encode_name

from ..stores.kinds import MAKERS


def opened(kind: str, place: str, tenant_id: str) -> tuple[TenantStores, TenantStore, MemoryIndex]:
    """A tenant's store and the index of its memories, as a process opens them."""
    stores = MAKERS[kind](place)
    store, rows = stores.open(tenant_id), stores.index(tenant_id, "memories")
    if rows is None:
        folder = Path(place) / encode_name(tenant_id)
        folder.mkdir(exist_ok=True)
        return stores, store, MemoryIndex(open_index(folder / "memory.db", tenant_id))
    return stores, store, MemoryIndex(TenantIndex(IndexRows(rows), tenant_id), None, store.memory_log_in)


def main(kind: str, place: str, tenant_id: str) -> None:
    stores, store, index = opened(kind, place, tenant_id)
    store.memory_log.mark(0)
    print("ready", flush=True)
    sys.stdin.readline()
    print(index.catch_up(store.memory_log))
    stores.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
