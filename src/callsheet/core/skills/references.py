"""Which files a skill's instructions point to: what is read of a skill beyond its instructions is one of these (D6)."""

import posixpath
import re
from collections.abc import Iterator

from ...model.skill import Skill

_LINK = re.compile(r"\]\(\s*<?([^)<>\s]+)|^\s{0,3}\[[^\]]+\]:\s*<?([^<>\s]+)|\b(?:href|src)\s*=\s*[\"']([^\"']+)", re.M)
_CODE = re.compile(r"`([^`\n]{1,200})`")
_PATH = re.compile(r"(?<![\w/.\\~-])(?:~|[\w.-]+)?(?:[/\\][\w.%-]*)+|(?<![\w/.-])[\w-]+\.[a-z]{1,5}\b")
_READS = re.compile(r"\b(?:read|see|open|load|include|follow|use|consult|view|check|import|source|cat|run)\b", re.I)
_ESCAPE = re.compile(r"(?i)%([0-7][0-9a-f])")
_SCHEME = re.compile(r"(?i)^([a-z][a-z0-9+.-]+):")


def links(text: str) -> tuple[str, ...]:
    """Where the links and images of a Markdown text lead, as written, addresses of the web left out."""
    found = (next(filter(None, each.groups())) for each in _LINK.finditer(text))
    return tuple(dict.fromkeys(each for each in found if _local(each)))


def told_to_read(text: str) -> tuple[str, ...]:
    """The paths outside links that a line tells to read: in code, on a line with a verb for it, and with a step up."""
    lines = (line for line in text.splitlines() if _READS.search(line))
    found = (code for line in lines for code in _CODE.findall(line) if " " not in code)
    return tuple(dict.fromkeys(each for each in found if _climbs(each)))


def mentioned(text: str) -> tuple[str, ...]:
    """Whatever in a text may be a path: links, and words of its prose and code that look like one."""
    return tuple(dict.fromkeys((*links(text), *(each.rstrip(".") for each in _PATH.findall(text)))))


def inside(path: str, base: str = "") -> str | None:
    """The path as one of the skill's own, seen from the folder `base` in it; None where it leads out of the skill.

    Escapes are read as often as they were written, and a backslash as a slash: what any reader may take for a step up
    is one.
    """
    read = path
    while (once := _ESCAPE.sub(lambda found: chr(int(found[1], 16)), read)) != read:
        read = once
    if (scheme := _SCHEME.match(read)) is not None and scheme[1].lower() != "file":
        return None
    read = read.replace("\\", "/").split("#")[0].split("?")[0]
    if scheme is not None or read.startswith(("/", "~")) or re.match(r"(?i)[a-z]:", read) or "\0" in read:
        return None
    whole = posixpath.normpath(posixpath.join(base, read)) if read else base
    return None if whole.split("/")[0] == ".." else whole


def reachable(skill: Skill) -> frozenset[str]:
    """The files that the instructions point to, or a file that these point to; a folder stands for the files in it."""
    by_path = {each.path: each for each in skill.files}
    found: set[str] = set()
    waiting = [("", skill.body)]
    while waiting:
        base, text = waiting.pop()
        for path in _named(text, base, tuple(by_path)):
            if path not in found:
                found.add(path)
                waiting.append((posixpath.dirname(path), by_path[path].text or ""))
    return frozenset(found)


def _named(text: str, base: str, paths: tuple[str, ...]) -> Iterator[str]:
    for each in mentioned(text):
        # Seen from the file that names it, and from the skill's own folder: authors write both.
        for named in {inside(each, base), inside(each)} - {None, "", "."}:
            yield from (path for path in paths if path == named or path.startswith(f"{named}/"))


def _local(target: str) -> bool:
    scheme = _SCHEME.match(target)
    return (scheme is None or scheme[1].lower() == "file") and not target.startswith(("#", "//"))


def _climbs(path: str) -> bool:
    return ".." in path and inside(path) is None and "/" in path.replace("\\", "/")
