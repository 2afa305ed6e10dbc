"""Several processes open a fresh data folder at once: the seed is planted once, and nobody is refused."""

import json
import os
import subprocess
import sys
from pathlib import Path

from callsheet.edges.project.seed import read_seed
from callsheet.testing import NOON

from ..source import ROOT
from .stage import customer, open_stage, project


def remembered(folder: str) -> None:
    """One of the processes: waits until it is told to begin, then prints what it remembers of the customer."""
    with open_stage(Path(folder)) as host:
        print("ready", flush=True)
        sys.stdin.readline()
        print(json.dumps([record.text for record in host.memory.load(customer())]))


def test_processes_that_start_at_once_find_the_seed_whole_and_once(tmp_path):
    seed = read_seed(project(tmp_path), "acme", "u1", NOON)
    seeded = [record.text for record in seed.memories if record.subject_id == "u1"]
    code = f"from tests.walks import test_first_start as here; here.remembered({str(tmp_path)!r})"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    for each in running:
        assert each.stdout is not None and each.stdout.readline() == "ready\n"
    for each in running:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    told = [json.loads(each.communicate()[0]) for each in running]
    assert seeded and told == [seeded] * 4
