"""A model judges beside the rules: on record, replayed exactly, and paid for (B7, A2)."""

import pytest

from callsheet.model.effect import RunResult
from callsheet.model.message import Reply

from .stage import customer, open_stage, project

KNOWN = "Can a revoked key be restored?"
SOURCE = "runbook/api-keys@v7#revoked-keys"
REPLY = {"kind": "answer", "answer": "A revoked key cannot be restored.", "sources": [SOURCE], "next_steps": []}
YES, NO = {"number": 1, "ruling": "yes"}, {"number": 1, "ruling": "no"}


@pytest.fixture
def judging(tmp_path):
    settings = project(tmp_path) / "callsheet.toml"
    table = '\n[knowledge]\nclaims = "refuse"\njudge = ["sufficient", "claims"]\n'
    settings.write_text(settings.read_text(encoding="utf-8") + table, encoding="utf-8")
    return tmp_path


def run(tmp_path, *replies) -> tuple[RunResult, list[dict]]:
    with open_stage(tmp_path, replies) as host:
        result = host.run(KNOWN, customer(), decision="answer")
        return result, [dict(host.replay(each, customer())) for each in result.request_ids]


def test_a_judged_answer_is_shown_with_what_the_judge_said_and_replays_to_the_same_bytes(judging):
    result, replayed = run(judging, YES, REPLY, YES)
    assert (result.outcome, [(each.supported, each.judged) for each in result.claims]) == ("answer", [(True, "yes")])
    assert result.steps[0].verdicts[0].rule == "evidence-judged"
    assert [each["identical"] for each in replayed] == [True]


def test_an_answer_that_the_judge_denies_is_refused_and_an_abstention_needs_no_answer(judging):
    denied, replayed = run(judging, YES, REPLY, NO, YES, REPLY, NO)
    assert denied.outcome == "partial" and denied.why.startswith("claim-unsupported")
    assert all(each["identical"] for each in replayed)
    abstained, replayed = run(judging, NO)
    assert (abstained.outcome, abstained.answer) == ("abstained", "") and replayed[0]["identical"]


def test_a_judge_that_is_down_leaves_the_answer_to_the_rule_and_is_told_of(judging):
    down = Reply(error="no route to host")
    result, replayed = run(judging, down, REPLY, down)
    assert result.outcome == "answer" and len([note for step in result.steps for note in step.notes]) == 2
    assert replayed[0]["identical"]


def test_what_the_judge_was_asked_is_part_of_what_a_replay_compares(judging, monkeypatch):
    result, _ = run(judging, YES, REPLY, YES)
    monkeypatch.setattr("callsheet.core.gate.judge.SUPPORTED", "Another task.")
    with open_stage(judging) as host:
        assert not host.replay(result.request_ids[0], customer())["identical"]
