"""A room for tests of the memory tool: areas of either kind, and the tool of a session over them."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from callsheet.drive.memory_files import MemoryTool
from callsheet.edges.memory_folder import FolderFiles
from callsheet.edges.stores import SqliteStores
from callsheet.model.memory_file import MemoryReply
from callsheet.model.request import RequestContext
from callsheet.ports import MemoryFiles
from callsheet.testing import FakeMemoryFiles

Areas = Callable[[str, str | None], MemoryFiles]
"""The area of a tenant's subject, or the tenant's shared one where there is none."""
KINDS = ("folder", "store", "fake")

FAKES: dict[Path, defaultdict[tuple[str, str | None], FakeMemoryFiles]] = {}


def areas(kind: str, data: Path) -> Areas:
    """The areas below one data folder, as folders or as rows of each tenant's store."""
    if kind == "folder":
        return lambda tenant, subject: FolderFiles(data / tenant / "memories" / (subject or "=tenant"))
    if kind == "fake":
        kept = FAKES.setdefault(data, defaultdict(FakeMemoryFiles))
        return lambda tenant, subject: kept[tenant, subject]
    stores = SqliteStores(data)
    return lambda tenant, subject: stores.open(tenant).memory_files(subject)


def tool(
    of: Areas, tenant: str = "t1", subject: str | None = "u1", grants: tuple[str, ...] = (), **more: Any
) -> MemoryTool:
    """The memory tool of a session."""
    ctx = RequestContext(tenant, "agent", subject, grants=grants)
    shared = {"shared": of(tenant, None), "everyone": of("shared", None)}
    return MemoryTool(ctx, None if subject is None else of(tenant, subject), shared, **more)


def call(tool: MemoryTool, command: str, path: str = "", **fields: Any) -> MemoryReply:
    """What the tool says to one call; `path` is below /memories."""
    given: Mapping[str, Any] = {"command": command, "path": f"/memories{path}", **fields}
    return tool.perform(given)
