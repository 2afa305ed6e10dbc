"""The memory desk: what an application may do with a subject's memories, for one session at a time (C2)."""

from collections.abc import Callable
from dataclasses import replace

from .core.redact import redact
from .edges.stores import TenantStore
from .errors import UsageError
from .model.evidence import Query
from .model.memory import MemoryRecord
from .model.request import RequestContext


class MemoryDesk:
    """Memories of the session's tenant. The tenant is the session's, never a record's (C8)."""

    def __init__(self, stores: Callable[[RequestContext], TenantStore]) -> None:
        self._stores = stores

    def add(self, record: MemoryRecord, ctx: RequestContext) -> MemoryRecord:
        """The stored record with its id, secrets removed. UsageError for a record of another tenant."""
        if record.tenant_id != ctx.tenant_id:
            raise UsageError(f"the record names tenant {record.tenant_id!r}, the session is of {ctx.tenant_id!r}")
        return self._stores(ctx).memories.add(replace(record, text=redact(record.text)))

    def load(self, ctx: RequestContext) -> tuple[MemoryRecord, ...]:
        """Every record of the session's subject that its grants may see, whether or not it would load."""
        if ctx.subject_id is None:
            return ()
        query = Query("memory", ctx.tenant_id, ctx.subject_id, ctx.grants)
        return tuple(each for each in self._stores(ctx).memories.load(query) if ctx.may_see(each.scope))

    def delete(self, subject_id: str, ctx: RequestContext) -> int:
        """How many records of one subject were deleted."""
        return self._stores(ctx).memories.delete(subject_id)
