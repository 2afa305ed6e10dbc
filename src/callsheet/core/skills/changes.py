"""What changed in a skill since a person approved it, as a diff that can be read: nothing of it hides or commands."""

from collections.abc import Callable, Iterator, Mapping
from difflib import unified_diff

from ...model.skill import SkillFolder
from ..text.hidden import shown

LINES = 200
"""Lines of a file's diff that are shown."""

Kept = Callable[[str], str | None]
"""The text of an approved file by its hash, None where it was not kept."""


def changes(folder: SkillFolder, approved: Mapping[str, str], kept: Kept) -> Iterator[tuple[str, str]]:
    """The path and the diff of every file that is not what it was; a file that is no text says so in a line."""
    now, files = folder.hashes, {each.path: each for each in folder.files}
    for path in sorted(now.keys() | approved.keys()):
        before, after = approved.get(path), now.get(path)
        if before == after:
            continue
        old = "" if before is None else kept(before)
        new = "" if after is None else files[path].text
        if old is None or new is None:
            yield path, f"{_named(before)} became {_named(after)}; there is no text to compare"
            continue
        lines = list(unified_diff(old.splitlines(), new.splitlines(), "approved", "now", lineterm="", n=2))
        more = [f"… {len(lines) - LINES} more lines"] if len(lines) > LINES else []
        yield path, "\n".join([*map(shown, lines[:LINES]), *more])


def _named(digest: str | None) -> str:
    return "nothing" if digest is None else digest[:16]
