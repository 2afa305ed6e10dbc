"""Processes of a test that are to meet at one moment."""

import subprocess
from collections.abc import Sequence


def begin_together(running: Sequence[subprocess.Popen[str]]) -> None:
    """Lets processes go on at once when each of them has said `ready`, as each waits for a line."""
    for each in running:
        assert each.stdout is not None and each.stdout.readline() == "ready\n"
    for each in running:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
