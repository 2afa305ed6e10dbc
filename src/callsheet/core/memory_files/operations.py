"""The six operations, pure: a command and the tree as it stands give the reply and the one change to make (C7).

The words of success and error are those that Anthropic documents for its memory tool, so that a model knows them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...model.memory_file import (
    Create,
    Delete,
    FileOrigin,
    Insert,
    MemoryCommand,
    MemoryEdit,
    MemoryLimits,
    MemoryPath,
    MemoryReply,
    MemoryTree,
    Move,
    Remove,
    Rename,
    Replace,
    View,
    Write,
)
from ...model.verdict import Verdict
from ..text.redact import redact
from .paths import folded, is_too_long, shown
from .wording import listing, numbered, snippet

MOST_LINES = 999_999
Clean = Callable[[str], str]
"""Takes out of a text what must not be stored."""


class _Refused(Exception):
    """Carries the refusal out of an operation."""

    def __init__(self, rule: str, why: str) -> None:
        self.verdict = Verdict("refuse", rule, why)


@dataclass(frozen=True, slots=True)
class _Case:
    """One command before the tree that it meets."""

    tree: MemoryTree
    limits: MemoryLimits
    clean: Clean


def operate(command: MemoryCommand, tree: MemoryTree, limits: MemoryLimits, clean: Clean = redact) -> MemoryEdit:
    """What a command makes of an area: the reply and the change, or a refusal with nothing to change.

    `tree.text` is the text at the command's `path`. A whole text is cleaned before it becomes a change (I1): by
    default of secrets.
    """
    try:
        return _OPERATIONS[type(command)](command, _Case(tree, limits, clean))
    except _Refused as refusal:
        return refused(refusal.verdict)


def refused(verdict: Verdict) -> MemoryEdit:
    """A refusal as an edit: its words, and nothing to change."""
    return MemoryEdit(MemoryReply(verdict.why, verdict))


def _view(command: View, case: _Case) -> MemoryEdit:
    path = command.path
    entry = case.tree.entries.get(path)
    if not path or (entry is not None and entry.kind == "folder"):
        return _done(listing(path, case.tree.entries))
    text = _text(path, case, f"The path {shown(path)} does not exist. Please provide a valid path.")
    lines = lines_of(text)
    if len(lines) > MOST_LINES:
        raise _Refused("memory-limit", f"File {shown(path)} exceeds maximum line limit of 999,999 lines.")
    if command.first > max(len(lines), 1):
        said = f"[{command.first}, {command.last}]"
        raise _Refused("memory-edit", f"Invalid `view_range` parameter: {said}. The file has {len(lines)} lines.")
    last = len(lines) if command.last == -1 else command.last
    origin = case.tree.origin
    foreign = origin is not None and origin.foreign
    return _done(numbered(path, lines[command.first - 1 : last], command.first, foreign), origin=origin)


def _create(command: Create, case: _Case) -> MemoryEdit:
    path = command.path
    _not_the_root(path, "is the root; name a file below it")
    if path in case.tree.entries:
        raise _Refused("memory-exists", f"Error: File {shown(path)} already exists")
    _must_be_free(path, case)
    return _written(path, command.text, case, lambda _: f"File created successfully at: {shown(path)}")


def _replace(command: Replace, case: _Case) -> MemoryEdit:
    path, old = command.path, command.old
    text = _text(path, case, f"Error: The path {shown(path)} does not exist. Please provide a valid path.")
    if old not in text:
        old = case.clean(old)  # what was taken out can be named by what it was
    places = _places(text, old)
    quoted = old if len(old) <= 200 else f"{old[:200]}…"
    if not places:
        raise _Refused(
            "memory-edit",
            f"No replacement was performed, old_str `{quoted}` did not appear verbatim in {shown(path)}.",
        )
    if len(places) > 1:
        lines = ", ".join(str(text.count("\n", 0, at) + 1) for at in places[:100])
        raise _Refused(
            "memory-edit",
            f"No replacement was performed. Multiple occurrences of old_str `{quoted}` in lines: {lines}. "
            "Please ensure it is unique",
        )
    at = places[0]
    line = text.count("\n", 0, at) + 1
    edited = text[:at] + command.new + text[at + len(old) :]
    return _written(path, edited, case, lambda kept: snippet(lines_of(kept), line))


def _insert(command: Insert, case: _Case) -> MemoryEdit:
    path = command.path
    text = _text(path, case, f"Error: The path {shown(path)} does not exist")
    lines = lines_of(text)
    if not 0 <= command.line <= len(lines):
        raise _Refused(
            "memory-edit",
            f"Error: Invalid `insert_line` parameter: {command.line}. "
            f"It should be within the range of lines of the file: [0, {len(lines)}]",
        )
    lines[command.line : command.line] = lines_of(command.text) or [""]
    return _written(path, "\n".join(lines) + "\n", case, lambda _: f"The file {shown(path)} has been edited.")


def _delete(command: Delete, case: _Case) -> MemoryEdit:
    path = command.path
    _not_the_root(path, "is the root and stays; delete what is below it")
    _must_be_there(path, case)
    return _done(f"Successfully deleted {shown(path)}", Remove(path))


def _rename(command: Rename, case: _Case) -> MemoryEdit:
    path, to = command.path, command.to
    _not_the_root(path, "is the root and stays; rename what is below it")
    _not_the_root(to, "is the root; name a place below it")
    _must_be_there(path, case)
    if to in case.tree.entries:
        raise _Refused("memory-exists", f"Error: The destination {shown(to)} already exists")
    if to[: len(path)] == path:
        raise _Refused("memory-exists", f"Error: The destination {shown(to)} lies inside {shown(path)}")
    _must_be_free(to, case, moved=path)
    for other in case.tree.entries:
        if other[: len(path)] == path and is_too_long(to + other[len(path) :]):
            raise _Refused("memory-path-long", f"Under {shown(to)} the path of {shown(other)} would be too long.")
    return _done(f"Successfully renamed {shown(path)} to {shown(to)}", Move(path, to))


_OPERATIONS: Mapping[type, Callable[[Any, _Case], MemoryEdit]] = {
    View: _view,
    Create: _create,
    Replace: _replace,
    Insert: _insert,
    Delete: _delete,
    Rename: _rename,
}


def lines_of(text: str) -> list[str]:
    """The lines of a text, cut at line feeds alone, without the empty one that a line feed at the end would leave."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _text(path: MemoryPath, case: _Case, absent: str) -> str:
    """The text of a file that a command works on."""
    entry = case.tree.entries.get(path)
    if not path or (entry is not None and entry.kind != "file"):
        raise _Refused("memory-not-a-file", f"The path {shown(path)} is not a file that can be read or edited.")
    if entry is None or case.tree.text is None:
        raise _Refused("memory-not-there", absent)
    return case.tree.text


def _must_be_there(path: MemoryPath, case: _Case) -> None:
    entry = case.tree.entries.get(path)
    if entry is None:
        raise _Refused("memory-not-there", f"Error: The path {shown(path)} does not exist")
    if entry.kind == "other":
        raise _Refused("memory-not-a-file", f"The path {shown(path)} is neither a plain file nor a folder.")


def _must_be_free(path: MemoryPath, case: _Case, moved: MemoryPath | None = None) -> None:
    """Refuses a new path that leads through a file, or where a name differs from one beside it by case or form only."""
    missing = 0
    for length in range(1, len(path) + 1):
        part = path[:length]
        entry = case.tree.entries.get(part)
        if entry is not None and entry.kind != "folder":
            raise _Refused("memory-not-a-file", f"The path {shown(part)} is not a folder.")
        if entry is None:
            missing += 1
            _must_not_collide(part, case, moved)
    if len(case.tree.entries) + missing > case.limits.entries:
        why = f"There is room for {case.limits.entries} files and folders in all; delete some before adding others."
        raise _Refused("memory-limit", why)


def _must_not_collide(part: MemoryPath, case: _Case, moved: MemoryPath | None) -> None:
    name, folder = folded(part[-1]), part[:-1]
    for other in case.tree.entries:
        if other != moved and other[:-1] == folder and folded(other[-1]) == name:
            raise _Refused(
                "memory-path-collision",
                f"The path {shown(part)} differs from {shown(other)} only in case or in the form of its letters; "
                "choose another name.",
            )


def _not_the_root(path: MemoryPath, why: str) -> None:
    if not path:
        raise _Refused("memory-path-root", f"The path {shown(path)} {why}.")


def _places(text: str, part: str) -> list[int]:
    """Where a part begins in a text, overlapping ones too."""
    places, at = [], text.find(part)
    while at != -1:
        places.append(at)
        at = text.find(part, at + 1)
    return places


def _written(path: MemoryPath, text: str, case: _Case, words: Callable[[str], str]) -> MemoryEdit:
    """The edit that puts a text in place, without its secrets; a refusal where a limit stands against it."""
    kept = case.clean(text)
    size, limits = len(kept.encode()), case.limits
    if size > limits.file_bytes:
        why = f"A file holds at most {limits.file_bytes} bytes, this would be {size}; split it."
        raise _Refused("memory-limit", why)
    others = sum(entry.size for other, entry in case.tree.entries.items() if entry.kind == "file" and other != path)
    if others + size > limits.total_bytes:
        why = f"All files together hold at most {limits.total_bytes} bytes; delete some first."
        raise _Refused("memory-limit", why)
    return _done(words(kept), Write(path, kept))


def _done(text: str, change: Write | Remove | Move | None = None, origin: FileOrigin | None = None) -> MemoryEdit:
    return MemoryEdit(MemoryReply(text, Verdict("allow", "ok", "nothing stands against it"), origin), change)
