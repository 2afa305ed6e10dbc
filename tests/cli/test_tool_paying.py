"""The verdict whether searching for tools pays, from figures and from runs on record."""

import json
from pathlib import Path

from callsheet.cli.tool_paying import by_run, verdict
from callsheet.core.tools.paying import RunSaving

from ..walks.stage import QUESTION, customer, helpful, open_stage


def savings(*differences: float) -> list[RunSaving]:
    return [RunSaving(each + 100, 100, 1, 0) for each in differences]


def test_a_verdict_needs_an_interval_on_one_side_of_nothing() -> None:
    assert verdict(savings(500, 600, 700, 650))["verdict"] == "pays"
    assert verdict(savings(-50, -60, -55, -70))["verdict"] == "does not pay"
    undecided = verdict(savings(-500, 600, -400, 450, 100))
    assert undecided["verdict"] == "undecided" and undecided["needed"] > 5
    assert undecided["low"] < 0 < undecided["high"]


def test_too_few_runs_decide_nothing_and_say_so() -> None:
    for few in (savings(), savings(900)):
        told = verdict(few)
        assert (told["verdict"], told["difference"], told["runs"]) == ("undecided", None, len(few))
    json.dumps(verdict(savings(1, 1)))


def test_the_runs_on_record_are_read_whole_and_in_order(tmp_path: Path) -> None:
    with open_stage(tmp_path, helpful) as host:
        host.run(QUESTION, customer())
        (run,) = by_run(host.recent(customer(), 100))
        assert [each.called for each in run] == [("check_api_key_status",), ()]
        assert run[0].question == QUESTION and run[0].manifest.total_input_tokens > 0
