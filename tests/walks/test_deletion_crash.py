"""A deletion that was killed anywhere either has not begun, and all is there, or is done by the next opening (C2)."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ..source import ROOT
from .deletion_worker import KINDS

Point = dict[str, Any]


def killed(folder: Path, points: int) -> list[Point]:
    """What each kill left after the next opening."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.walks.deletion_worker", str(folder), str(points)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(ROOT) / "src"), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def whole_or_gone(points: list[Point]) -> None:
    assert {point["kind"] for point in points} == set(KINDS) and all(point["killed"] for point in points)
    for point in points:
        if point["words"]:
            assert point["there"], f"half deleted, and left so: {point}"
        assert point["same"] or (point["kind"] == "tenant" and not point["there"]), (
            f"another subject's changed: {point}"
        )
    for kind in KINDS:
        ends = [bool(point["words"]) for point in points if point["kind"] == kind]
        assert ends[0] and not ends[-1], "the first kill comes before anything, the last after everything"
        assert ends == sorted(ends, reverse=True), "what was begun once is always brought to its end"


def test_a_deletion_that_was_killed_is_whole_or_not_begun(tmp_path):
    whole_or_gone(killed(tmp_path, 8))


@pytest.mark.e2e
def test_a_deletion_that_was_killed_at_any_call_is_whole_or_not_begun(tmp_path):
    points = killed(tmp_path, 100)
    whole_or_gone(points)
