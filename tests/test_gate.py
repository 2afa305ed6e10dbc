"""The gate without a host: what its page says is what it does."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from callsheet.core.gate.contract import call_hash
from callsheet.gate import RULES, Approval, Case, GatePolicy, ToolCall, judge
from callsheet.model.item import ContextItem
from callsheet.model.policy import ModelProfile, Policy, Project
from callsheet.model.tool import ToolContract
from callsheet.model.verdict import Verdict

from .source import ROOT

PAY = ToolContract("pay", "", {"type": "object"}, effects="irreversible", authority=("to",))
FREE = GatePolicy(confirm_effects=())
CALL = ToolCall("pay", {"to": "DE99"})


def said(text: str, **changes: Any) -> ContextItem:
    return ContextItem("question", "conversation", "user", changes.pop("trust", "trusted"), text=text, **changes)


def test_the_example_of_the_page_runs_and_prints_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8").partition("## Where tools come from")[0]
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile("\n".join(blocks), "docs/tools.md", "exec"), {})
    assert capsys.readouterr().out == re.findall(r"```text\n(.*?)```", page, re.DOTALL)[0]


def test_only_trusted_words_of_the_conversation_are_the_users() -> None:
    assert judge(CALL, [PAY], [said("Pay DE99")], FREE).outcome == "allow"
    assert judge(CALL, [PAY], [said("Pay DE99", trust="untrusted")], FREE).outcome == "ask"


def test_a_tool_that_is_known_and_not_offered_is_refused() -> None:
    assert judge(CALL, [PAY], [said("Pay DE99")], FREE, offered=()).rule == "tool-not-offered"


def test_an_approval_is_for_this_call_of_this_run() -> None:
    approval = Approval("a", call_hash("run-1", CALL), True, "ada", datetime(2026, 11, 30, tzinfo=UTC))
    assert judge(CALL, [PAY], [], FREE, approvals=[approval], run_id="run-1").outcome == "allow"
    assert judge(CALL, [PAY], [], FREE, approvals=[approval], run_id="run-2").outcome == "ask"
    assert (
        judge(ToolCall("pay", {"to": "DE98"}), [PAY], [], FREE, approvals=[approval], run_id="run-1").outcome == "ask"
    )


def test_the_policy_of_a_run_is_taken_as_well() -> None:
    profile = ModelProfile("none", "openai_chat", 1_000, 100, "none")
    policy = Policy(Project((), (), (), {}, "", {}), profile, gate=FREE)
    assert judge(CALL, [PAY], [said("Pay DE99")], policy).outcome == "allow"
    assert judge(CALL, [PAY], [said("Pay DE99")], GatePolicy()).rule == "confirmation-required"


def test_a_rule_of_ones_own_stands_where_it_is_put() -> None:
    def never(case: Case) -> Verdict | None:
        return Verdict("refuse", "precondition-failed", "never", subject=case.call.tool)

    assert judge(CALL, [PAY], [said("Pay DE99")], FREE, rules=(never, *RULES)).why == "never"
    assert judge(CALL, [PAY], [said("Pay DE99")], FREE, rules=(*RULES, never)).outcome == "refuse"
    assert judge(CALL, [PAY], [said("Pay.")], FREE, rules=(*RULES, never)).outcome == "ask"
