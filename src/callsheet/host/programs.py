"""What runs scripts and code for a project, and finds the tools that code asks for."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock

from ..core.documents.convert import listed
from ..core.skills.tools import NAMES
from ..drive.own_tools import OwnTool
from ..drive.programs import CodeRuns
from ..drive.skills import SkillTools
from ..edges.project.folder import ProjectFolder
from ..edges.sandbox.sandbox import Sandbox
from ..model.tool import ToolContract
from .knowledge.tool_search import ToolSearch


@dataclass
class Programs:
    """The sandbox of a project, its skills' tools, and searches of its tools, opened when code first asks."""

    folder: ProjectFolder
    _opened: ExitStack = field(default_factory=ExitStack)
    _searches: dict[tuple[str, ...], ToolSearch] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self.sandbox = Sandbox(self.folder.settings.sandbox)

    def own(self) -> dict[str, OwnTool]:
        """The tools of skills, by name."""
        by_name = {each.name: each for each in self.folder.skills}
        tools = SkillTools(by_name, partial(_read, self._folders()), self.sandbox)
        return {name: tool for name, tool in tools.own().items() if name in NAMES}

    def code(self) -> CodeRuns:
        """What runs the code of one run."""
        return CodeRuns(self.sandbox, self._find)

    def close(self) -> None:
        """Closes the searches."""
        self._opened.close()

    def _folders(self) -> dict[str, Path]:
        return {each.name: self.folder.settings.folder / each.place for each in self.folder.skills}

    def _find(self, query: str, most: int, offered: Sequence[ToolContract]) -> Sequence[str]:
        """The names of the offered tools that fit best. Nothing else is in the index that is searched (D6)."""
        names = tuple(each.name for each in offered)
        with self._lock:
            if names not in self._searches:
                search = ToolSearch(map(listed, offered), self.folder.settings.knowledge.ranking)
                self._searches[names] = self._opened.enter_context(search)
            found = self._searches[names].search(query, most, tuple({each.scope for each in offered if each.scope}))
        return [each.name for each in found]


def _read(folders: dict[str, Path], skill: str, path: str) -> bytes | None:
    file = folders[skill] / path
    return file.read_bytes() if file.is_file() and not file.is_symlink() else None
