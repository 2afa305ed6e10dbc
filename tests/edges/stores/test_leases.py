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


def hold(folder: str) -> None:
    """Holds a run until it is killed."""
    with FileLeases(Path(folder)).held("run-1", "run run-1"):
        print("held", flush=True)
        signal.pause()


def count_alone(folder: str, number: int) -> None:
    """Adds so many to a file, one at a time, each time alone with it; asks again where another has it."""
    leases, counter, done = FileLeases(Path(folder)), Path(folder, "counter"), 0
    while done < number:
        try:
            with leases.held("run-1", "run run-1"):
                counter.write_text(str(int(counter.read_text()) + 1))
                done += 1
        except UsageError:
            continue


def start(function: str, *arguments: object) -> subprocess.Popen[str]:
    code = f"from tests.edges.stores import test_leases as here; here.{function}{arguments!r}"
    path = os.pathsep.join([str(ROOT), *sys.path])
    return subprocess.Popen(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE, text=True
    )


def test_a_second_holder_in_the_same_process_is_refused_by_name_and_the_file_goes_at_the_end(tmp_path):
    leases = FileLeases(tmp_path / "leases")
    with leases.held("run-1", "run run-1"), leases.held("run-2", "run run-2"):
        with (
            pytest.raises(UsageError, match=r"run run-1 is being worked on by another process; wait for it, or end it"),
            leases.held("run-1", "run run-1"),
        ):
            pass
        assert len(list((tmp_path / "leases").iterdir())) == 2
    assert list((tmp_path / "leases").iterdir()) == []
    with leases.held("run-1", "run run-1"):
        pass


def test_a_process_that_is_killed_lets_go(tmp_path):
    leases = FileLeases(tmp_path)
    process = start("hold", str(tmp_path))
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    with pytest.raises(UsageError, match="another process"), leases.held("run-1", "run run-1"):
        pass
    process.kill()
    process.communicate()
    with leases.held("run-1", "run run-1"):
        pass


def test_processes_that_take_turns_are_never_two_at_once(tmp_path):
    (tmp_path / "counter").write_text("0")
    running = [start("count_alone", str(tmp_path), 300) for _ in range(3)]
    for process in running:
        process.communicate()
    assert [process.returncode for process in running] == [0, 0, 0]
    assert (tmp_path / "counter").read_text() == "900"
    assert [path.name for path in tmp_path.iterdir()] == ["counter"]
