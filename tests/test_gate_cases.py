"""Proposed tool calls, each with what has to become of it (`tests/cases`, or CALLSHEET_CASES)."""

import json
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from callsheet.gate import GatePolicy, TaskState, ToolCall, judge
from callsheet.model.item import ContextItem
from callsheet.model.label import LEVELS, Label
from callsheet.model.tool import ToolContract
from callsheet.model.verdict import Verdict

FOLDER = Path(os.environ.get("CALLSHEET_CASES") or Path(__file__).parent / "cases")
ROWS: list[dict[str, Any]] = json.loads((FOLDER / "tool_gate_cases.json").read_text(encoding="utf-8"))
TOOLS: dict[str, dict[str, Any]] = json.loads((FOLDER / "tool_gate_tools.json").read_text(encoding="utf-8"))
FIELDS = {each.name for each in fields(ToolContract)}
KINDS = {"memory": "memory", "harness_event": "event"}
TRUSTED = {"trusted", "trusted_tool", "registry", "user", "user_stated", "system", "system_record"}
ACCEPTED = {"ask-or-refuse": {"ask", "refuse"}}
OUR_NAMES: dict[str, str] = {}
"""Rules that a list may call otherwise."""


def contract(name: str) -> ToolContract:
    """The contract of a row's tool; its schema takes any object, and its result is labelled as each read says."""
    said = {key: tuple(value) if isinstance(value, list) else value for key, value in TOOLS[name].items()}
    known = {key: value for key, value in said.items() if key in FIELDS}
    return ToolContract(**{"name": name, "description": "", "input_schema": {"type": "object"}, **known})


def state_of(said: Mapping[str, Any]) -> TaskState:
    """A list or an object of application state is a registry, anything else a fact."""
    lists = {
        name: tuple(map(str, value.values() if isinstance(value, dict) else value))
        for name, value in said.items()
        if isinstance(value, (dict, list))
    }
    return TaskState(facts={name: str(value) for name, value in said.items() if name not in lists}, resources=lists)


def read_item(number: int, read: Mapping[str, Any]) -> ContextItem:
    """What the model has read, under the label that the row gives it; a memory's is that of its writing."""
    trust = read["trust"]
    trusted = (read.get("origin", trust) if trust == "memory" else trust) in TRUSTED
    named = read.get("confidentiality", trust)
    return ContextItem(
        read.get("source", f"read-{number}"),
        KINDS.get(trust, "observation"),  # type: ignore[arg-type]
        read.get("source", "tool"),
        "trusted" if trusted else "untrusted",
        text=read["text"],
        confidentiality=named if named in LEVELS else "public",
    )


def verdict_on(row: Mapping[str, Any]) -> Verdict:
    said = ContextItem("question", "conversation", "user", "trusted", text=row["user"])
    state = ContextItem("state", "task_state", "application", "trusted", record=state_of(row["trusted_state"]))
    arguments = {name: value for name, value in row["call"].items() if name != "tool"}
    return judge(
        ToolCall(row["call"]["tool"], arguments),
        map(contract, TOOLS),
        (said, state, *(read_item(number, each) for number, each in enumerate(row["reads"], 1))),
        GatePolicy(confirm_effects=()),
        offered=row["offered"],
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_proposed_call_has_the_outcome_of_its_row(row: dict[str, Any], request: pytest.FixtureRequest) -> None:
    if row.get("expect_fail"):
        request.applymarker(pytest.mark.xfail(reason=row["why"], strict=False))
    verdict = verdict_on(row)
    expected = row["expected"]
    assert verdict.outcome in ACCEPTED.get(expected["outcome"], {expected["outcome"]}), verdict
    if "rule" in expected:
        assert verdict.rule == OUR_NAMES.get(expected["rule"], expected["rule"])
    assert (verdict.question is not None) == (verdict.outcome == "ask")


def test_the_label_of_an_item_names_where_it_comes_from() -> None:
    item = read_item(1, {"trust": "private", "text": "code 463820"})
    assert item.label == Label("untrusted", "private", ("read-1",))
