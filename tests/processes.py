"""Processes of a test: what they find around them, and how several meet at one moment."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager


def begin_together(running: Sequence[subprocess.Popen[str]]) -> None:
    """Lets processes go on at once when each of them has said `ready`, as each waits for a line."""
    for each in running:
        assert each.stdout is not None and each.stdout.readline() == "ready\n"
    for each in running:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()


def surroundings() -> dict[str, str]:
    """Where a process of its own finds the same modules."""
    return {"PYTHONPATH": os.pathsep.join(each for each in sys.path if each), "PATH": os.environ["PATH"]}


@contextmanager
def serving(command: Sequence[str]) -> Iterator[str]:
    """The address that a server over HTTP tells as JSON, for the time of the block."""
    with subprocess.Popen(command, env=surroundings(), stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield json.loads("".join(server.stdout.readline() for _ in range(3)))["address"]
        finally:
            server.terminate()
