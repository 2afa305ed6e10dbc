"""A process killed at random points of its writes: what it said was written is there, and nothing is half."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from callsheet.edges.stores import TenantStore
from callsheet.edges.stores.sqlite.upkeep import findings
from callsheet.model.evidence import Query

from ...source import ROOT
from .kinds import Kind
from .writer import STORES


def killed(kind: Kind, subject: str, after: int) -> int:
    """How many writes a process said it had made, killed while it went on behind so many of them."""
    code = f"from tests.edges.stores.writer import write_on; write_on({kind.name!r}, {kind.place!r}, {subject!r})"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    process = subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for _ in range(after):
        assert process.stdout.readline()
    process.kill()
    return after + len(process.communicate()[0].splitlines())


def check(store: TenantStore, subject: str, written: int) -> None:
    """Every acknowledged write is there; of the next one all or nothing."""

    def of(store_number: int) -> list[int]:
        return list(range(store_number, written, STORES))

    def at_most_one_more(found: list[int], store_number: int) -> None:
        more = range(store_number, written + STORES, STORES)
        assert found in (of(store_number), list(more))

    memories = store.memories.load(Query("memory", "t1", subject_id=subject))
    at_most_one_more([int(each.record_id.rpartition("-")[2]) for each in memories], 0)
    # A correction and the mark on what it corrects are one write.
    assert [each.superseded_by for each in memories] == [
        *(each.record_id for each in memories[1:]),
        *[""] * bool(memories),
    ]
    at_most_one_more([int(each["text"].split()[1]) for each in store.events.log(subject)], 1)
    state = store.states.load(subject)
    at_most_one_more([2 + STORES * number for number in range(state.version)], 2)
    assert state.goal == (str(2 + STORES * (state.version - 1)) if state.version else "")
    for number in of(3):
        assert store.artifacts.get(f"toolrun://{subject}-{number}.1/1") == f"{subject}-{number}".encode() * 50
    for number in of(4):
        assert [each.effect for each in store.records.entries(f"{subject}-{number}")] == ["Gather"]


@pytest.mark.parametrize("kills", [3, pytest.param(250, marks=pytest.mark.e2e)])
def test_a_process_killed_at_a_random_point_lost_nothing_it_had_acknowledged_and_left_nothing_half(kind, kills):
    chance, store = random.Random(8), kind.tenant()
    for life in range(kills):
        written = killed(kind, f"u{life}", chance.randrange(1, 25))
        check(store, f"u{life}", written)
    if kind.name == "sqlite":
        assert [(name, well) for name, _, well in findings(Path(kind.place))] == [("t1", True)]
