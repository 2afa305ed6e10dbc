"""The memory desk: what an application may do with a subject's memories, for one session at a time (C2)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..core.text.foreign import is_text
from ..core.text.redact import redact
from ..drive.memory_files import MemoryTool
from ..edges.memory_tool.faces import anthropic_tools
from ..edges.stores import TenantStore
from ..errors import UsageError
from ..model.evidence import Query
from ..model.grants import MEMORY
from ..model.memory import MemoryRecord, Origin
from ..model.request import RequestContext
from .memory_files import MemoryRooms


class MemoryDesk:
    """Memories of the session's tenant. The tenant is the session's, never a record's (C8).

    A session reads and writes what is kept of its own subject; the grant `memory` opens writing for every subject.
    """

    def __init__(self, stores: Callable[[RequestContext], TenantStore], rooms: MemoryRooms) -> None:
        self._stores = stores
        self._rooms = rooms

    def add(self, record: MemoryRecord, ctx: RequestContext) -> MemoryRecord:
        """The stored record with its id, secrets removed.

        UsageError for a record of another tenant, and without the grant `memory` for one of another subject.
        """
        if not isinstance(record, MemoryRecord):
            raise UsageError(f"the record is a {type(record).__name__}; pass a callsheet.MemoryRecord")
        if record.tenant_id != ctx.tenant_id:
            raise UsageError(f"the record names tenant {record.tenant_id!r}, the session is of {ctx.tenant_id!r}")
        _check_subject(record.subject_id, ctx)
        for name in ("subject_id", "purpose", "provenance", "text"):
            if not is_text(getattr(record, name)):
                raise UsageError(f"the memory's {name} is not valid text; give it in UTF-8")
        clean = replace(record, text=redact(record.text), provenance=redact(record.provenance))
        return self._stores(ctx).memories.add(clean)

    def load(self, ctx: RequestContext) -> tuple[MemoryRecord, ...]:
        """Every record of the session's subject that its grants may see, whether or not it would load."""
        if ctx.subject_id is None:
            return ()
        query = Query("memory", ctx.tenant_id, ctx.subject_id, ctx.grants)
        return tuple(each for each in self._stores(ctx).memories.load(query) if ctx.may_see(each.scope))

    def delete(self, subject_id: str, ctx: RequestContext) -> int:
        """How many records and memory files of one subject were deleted.

        UsageError for another's without the grant `memory`.
        """
        _check_subject(subject_id, ctx)
        return self._stores(ctx).memories.delete(subject_id) + self._rooms.clear(ctx.tenant_id, subject_id)

    def files(self, ctx: RequestContext, origin: Origin = "model") -> MemoryTool:
        """The memory tool of this session: its `perform` takes the tool's arguments and gives what the model is told.

        What it writes is marked as the words of `origin`. Tenant and subject are the session's, whatever the arguments.
        """
        self._stores(ctx)  # a UsageError where the host is closed
        return self._rooms.tool(ctx, origin)

    def anthropic_tool(self, ctx: RequestContext, cache_control: Mapping[str, Any] | None = None) -> Any:
        """The session's memory tool for the Anthropic SDK's tool runner: a `BetaAbstractMemoryTool`.

        UsageError without the extra `callsheet[anthropic]`.
        """
        return anthropic_tools().tool(self.files(ctx).perform, cache_control)

    def async_anthropic_tool(self, ctx: RequestContext, cache_control: Mapping[str, Any] | None = None) -> Any:
        """As `anthropic_tool`, for the SDK's async client: a `BetaAsyncAbstractMemoryTool`."""
        return anthropic_tools().async_tool(self.files(ctx).perform, cache_control)


def _check_subject(subject_id: str, ctx: RequestContext) -> None:
    if subject_id != ctx.subject_id and MEMORY not in ctx.grants:
        raise UsageError(
            f"the memories of subject {subject_id!r} are not this session's, which is of {ctx.subject_id!r}; "
            f"work in that subject's session, or in one with the grant {MEMORY!r}"
        )
