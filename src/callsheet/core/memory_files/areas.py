"""The areas of a session's files: its subject's own at the root, and the shared ones below reserved names (C5, C8)."""

from collections.abc import Collection, Mapping

from ...model.grants import MEMORY, PUBLISH
from ...model.memory_file import MemoryCommand, MemoryPath, Rename
from ...model.verdict import Verdict
from .paths import shown

AREAS: Mapping[str, str] = {"shared": MEMORY, "everyone": PUBLISH}
"""The reserved names at the root, and the grant that writing below them needs; everybody reads.

`shared` is what everyone of the tenant reads, `everyone` what every tenant does.
"""


def area_of(path: MemoryPath) -> MemoryPath:
    """The path of the area that a path lies in: () for the subject's own, else the reserved name."""
    return path[:1] if path and path[0] in AREAS else ()


def objection_to(command: MemoryCommand, grants: Collection[str], has_own: bool) -> Verdict | None:
    """Why a session of these grants may not change what a command names; None where it may.

    `has_own` is False for a session without a subject, which has no files of its own.
    """
    paths = (command.path, command.to) if isinstance(command, Rename) else (command.path,)
    for path in paths:
        area = area_of(path)
        if area and path == area:
            why = f"The path {shown(path)} is the root of a shared area and stays; name something below it."
            return Verdict("refuse", "memory-path-root", why)
        if area and AREAS[area[0]] not in grants:
            why = f"What lies below {shown(area)} can only be read in this session."
            return Verdict("refuse", "memory-read-only", why)
        if not area and not has_own:
            return Verdict(
                "refuse", "memory-read-only", "This session has no subject, so it keeps no files of its own."
            )
    if len(set(map(area_of, paths))) > 1:
        why = "Nothing is moved between areas; create it there, then delete it here."
        return Verdict("refuse", "memory-read-only", why)
    return None
