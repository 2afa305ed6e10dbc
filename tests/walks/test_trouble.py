"""What goes wrong on the way: outages, refusals, broken tools, unknown names; each ends in words, never in silence."""

from dataclasses import replace

import pytest

from callsheet.errors import UnknownName
from callsheet.model.message import Reply
from callsheet.model.tool import RawResult
from callsheet.testing import FakeTools

from .stage import ANSWER, CHECK, QUESTION, ROTATE, changes, customer, helpful, open_stage, project, scripted, told

HAND_OVER = "A person has to take this over"
STATUS = {
    "account_id": "A-123",
    "status": "revoked",
    "reason": "leaked",
    "revoked_at": None,
    "created_at": "2026-07-12",
}
BROKEN = RawResult(failure="error", detail="the key service did not answer")


def spoil_knowledge(tmp_path):
    """Damages the index of shared knowledge, as a failing disk would."""
    with open_stage(tmp_path) as host:
        host.assemble(QUESTION, customer())
    (tmp_path / "data" / "shared" / "knowledge.db").write_bytes(b"not a database " * 500)
    for log in (tmp_path / "data" / "shared").glob("knowledge.db-*"):
        log.unlink()


def test_without_its_knowledge_a_run_says_so_in_the_manifest_and_can_only_abstain(tmp_path):
    spoil_knowledge(tmp_path)
    with open_stage(tmp_path, [CHECK, {"kind": "abstain", "reason": "The runbooks cannot be read."}]) as host:
        result = host.run(QUESTION, customer())
        notes = [host.show(each, customer()).manifest.notes for each in result.request_ids]
        missing = host.blame(result.request_ids[-1], customer())
    assert result.outcome == "abstained"
    assert all(len(note) == 1 and note[0].startswith("knowledge could not answer: ") for note in notes)
    assert (missing["missing"], missing["causes"][0]["item_id"]) == ("evidence", "")


def test_an_answer_without_evidence_gives_way_to_what_is_on_record(tmp_path):
    spoil_knowledge(tmp_path)
    with open_stage(tmp_path, [CHECK, ANSWER, ANSWER]) as host:
        result = host.run(QUESTION, customer())
    assert [step.verdicts[-1].rule for step in result.steps[1:]] == ["no-source", "no-source"]
    assert result.outcome == "partial"
    assert "check_api_key_status found status: revoked." in result.answer
    assert result.next_steps[-1].startswith(HAND_OVER)


def test_a_refused_proposal_is_told_to_the_model_which_then_does_otherwise(tmp_path, golden):
    replies = iter([ROTATE])
    with open_stage(tmp_path, lambda body: next(replies, None) or helpful(body)) as host:
        result = host.run(QUESTION, customer())
        golden("refused-then-answer", told(host, result, customer()))
        second = host.show(result.request_ids[1], customer()).wire.body.decode()
    assert [step.outcome for step in result.steps] == ["refused", "observed", "answer"]
    assert "<notice>Your last proposal was refused (tool-not-offered)" in second
    assert result.outcome == "answer" and changes(tmp_path) == []


def test_a_model_that_talks_instead_of_proposing_gets_one_more_try_and_then_the_record_speaks(tmp_path):
    with open_stage(tmp_path, lambda body: "I think your key is fine.") as host:
        result = host.run(QUESTION, customer())
    assert {step.verdicts[0].rule for step in result.steps} == {"unreadable-proposal"}
    assert result.outcome in ("partial", "unfinished") and result.next_steps[-1].startswith(HAND_OVER)
    assert "I think your key is fine." not in result.answer


def test_a_read_only_tool_that_fails_once_is_tried_again(tmp_path):
    tools = FakeTools({"check_api_key_status": [BROKEN, STATUS]})
    with open_stage(tmp_path, helpful, tools) as host:
        result = host.run(QUESTION, customer())
    observation = result.steps[0].calls[0].observation
    assert (observation.status, observation.attempts, len(tools.calls)) == ("ok", 2, 2)
    assert result.outcome == "answer"


def test_a_read_only_tool_that_keeps_failing_leaves_a_partial_answer_and_a_person(tmp_path, golden):
    tools = FakeTools({"check_api_key_status": BROKEN})
    careful = {**ANSWER, "answer": "The status of the key could not be read. A key stops working when it is revoked."}
    with open_stage(tmp_path, [CHECK, careful], tools) as host:
        result = host.run(QUESTION, customer())
        golden("tool-failure", told(host, result, customer()))
    observation = result.steps[0].calls[0].observation
    assert (observation.status, observation.rule, observation.attempts) == ("failed", "tool-failed", 2)
    assert result.outcome == "partial" and result.next_steps[-1].startswith(HAND_OVER)


def test_a_result_of_another_account_breaks_the_postcondition(tmp_path):
    tools = FakeTools({"check_api_key_status": {**STATUS, "account_id": "A-456"}})
    with open_stage(tmp_path, helpful, tools) as host:
        result = host.run(QUESTION, customer())
    assert result.steps[0].calls[0].observation.rule == "postcondition-failed"
    assert result.outcome == "partial"


def test_a_change_that_failed_is_not_tried_again(tmp_path):
    admin = customer("keys:rotate")
    tools = FakeTools({"rotate_api_key": BROKEN})
    with open_stage(tmp_path, lambda body: ROTATE if b"toolrun://" not in body else ANSWER, tools) as host:
        asked = host.run("Please rotate the key of my account A-123.", admin)
        host.approve(asked.steps[0].calls[0].approval_id, admin)
        result = host.run(ctx=admin, resume=asked.run_id)
    assert len(tools.calls) == 1
    assert result.outcome == "partial"


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [(Reply(error="no connection"), "unfinished"), (Reply(error="the connection broke", unknown=True), "unknown")],
)
def test_a_model_outage_ends_the_run_and_resuming_it_goes_on(tmp_path, reply, outcome):
    replies = iter([reply])
    with open_stage(tmp_path, lambda body: next(replies, None) or helpful(body)) as host:
        result = host.run(QUESTION, customer())
        assert (result.outcome, result.why.partition(":")[0]) == (outcome, "model-outage")
        resumed = host.run(ctx=customer(), resume=result.run_id)
    assert resumed.outcome == "answer"
    assert [step.outcome for step in resumed.steps] == [outcome, "observed", "answer"]


def test_an_unknown_decision_kind_is_named_with_those_that_exist_and_nothing_is_sent(tmp_path):
    with open_stage(tmp_path, helpful) as host:
        with pytest.raises(UnknownName, match=r"no decision kind 'dance'.*answer, change_key, diagnose"):
            host.run(QUESTION, customer(), decision="dance")
        assert scripted(host).bodies == []


def test_a_run_that_nobody_started_cannot_be_gone_on_with(tmp_path):
    with open_stage(tmp_path, helpful) as host:
        with pytest.raises(UnknownName, match="there is no run 'nope' to go on with"):
            host.run(ctx=customer(), resume="nope")
        assert scripted(host).bodies == []


def test_a_run_about_another_subject_reads_as_one_that_nobody_started_even_for_the_same_actor(tmp_path):
    clerk = replace(customer(), actor="clerk")
    with open_stage(tmp_path, helpful) as host:
        run_id = host.run(QUESTION, clerk).run_id
        for other in (replace(clerk, subject_id="u2"), replace(clerk, actor="another clerk")):
            with pytest.raises(UnknownName, match=f"there is no run '{run_id}' to go on with"):
                host.run(ctx=other, resume=run_id)


def test_a_run_that_turns_in_circles_ends_at_its_ceiling(tmp_path):
    settings = project(tmp_path) / "callsheet.toml"
    settings.write_text(
        settings.read_text(encoding="utf-8").replace("decisions = 4", "decisions = 1"), encoding="utf-8"
    )
    with open_stage(tmp_path, helpful) as host:
        result = host.run(QUESTION, customer())
    assert (result.outcome, result.why.partition(":")[0]) == ("unfinished", "ceiling-reached")
