"""What Git knows of a folder's files: the commits that changed each, and their texts then (B5).

Git is asked as a program, without a shell, with a time limit, and with nothing of the repository's own settings that
would run another program.
"""

import subprocess
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ...errors import UsageError

TIMEOUT = 120.0
ABBREVIATED = "--abbrev=10"
_QUIET = ("--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false")


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit that changed a file."""

    commit: str
    date: datetime


@dataclass(frozen=True, slots=True)
class History:
    """The revisions of the files below a folder, newest first, by path in it; and the paths that changed since."""

    root: Path
    revisions: Mapping[str, tuple[Revision, ...]]
    changed: frozenset[str]

    def text(self, path: str, revision: Revision) -> bytes:
        """A file's bytes as that commit left them. UsageError where they cannot be had."""
        return _git(self.root, "cat-file", "blob", f"{revision.commit}:./{path}")


def history(root: Path) -> History:
    """What Git knows of the files below a folder; UsageError where it is in no repository, or Git is not there."""
    told = _git(root, "log", "--relative", "-z", "--name-only", ABBREVIATED, "--format=%x01%h%x02%cI", "--", ".")
    revisions: defaultdict[str, list[Revision]] = defaultdict(list)
    for commit in told.decode("utf-8", "surrogateescape").split("\x01")[1:]:
        head, *paths = commit.split("\0")
        name, _, date = head.partition("\x02")
        for path in (each.lstrip("\n") for each in paths):
            if path:
                revisions[path].append(Revision(name, datetime.fromisoformat(date).astimezone(UTC)))
    since = _git(root, "diff", "--relative", "-z", "--name-only", "--no-ext-diff", "HEAD", "--", ".") if told else b""
    changed = frozenset(since.decode("utf-8", "surrogateescape").split("\0")) - {""}
    return History(root, {path: tuple(found) for path, found in revisions.items()}, changed)


def _git(root: Path, *arguments: str) -> bytes:
    command: Sequence[str] = ("git", *_QUIET, "-C", str(root), *arguments)
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
    except FileNotFoundError as error:
        raise UsageError('git is not installed, which versions = "git" asks; install it, or remove the line') from error
    except subprocess.TimeoutExpired as error:
        why = f"git did not answer within {TIMEOUT:.0f} s in {root}"
        raise UsageError(f"{why}; run `git {arguments[0]}` there to see why") from error
    if done.returncode != 0:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())
        raise UsageError(f"git cannot tell the history of {root} ({said}); name a folder in a repository with commits")
    return done.stdout
