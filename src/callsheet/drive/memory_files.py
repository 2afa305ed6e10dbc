"""The memory tool of one session: a command comes as arguments, and is carried out in the area it belongs to (C7, C8).

Whose files they are is the session's to say: no argument names a tenant or a subject. A session sees its subject's own
files at the root, and below two reserved names what is shared: `shared`, of its tenant, and `everyone`, of all tenants.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from ..core.memory_files.areas import area_of, objection_to
from ..core.memory_files.commands import read_command
from ..core.memory_files.operations import Clean, operate, refused
from ..core.text.redact import redact
from ..model.memory import Origin
from ..model.memory_file import (
    FileOrigin,
    MemoryEdit,
    MemoryEntry,
    MemoryLimits,
    MemoryPath,
    MemoryReply,
    MemoryTree,
    Move,
    Remove,
    View,
    Write,
)
from ..model.request import RequestContext
from ..model.verdict import Verdict
from ..ports import Clock, MemoryFiles

_FOLDER = MemoryEntry("folder")


@dataclass(frozen=True, slots=True)
class MemoryTool:
    """The memory tool for one session. `perform` is all of it; a refusal is a reply, an outage an OutageError.

    `own` is None where the session has no subject. `shared` are the areas by their reserved names. `clean` takes out
    of a text what must not be stored.
    """

    ctx: RequestContext
    own: MemoryFiles | None
    shared: Mapping[str, MemoryFiles]
    limits: MemoryLimits = MemoryLimits()
    origin: Origin = "model"
    clean: Clean = redact
    clock: Clock | None = None

    def perform(self, arguments: object) -> MemoryReply:
        """What the model is told of one call of the tool. Nothing is done where it is refused.

        `arguments` is the tool's input: `command` and its fields (`core.memory_files.commands.SCHEMA`).
        """
        command = read_command(arguments)
        if isinstance(command, Verdict):
            return refused(command).reply
        if isinstance(command, View):
            return operate(command, self._seen(command.path), self.limits, self.clean).reply
        objection = objection_to(command, self.ctx.grants, self.own is not None)
        if objection is not None:
            return refused(objection).reply
        files, prefix = self._area(command.path)
        assert files is not None, "a session without files of its own was refused"
        origin = FileOrigin(self.origin, self.ctx.actor, self._now())

        def decide(tree: MemoryTree) -> MemoryEdit:
            edit = operate(command, self._whole(tree, prefix), self.limits, self.clean)
            return _within(prefix, edit, origin.after(tree.origin))

        return files.change(command.path[len(prefix) :], decide).reply

    def _now(self) -> datetime | None:
        return self.clock() if self.ctx.now is None and self.clock is not None else self.ctx.now

    def _area(self, path: MemoryPath) -> tuple[MemoryFiles | None, MemoryPath]:
        """The area that a path lies in, and the path that the area's own paths begin behind."""
        prefix = area_of(path)
        return (self.shared[prefix[0]] if prefix else self.own), prefix

    def _seen(self, path: MemoryPath) -> MemoryTree:
        """What this session sees: at the root every area, elsewhere the one that the path lies in."""
        files, prefix = self._area(path)
        tree = MemoryTree({}) if files is None else files.look(path[len(prefix) :])
        seen = self._whole(tree, prefix)
        if path:
            return seen
        entries = dict(seen.entries)
        for name, area in self.shared.items():
            entries |= self._whole(area.look(()), (name,)).entries
        return MemoryTree(entries)

    def _whole(self, tree: MemoryTree, prefix: MemoryPath) -> MemoryTree:
        """An area's tree under the paths that the model writes. The reserved names stand at the root in any case."""
        if not prefix:
            own = {path: entry for path, entry in tree.entries.items() if path[0] not in self.shared}
            return replace(tree, entries={**own, **{(name,): _FOLDER for name in self.shared}})
        inside = {(*prefix, *path): entry for path, entry in tree.entries.items()}
        return replace(tree, entries={prefix: _FOLDER, **inside})


def _within(prefix: MemoryPath, edit: MemoryEdit, origin: FileOrigin) -> MemoryEdit:
    """An edit whose change is under the area's own paths, and says whose text it writes."""
    change, skip = edit.change, len(prefix)
    if isinstance(change, Move):
        return replace(edit, change=Move(change.path[skip:], change.to[skip:]))
    if isinstance(change, Write):
        return replace(edit, change=Write(change.path[skip:], change.text, origin))
    return replace(edit, change=Remove(change.path[skip:])) if change is not None else edit
