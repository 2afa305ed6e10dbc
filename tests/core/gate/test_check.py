"""The gate: one call, judged by the first rule that speaks, on what the application says alone."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.gate.check import Grounds, judge_call
from callsheet.core.gate.contract import call_hash
from callsheet.model.policy import GatePolicy
from callsheet.model.task import Approval
from callsheet.model.tool import Condition, ToolCall
from callsheet.model.verdict import Verdict

from ..proposal.test_schema import JSON
from ..world import CHECK, NOW, OWN_ACCOUNT, QUESTION, ROTATE, STATE, tool

PAY = replace(tool("pay", "irreversible", authority=("to", "amount")), input_schema={"type": "object"})
NOTE = tool("note", "write", "text")
ANY = {"type": "object", "properties": {"do": {}, "how": {}, "path": {}}}
FILES = replace(tool("files", "write"), input_schema=ANY, confirm=True, reads={"do": ("view", "list")})
BOTH = replace(FILES, name="both", reads={"do": ("view",), "how": ("dry",)})
PLAN = tool("plan", "read", "account_id", preconditions=(OWN_ACCOUNT, Condition("fact", "plan", ("enterprise",))))


def grounds(*offered: Any, question: str = QUESTION, **changes: Any) -> Grounds:
    held = Grounds("run", question, offered or (CHECK, ROTATE, PAY, NOTE, FILES, BOTH, PLAN), STATE, (), GatePolicy())
    return replace(held, **changes)


def judged(name: str, held: Grounds | None = None, index: int = 1, **arguments: Any) -> Verdict:
    return judge_call(ToolCall(name, arguments, index), held or grounds())


@pytest.mark.parametrize(
    ("verdict", "outcome", "rule"),
    [
        (judged("check_key", account_id="A-123"), "allow", "ok"),
        (judged("anything", grounds(gate=GatePolicy(enabled=False)), x=1), "allow", "gate-off"),
        (judged("delete_key", account_id="A-123"), "refuse", "tool-not-offered"),
        (judged("check_key", index=5, account_id="A-123"), "refuse", "call-limit"),
        (judged("check_key"), "refuse", "invalid-arguments"),
        (judged("check_key", account_id=123), "refuse", "invalid-arguments"),
        (judged("check_key", account_id="A-123", x="y"), "refuse", "invalid-arguments"),
        (judged("check_key", account_id="A-999"), "refuse", "resource-not-owned"),
        (judged("plan", account_id="A-123"), "refuse", "precondition-failed"),
        (judged("rotate_key", account_id="A-123"), "ask", "confirmation-required"),
        (judged("pay", to="DE99", amount=9), "ask", "untrusted-argument"),
        (judged("pay", grounds(question="Pay 9 to DE44"), to="DE44", amount=9), "ask", "confirmation-required"),
        (judged("note", grounds(gate=GatePolicy(confirm_effects=())), text="hi"), "allow", "ok"),
        (judged("note", text="hi"), "ask", "confirmation-required"),
        (judged("files", do="view"), "allow", "ok"),
        (judged("files", do="delete"), "ask", "confirmation-required"),
        (judged("files", path="view"), "ask", "confirmation-required"),
        (judged("files", do=["view"]), "ask", "confirmation-required"),
        (judged("both", do="view", how="dry"), "allow", "ok"),
        (judged("both", do="delete", how="dry"), "ask", "confirmation-required"),
    ],
)
def test_the_first_rule_that_speaks_decides(verdict: Verdict, outcome: str, rule: str) -> None:
    assert (verdict.outcome, verdict.rule) == (outcome, rule)
    assert (verdict.question is not None) == (outcome == "ask") and verdict.subject


def test_a_question_to_a_person_shows_the_call_and_the_reason_names_the_loose_value() -> None:
    verdict = judged("pay", grounds(question="Pay 9 to DE44"), to="DE99", amount=9)
    assert verdict.question is not None
    assert verdict.question.splitlines() == [
        "Run pay(to='DE99', amount=9)?",
        "- stands neither in the user's words nor in trusted state: to='DE99': it stands in nothing that was read",
    ]
    assert verdict.why == "to=DE99 stands neither in the user's words nor in trusted state"


def approval(granted: bool, **arguments: Any) -> Approval:
    return Approval("id", call_hash("run", ToolCall("rotate_key", arguments)), granted, "ada", NOW)


def test_an_approval_is_for_this_very_call_of_this_very_run() -> None:
    yes = grounds(approvals=(approval(True, account_id="A-123"),))
    assert judged("rotate_key", yes, account_id="A-123") == Verdict(
        "allow", "ok", "approved by ada", subject="rotate_key"
    )
    assert judged("rotate_key", replace(yes, run_id="other"), account_id="A-123").outcome == "ask"
    broad = replace(ROTATE, preconditions=())
    assert (
        judged("rotate_key", grounds(broad, approvals=yes.approvals), account_id="A-456").rule == "untrusted-argument"
    )


def test_a_tool_that_wants_a_confirmation_gets_one_whatever_the_policy_confirms() -> None:
    silent = GatePolicy(confirm_effects=())
    held = grounds(replace(NOTE, confirm=True), gate=silent)
    assert judged("note", held, text="hi").rule == "confirmation-required"


def test_what_a_person_refused_is_refused_even_where_the_tool_only_reads() -> None:
    no = grounds(approvals=(approval(False, account_id="A-123"),))
    assert judged("rotate_key", no, account_id="A-123").rule == "refused-by-person"


def test_an_approval_lifts_no_other_rule() -> None:
    yes = grounds(approvals=(approval(True, account_id="A-999"),))
    assert judged("rotate_key", yes, account_id="A-999").rule == "resource-not-owned"
    assert judged("rotate_key", replace(yes, offered=(CHECK,)), account_id="A-999").rule == "tool-not-offered"


def test_a_tool_that_does_not_exist_reads_as_one_that_is_not_offered() -> None:
    known, unknown = judged("delete_key", account_id="A-123"), judged("depete_key", account_id="A-123")
    assert known.why.replace("delete_key", "NAME") == unknown.why.replace("depete_key", "NAME")
    assert judged("no_such_tool").why == "no_such_tool was not offered in this decision"


@given(st.sampled_from(["check_key", "rotate_key", "pay", "note", "plan"]), st.dictionaries(st.text(max_size=8), JSON))
def test_any_arguments_get_a_verdict_and_never_an_exception(name: str, arguments: dict[str, Any]) -> None:
    finite = {key: each for key, each in arguments.items() if "nan" not in repr(each) and "inf" not in repr(each)}
    assert judge_call(ToolCall(name, finite), grounds()).outcome in ("allow", "ask", "refuse")


@given(st.dictionaries(st.sampled_from(["to", "amount", "memo"]), JSON, min_size=1))
def test_a_consequential_call_is_never_allowed_without_a_person(arguments: dict[str, Any]) -> None:
    finite = {key: each for key, each in arguments.items() if "nan" not in repr(each) and "inf" not in repr(each)}
    assert judge_call(ToolCall("pay", finite), grounds()).outcome != "allow"


@pytest.mark.parametrize("name", ["check_key_all", "check_key\n", "check_ke", "CHECK_KEY", " check_key", ""])
def test_a_name_that_only_resembles_an_offered_tools_is_not_offered(name: str) -> None:
    assert judged(name, account_id="A-123").rule == "tool-not-offered"
