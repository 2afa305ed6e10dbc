"""Several processes open a fresh data folder at once: the seed is planted once, and nobody is refused."""

import json
import sys
from pathlib import Path

from callsheet.edges.project.seed import read_seed
from callsheet.testing import NOON

from .stage import at_once, customer, open_stage, project


def remembered(folder: str) -> None:
    """One of the processes: waits until it is told to begin, then prints what it remembers of the customer."""
    with open_stage(Path(folder)) as host:
        print("ready", flush=True)
        sys.stdin.readline()
        print(json.dumps([record.text for record in host.memory.load(customer())]))


def test_processes_that_start_at_once_find_the_seed_whole_and_once(tmp_path):
    seed = read_seed(project(tmp_path), "acme", "u1", NOON)
    seeded = [record.text for record in seed.memories if record.subject_id == "u1"]
    told = at_once("test_first_start", f"remembered({str(tmp_path)!r})", 4)
    assert seeded and told == [seeded] * 4
