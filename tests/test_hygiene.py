"""What must not be in the repository: a registry's address, a path of somebody's machine, a large file."""

import re
import subprocess
from functools import cache
from pathlib import Path

from .source import ROOT

HOSTS = re.compile(
    r"(pypi|python"
    + r"hosted|npm"
    + r"js|crates)\.(org|io|com)|registry\.[a-z]+\.(org|com)|(index|find-links)[-_ ]?url\s*=",
    re.I,
)
MACHINES = re.compile(r"(?<![\w.])/(work|root|Users|home/(?!user\b))/\w")


@cache
def tracked() -> tuple[Path, ...]:
    """Every file of the repository; of the folder where it is not a checkout."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True)
    if listed.returncode == 0:
        files = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        files = [
            path for path in ROOT.rglob("*") if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
        ]
    return tuple(path for path in files if path.is_file())


def matches(pattern: re.Pattern[str]) -> list[str]:
    """Each place where a tracked text file matches."""
    found = []
    for path in tracked():
        text = path.read_text(encoding="utf-8", errors="ignore")
        found += [f"{path.relative_to(ROOT)}: {match.group()}" for match in pattern.finditer(text)]
    return found


def test_no_file_names_a_package_registry() -> None:
    assert matches(HOSTS) == []


def test_no_file_names_a_path_of_one_machine() -> None:
    assert matches(MACHINES) == []


def test_no_file_is_larger_than_400_kilobytes() -> None:
    assert [str(path) for path in tracked() if path.stat().st_size > 400_000] == []


def test_a_package_is_pinned_to_one_version_wherever_it_is_pinned() -> None:
    versions: dict[str, set[str]] = {}
    for path in (ROOT / "requirements").glob("*.txt"):
        for line in path.read_text().splitlines():
            name, _, version = line.partition("==")
            versions.setdefault(name, set()).add(version)
    assert not {name: found for name, found in versions.items() if len(found) > 1}


def test_requirements_are_names_and_versions_and_nothing_else() -> None:
    for path in (ROOT / "requirements").glob("*.txt"):
        for line in path.read_text(encoding="utf-8").splitlines():
            assert re.fullmatch(r"[\w.-]+==[\w.]+", line), f"{path.name}: {line!r} is not name==version"
