"""Recorded runs of agents and evaluations, where CALLSHEET_DATA names a folder: counts equal a second reading."""

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from callsheet.transcripts import inspect

DATA = os.environ.get("CALLSHEET_DATA", "")
FENCE = re.compile(r"```(?:bash|mswea_bash_command)\n")
Counts = dict[str, Any]
MESSAGES = ("message", "system", "recall", "condensation", "change_agent_state")


def rows(path: Path) -> list[Any]:
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text().splitlines()]
    return [json.loads(path.read_text())]


def swe_agent(path: Path) -> Counts:
    [raw] = rows(path)
    if isinstance(raw, list):
        commands = sum(len(FENCE.findall(each["content"])) == 1 for each in raw if each["role"] == "assistant")
        return {"records": len(raw), "calls": commands, "tokens": (0, 0)}
    steps = raw.get("trajectory")
    if not steps:
        calls = sum(len(each.get("tool_calls") or ()) for each in raw["history"])
        return {"records": len(raw["history"]), "calls": calls, "tokens": (0, 0)}
    stats = raw["info"]["model_stats"]
    calls = sum(bool(each["action"].strip()) for each in steps)
    return {"records": len(steps), "calls": calls, "tokens": (stats["tokens_sent"], stats["tokens_received"])}


def openhands(path: Path) -> Counts:
    [raw] = rows(path)
    entries = raw if isinstance(raw, list) else raw["history"]
    calls, used = 0, {}
    for each in entries:
        action = each.get("action")
        calls += action is not None and action not in MESSAGES and each.get("source", "agent") == "agent"
        response = each.get("tool_call_metadata", {}).get("model_response", {})
        if response:
            used[response["id"]] = (response["usage"]["prompt_tokens"], response["usage"]["completion_tokens"])
    for each in raw.get("metrics", {}).get("token_usages", ()) if isinstance(raw, dict) else ():
        used[each["response_id"]] = (each["prompt_tokens"], each["completion_tokens"])
    tokens = (sum(each[0] for each in used.values()), sum(each[1] for each in used.values()))
    return {"records": len(entries), "calls": calls, "tokens": tokens}


def tau_bench(path: Path) -> Counts:
    lines = rows(path)
    said = [message for line in lines for message in line.get("traj", ())]
    calls = sum(len(message.get("tool_calls") or ()) for message in said)
    return {"records": len(lines), "calls": calls, "tokens": (0, 0)}


def inspect_log(path: Path) -> Counts:
    [raw] = rows(path)
    calls = sum(len(each.get("tool_calls") or ()) for one in raw["samples"] for each in one["messages"])
    figures = raw["stats"]["model_usage"].values()
    tokens = tuple(sum(each[key] for each in figures) for key in ("input_tokens", "output_tokens"))
    return {"records": len(raw["samples"]), "calls": calls, "tokens": tokens}


SETS: dict[str, Callable[[Path], Counts]] = {
    "swe-agent-trajs": swe_agent,
    "openhands-trajs": openhands,
    "tau-bench-airline": tau_bench,
    "inspect-eval-logs": inspect_log,
}


def files() -> Iterator[tuple[str, Path]]:
    for name in SETS if DATA else ():
        yield from ((name, each) for each in sorted(Path(DATA, name).iterdir()))


@pytest.mark.skipif(not DATA, reason="CALLSHEET_DATA names no folder of recordings")
def test_records_calls_and_tokens_equal_a_second_reading() -> None:
    seen = 0
    for name, path in files():
        counted, found = SETS[name](path), inspect(path)
        records = found.records
        assert records.read == records.kept + records.unknown + len(records.skipped) == counted["records"], path.name
        assert records.kept == records.read, path.name
        assert found.tool_calls == counted["calls"], path.name
        assert (found.usage.prompt, found.usage.output) == counted["tokens"], path.name
        seen += 1
    assert seen
