"""A lease is held by one at a time, over threads and processes, and a process that dies lets go of it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from callsheet.edges.stores.sqlite.leases import FileLeases
from callsheet.errors import UsageError

from ...source import ROOT
from .kinds import opened


def hold(name: str, place: str) -> None:
    """Holds a run until it is killed."""
    with opened(name, place) as store, store.leases.held("run-1", "run run-1"):
        print("held", flush=True)
        signal.pause()


def count_alone(name: str, place: str, counter: str, number: int, wait: bool) -> None:
    """Adds so many to a file, one at a time, each time alone with it; asks again where another has it, or waits."""
    done = 0
    with opened(name, place) as store:
        while done < number:
            try:
                with store.leases.held("run-1", "run run-1", wait=wait):
                    Path(counter).write_text(str(int(Path(counter).read_text()) + 1))
                    done += 1
            except UsageError:
                continue


def start(function: str, *arguments: object) -> subprocess.Popen[str]:
    code = f"from tests.edges.stores import test_leases as here; here.{function}{arguments!r}"
    path = os.pathsep.join([str(ROOT), *sys.path])
    return subprocess.Popen(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE, text=True
    )


def test_a_second_holder_in_the_same_process_is_refused_by_name(kind):
    leases = kind.tenant().leases
    with leases.held("run-1", "run run-1"), leases.held("run-2", "run run-2"):
        with (
            pytest.raises(UsageError, match=r"run run-1 is being worked on by another process; wait for it, or end it"),
            leases.held("run-1", "run run-1"),
        ):
            pass
        with kind.tenant("t2").leases.held("run-1", "another tenant's run of that name"):
            pass
    with leases.held("run-1", "run run-1"):
        pass


def test_the_file_of_a_lease_goes_with_it(tmp_path):
    leases = FileLeases(tmp_path / "leases")
    with leases.held("run-1", "run run-1"), leases.held("run-2", "run run-2"):
        assert len(list((tmp_path / "leases").iterdir())) == 2
    assert list((tmp_path / "leases").iterdir()) == []


def test_a_process_that_is_killed_lets_go(kind):
    process = start("hold", kind.name, kind.place)
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    leases = kind.tenant().leases
    with pytest.raises(UsageError, match="another process"), leases.held("run-1", "run run-1"):
        pass
    process.kill()
    process.communicate()
    with leases.held("run-1", "run run-1", wait=True):  # a server needs a moment to see that its client is gone
        pass


def test_processes_that_take_turns_are_never_two_at_once(kind, tmp_path):
    counter = tmp_path / "counter"
    counter.write_text("0")
    running = [start("count_alone", kind.name, kind.place, str(counter), 100, wait) for wait in (False, False, True)]
    for process in running:
        process.communicate()
    assert [process.returncode for process in running] == [0, 0, 0]
    assert counter.read_text() == "300"
