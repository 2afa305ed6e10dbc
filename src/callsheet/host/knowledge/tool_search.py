"""Searching tools: the catalogue as an index of its own, ranked as evidence is."""

import tempfile
from collections.abc import Iterable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Self

from ...core.documents.convert import tool_document
from ...model.evidence import Query
from ...model.knowledge_policy import Ranking
from ...model.request import SHARED
from ...model.tool import ListedTool
from .places import ENGINE, FILES

PARTS = 4
"""Sections that are asked for per tool that is wanted: a long description is several."""


@dataclass(frozen=True, slots=True)
class FoundTool:
    """A tool that a search found; `score` in [0, 1]."""

    name: str
    server: str
    score: float
    description: str


class ToolSearch(AbstractContextManager["ToolSearch"]):
    """An index of tools for as long as the block lasts. A tool in a scope is found by those who hold it alone (D6)."""

    def __init__(self, tools: Iterable[ListedTool], ranking: Ranking | None = None) -> None:
        self._tools = {tool_document(tool).document_id: tool for tool in tools}
        self._ranking = ranking or Ranking()
        self._left = ExitStack()
        self._index: Any = None

    def __enter__(self) -> Self:
        folder = self._left.enter_context(tempfile.TemporaryDirectory(prefix="callsheet-tools-"))
        self._index = import_module(ENGINE).open_index(Path(folder) / FILES["knowledge"], SHARED, False, self._ranking)
        self._left.callback(self._index.close)
        self._index.ingest([tool_document(tool) for tool in self._tools.values()])
        return self

    def __exit__(self, *_: object) -> None:
        self._left.close()

    def search(self, text: str, limit: int = 10, grants: tuple[str, ...] = ()) -> tuple[FoundTool, ...]:
        """The tools that fit a request best, best first, among those that these grants may call."""
        found = self._index.search(Query("knowledge", SHARED, None, grants, text, "", limit * PARTS)).evidence
        best: dict[str, FoundTool] = {}
        for each in found:
            tool = self._tools[each.document_id]
            best.setdefault(each.document_id, FoundTool(tool.name, tool.server, each.relevance, tool.description))
        return tuple(best.values())[:limit]
