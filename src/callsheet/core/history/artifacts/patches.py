"""Patches, unified or in the form of `apply_patch`: which files they change, and in which functions."""

import re
from collections.abc import Iterator

from .effect import Edit, Effect

BEGIN = "*** Begin Patch"
SECTION = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+?)\s*$")
HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@(.*)$")
NAMED = re.compile(r"([A-Za-z_~][\w:.?!~]*)\s*(?:\(|:|\{|=|\bdo\b|$)")
NOTHING = "/dev/null"


def patched(text: str, strip: int = 1) -> tuple[Effect, ...]:
    """What a patch does, file by file; nothing where the text is none.

    `strip` is how many folders are left off the paths of a unified diff, as with `patch -p`.
    """
    if BEGIN in text:
        return tuple(_sections(text[text.index(BEGIN) :]))
    return tuple(_unified(text, strip))


def _sections(text: str) -> Iterator[Effect]:
    path, kind, to = "", "", ""
    lines: list[str] = []
    for line in [*text.splitlines(), "*** End Patch"]:
        begun = SECTION.match(line)
        if not begun and line.startswith("*** Move to:"):
            to = line.partition(":")[2].strip()
        elif not begun and not line.startswith("*** End Patch"):
            lines.append(line)
            continue
        if begun or line.startswith("*** End Patch"):
            if path:
                yield from _section(kind, path, lines, to)
            kind, path = (begun[1], begun[2]) if begun else ("", "")
            lines, to = [], ""


def _section(kind: str, path: str, lines: list[str], to: str) -> Iterator[Effect]:
    if kind == "Delete":
        yield Effect("delete", path)
    elif kind == "Add":
        yield Effect("write", path, content="".join(line[1:] + "\n" for line in lines if line.startswith("+")))
    else:
        yield Effect("edit", path, edits=tuple(_hunks(lines)), functions=_contexts(lines))
        if to:
            yield Effect("move", path, to=to)


def _contexts(lines: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for line in lines if line.startswith("@@") for name in named(line.strip("@ "))))


def _hunks(lines: list[str]) -> Iterator[Edit]:
    old: list[str] = []
    new: list[str] = []
    for line in [*lines, "@@"]:
        if line.startswith("@@"):
            if old != new:
                yield Edit("\n".join(old), "\n".join(new))
            old, new = [], []
            continue
        if not line.startswith("+"):
            old.append(line[1:])
        if not line.startswith("-"):
            new.append(line[1:])


def _unified(text: str, strip: int) -> Iterator[Effect]:
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("rename from ") and at + 1 < len(lines) and lines[at + 1].startswith("rename to "):
            yield Effect("move", line[len("rename from ") :].strip(), to=lines[at + 1][len("rename to ") :].strip())
        if line.startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ "):
            body = _body(lines, at + 2)
            yield _file(_path(line, strip), _path(lines[at + 1], strip), body)
            at += 1 + len(body)
        at += 1


def _body(lines: list[str], at: int) -> list[str]:
    """The hunks of one file; their lines are counted, as a removed line may look like a header."""
    body: list[str] = []
    while at < len(lines) and lines[at].startswith("@@"):
        body.append(lines[at])
        at += 1
        while at < len(lines) and (lines[at][:1] in ("+", "-", " ", "\\") or not lines[at]):
            if lines[at].startswith("--- ") and lines[at + 1 : at + 2] and lines[at + 1].startswith("+++ "):
                break
            body.append(lines[at])
            at += 1
    return body


def _file(before: str, after: str, body: list[str]) -> Effect:
    lines = [line for line in body if not line.startswith("\\")]
    whole = "\\ No newline at end of file" not in body
    if after == NOTHING:
        return Effect("delete", before)
    if before == NOTHING:
        added = "".join(line[1:] + "\n" for line in lines if line.startswith("+"))
        return Effect("write", after, content=added if whole else added.removesuffix("\n"))
    return Effect("edit", after, edits=tuple(_hunks(lines)), functions=_functions(lines))


def _functions(lines: list[str]) -> tuple[str, ...]:
    headers = (HUNK.match(line) for line in lines)
    return tuple(dict.fromkeys(name for header in headers if header for name in named(header[1])))


def named(line: str) -> tuple[str, ...]:
    """The function or class that a hunk's header names: the last name before its bracket."""
    found = NAMED.findall(line.strip())
    return (found[0],) if found and found[0] not in ("if", "for", "while", "return", "switch") else ()


def _path(line: str, strip: int) -> str:
    path = line[4:].split("\t")[0].strip().strip('"')
    if path == NOTHING:
        return path
    if strip == 1 and not path.startswith(("a/", "b/")):
        return path
    parts = path.split("/")
    return "/".join(parts[strip:]) if len(parts) > strip and not path.startswith("/") else path
