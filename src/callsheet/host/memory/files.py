"""The memory tool wired: whose files a session sees, where they are kept, and the tool among those of runs (C7, C8)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ...core.memory.cleaning import without_private
from ...core.memory_files.commands import NAME
from ...drive.memory_files import MemoryTool
from ...edges.memory_folder import FolderFiles
from ...edges.project.memory_files import MemoryFilesSettings
from ...edges.stores import TenantStores
from ...edges.stores.names import encode_name, owner_name
from ...model.memory import Origin
from ...model.memory_policy import Personal
from ...model.request import SHARED, RequestContext
from ...model.tool import RawResult, ToolCall, ToolContract
from ...ports import Clock, MemoryFiles, Tools

FOLDER = "memories"


@dataclass(frozen=True, slots=True)
class MemoryRooms:
    """The areas of every tenant. Tenant and subject come from the session alone.

    `keep` are the kinds of personal data that are not taken out of what is written.
    """

    settings: MemoryFilesSettings
    keep: tuple[Personal, ...]
    data_dir: Path
    stores: TenantStores
    clock: Clock

    def tool(self, ctx: RequestContext, origin: Origin = "model") -> MemoryTool:
        """The memory tool of one session; what it writes is marked as the words of `origin`."""
        own = None if ctx.subject_id is None else self._area(ctx.tenant_id, ctx.subject_id)
        shared = {"shared": self._area(ctx.tenant_id, None), "everyone": self._area(SHARED, None)}
        clean = partial(without_private, keep=self.keep, locale=ctx.locale)
        return MemoryTool(ctx, own, shared, self.settings.limits, origin, clean, self.clock)

    def areas(self, tenant_id: str, subject_id: str | None) -> tuple[MemoryFiles, ...]:
        """Wherever files of a subject, or of the tenant, may be kept: the setting may have changed since."""
        folder = self.folder(tenant_id, owner_name(subject_id))
        rows = self.stores.open(tenant_id).memory_files(subject_id)
        return (rows, FolderFiles(folder)) if folder.is_dir() else (rows,)

    def folder(self, tenant_id: str, owner: str) -> Path:
        """Where the files of an owner are kept if they are kept in a folder."""
        return self.data_dir / encode_name(tenant_id) / FOLDER / owner

    def _area(self, tenant_id: str, subject_id: str | None) -> MemoryFiles:
        if self.settings.backend == "folder":
            return FolderFiles(self.folder(tenant_id, owner_name(subject_id)))
        return self.stores.open(tenant_id).memory_files(subject_id)


@dataclass(frozen=True, slots=True)
class WithMemory:
    """The `Tools` port: a project's own tools, and the engine's `memory` beside them."""

    tools: Tools
    tool_of: Callable[[RequestContext], MemoryTool]
    contract: ToolContract

    def contracts(self) -> tuple[ToolContract, ...]:
        """Every tool's contract, in name order."""
        return tuple(sorted((*self.tools.contracts(), self.contract), key=lambda each: each.name))

    def execute(self, call: ToolCall, ctx: RequestContext) -> RawResult:
        """What the call gave; a refused command is a failure under its rule, with the words that the model is told."""
        if call.tool != NAME:
            return self.tools.execute(call, ctx)
        reply = self.tool_of(ctx).perform(call.arguments)
        if reply.refused:
            return RawResult(failure=reply.verdict.rule, detail=reply.text)
        said = {"text": reply.text}
        return RawResult(said if reply.origin is None else {**said, "written_by": reply.origin.origin})
