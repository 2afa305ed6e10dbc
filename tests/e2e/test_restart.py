"""A task of five items with the embedded model, killed after two and resumed twice by new processes (C10)."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from callsheet import open_host

from ..source import ROOT
from ..walks.moving import ME, QUESTION, TABLES, moved, project, scope

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("weights_path")]


def start(folder: Path) -> None:
    """The start session: the list, and work on it."""
    with open_host(project(folder)) as host:
        host.restart.begin(scope(), ME)
        host.run(QUESTION, ME)


def go_on(folder: Path) -> None:
    """A session that goes on with the newest run."""
    with open_host(project(folder)) as host:
        host.run(ctx=ME, resume=host.recent(ME)[0].task.run_id)


def dying(part: str, items: int, folder: Path) -> int:
    """How a process of its own ended that does a part, and is killed as soon as so many of its calls were observed."""
    work = f"moving.dies_after({items}, here.{part})(here.Path({str(folder)!r}))"
    code = f"from tests.e2e import test_restart as here; from tests.walks import moving; {work}"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=False).returncode


def done(folder: Path) -> list[str]:
    with open_host(project(folder)) as host:
        return [each.item_id for each in host.restart.show(ME).scope if each.state == "done"]


def resumed(folder: Path) -> dict[str, Any]:
    """What `callsheet run --resume` prints for the newest run."""
    with open_host(project(folder)) as host:
        run_id = host.recent(ME)[0].task.run_id
    command = [sys.executable, "-m", "callsheet", "-C", str(project(folder)), "run", "--resume", run_id, "--json"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert printed.returncode == 0, printed.stderr
    shown: dict[str, Any] = json.loads(printed.stdout)
    return shown


def test_five_items_killed_after_two_and_resumed_twice_are_each_done_exactly_once(tmp_path: Path) -> None:
    assert dying("start", 2, tmp_path) == -signal.SIGKILL
    assert moved(tmp_path) == list(TABLES[:2]) and done(tmp_path) == ["1", "2"]
    assert dying("go_on", 1, tmp_path) == -signal.SIGKILL
    assert done(tmp_path) == ["1", "2", "3"]
    result = resumed(tmp_path)
    # How far so small a model comes is its own. What was moved was moved once, and nothing else counts as done.
    assert len(set(moved(tmp_path))) == len(moved(tmp_path)) == len(done(tmp_path)) > 3
    assert {TABLES[int(each) - 1] for each in done(tmp_path)} == set(moved(tmp_path))
    assert len(done(tmp_path)) == len(TABLES) or result["outcome"] == "unfinished", result
