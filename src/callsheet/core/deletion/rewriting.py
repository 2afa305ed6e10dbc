"""A text that had absorbed what was deleted, written again without it (C2)."""

from collections.abc import Iterable

from ...model.memory_file import FileOrigin, MemoryEdit, MemoryPath, MemoryReply, MemoryTree, Remove, Write
from ...model.verdict import Verdict
from .probes import LEAST


def without(text: str, deleted: Iterable[str]) -> str | None:
    """The text without the lines that hold one of the deleted texts; None where no line does.

    Texts that are too short to be anybody's own are not looked for.
    """
    looked_for = [each.strip() for each in deleted if len(each.strip()) >= LEAST]
    lines = text.splitlines(keepends=True)
    staying = [line for line in lines if not any(each in line for each in looked_for)]
    spread = any("\n" in each and each in text for each in looked_for)
    if spread:  # one of them goes over several lines
        left = "".join(staying)
        for each in looked_for:
            left = left.replace(each, "")
        return left
    return None if len(staying) == len(lines) else "".join(staying)


def unsaid(tree: MemoryTree, path: MemoryPath, deleted: Iterable[str]) -> MemoryEdit:
    """The change that takes deleted texts out of the file at a path; a file that held nothing else goes."""
    left = None if tree.text is None else without(tree.text, deleted)
    reply = MemoryReply("", Verdict("allow", "ok", "a deletion takes along what absorbed it"))
    if left is None:
        return MemoryEdit(reply)
    return MemoryEdit(reply, Write(path, left, tree.origin or FileOrigin()) if left.strip() else Remove(path))
