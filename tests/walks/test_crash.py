"""A process that dies anywhere: what is on record is never half, the run can be gone on with, and no change runs twice.

`crash_worker.py` kills itself before, inside and after each effect of a run with a read-only tool and an approved,
irreversible one; then a new process opens the same files and brings the run to its end.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from callsheet.host.host import Overrides, open_host
from callsheet.testing import SCRIPTED, FixedClock, ScriptedModel

from ..source import ROOT
from .crash_worker import ADMIN, QUESTION, RUN, approve_all, reply
from .stage import project

STATUSES = {"recorded", "sent, outcome unknown", "received", "complete"}
Point = dict[str, Any]


@pytest.fixture(scope="module")
def points(tmp_path_factory: pytest.TempPathFactory) -> list[Point]:
    """What every kill point left behind, and how its run ended."""
    folder = tmp_path_factory.mktemp("crash")
    done = subprocess.run(
        [sys.executable, "-m", "tests.walks.crash_worker", str(folder)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(ROOT) / "src"), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_effect_of_both_halves_was_killed_before_inside_and_after(points, capsys):
    with capsys.disabled():
        print(f"\n{len(points)} kill points")
    assert len(points) > 20
    assert all(point["killed"] for point in points)
    assert len(points) == 3 * len({(point["half"], point["number"]) for point in points})


def test_what_a_kill_left_reads_as_one_of_four_states_and_is_whole(points):
    for point in points:
        assert set(point["left"]) <= STATUSES and point["whole"], point
        assert set(point["left"][:-1]) <= {"complete"}, point


def test_what_a_kill_left_says_how_far_the_request_had_come(points):
    left: dict[tuple[str, str], set[str]] = {}
    for each in points:
        left.setdefault((each["effect"], each["moment"]), set()).update(each["left"][-1:])
    assert left["Record", "after"] == left["Call", "before"] == {"recorded"}
    assert left["Call", "inside"] == left["Call", "after"] == left["Received", "before"] == {"sent, outcome unknown"}
    assert left["Received", "after"] == left["Settle", "inside"] == {"received"}
    assert left["Settle", "after"] == {"complete"}


def test_when_a_model_is_called_the_very_bytes_are_on_record_as_on_their_way(tmp_path):
    seen = []

    def look(body: bytes) -> dict[str, Any]:
        stored = host.stores(ADMIN).records.run(RUN)[-1]
        seen.append((stored.status, stored.wire.body == body))
        return reply(body)

    overrides = Overrides(model=ScriptedModel(SCRIPTED, look), clock=FixedClock(), token=lambda: "crash")
    with open_host(project(tmp_path), tmp_path / "data", overrides) as host:
        host.run(QUESTION, ADMIN)
        approve_all(host)
        host.run(ctx=ADMIN, resume=RUN)
    assert seen == [("sent, outcome unknown", True)] * 3


def test_every_run_ends_and_each_of_its_requests_is_complete_and_replays(points):
    for point in points:
        assert point["end"] in ("answer", "unknown"), point
        assert set(point["statuses"]) == {"complete"}, point
        assert point["replays"], point


def test_the_rotation_runs_at_most_once_over_all_processes(points):
    for point in points:
        assert point["changes"] <= 1, point
        assert point["changes"] >= point["changes_left"], point


def test_a_rotation_that_may_have_run_reads_unknown_and_every_other_run_gets_its_answer(points):
    unknown = {(point["half"], point["number"], point["moment"]) for point in points if point["end"] == "unknown"}
    (intended,) = {number - 1 for _, number, moment in unknown if moment == "inside"}
    # From the moment its Intend is on disk until its result is, nobody can say; before and after, everybody can.
    assert unknown == {("act", intended, "after"), ("act", intended + 1, "before"), ("act", intended + 1, "inside")}
    assert all(point["end"] == "answer" and point["changes"] == 1 for point in points if point["end"] != "unknown")
