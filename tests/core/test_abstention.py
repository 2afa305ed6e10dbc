"""Abstaining by rule: evidence that does not answer costs no model call, and says what was searched (B7)."""

from dataclasses import replace

from callsheet.core.abstention import NEXT_STEP
from callsheet.core.decide import decide
from callsheet.core.run import run
from callsheet.drive import drive
from callsheet.model.effect import Call, Found, Gather, Record, RunResult, Settle
from callsheet.model.evidence import Searched
from callsheet.model.knowledge_policy import KnowledgePolicy
from callsheet.model.tool import Observation

from .world import TASK, Outside, answer, evidence, policy, session

ANSWERING = replace(TASK, decision="answer")
SOURCE = evidence().source
SEARCHED = Searched(TASK.question, "acme", 7, 1)
STRICT = policy(knowledge=KnowledgePolicy(sufficient=0.5))
FOREIGN = replace(ANSWERING, question="Which colour has a pelican of Peru?")


class Searching(Outside):
    """An outside whose search is on record."""

    def __call__(self, effect):  # type: ignore[no-untyped-def]
        told = super().__call__(effect)
        return (*told, Found(searched=(SEARCHED,))) if isinstance(effect, Gather) else told


def test_evidence_below_the_least_worth_abstains_on_record_and_asks_no_model() -> None:
    outside = Searching([answer("Pelicans are white.", SOURCE)], [evidence()])
    step = drive(decide(session(), FOREIGN, STRICT), outside)
    assert (step.outcome, step.answer, step.searched, step.next_steps) == ("abstained", "", (SEARCHED,), (NEXT_STEP,))
    assert step.verdicts[0].rule == "insufficient-evidence" and "pelican" in step.verdicts[0].why
    assert not outside.of(Call) and len(outside.of(Record)) == len(outside.of(Settle)) == 1


def test_evidence_that_answers_goes_to_the_model() -> None:
    asked = replace(ANSWERING, question="Can a revoked key be restored?")
    outside = Searching([answer("A revoked key cannot be restored.", SOURCE)], [evidence()])
    step = drive(decide(session(), asked, STRICT), outside)
    assert (step.outcome, step.searched, len(outside.of(Call))) == ("answer", (), 1)


def test_nothing_found_is_told_as_that() -> None:
    step = drive(decide(session(), FOREIGN, STRICT), Searching([answer("White.")]))
    assert (step.outcome, step.verdicts[0].why) == ("abstained", "nothing was found")


def test_without_a_least_worth_or_a_demand_for_evidence_the_model_decides() -> None:
    for rules, task in ((policy(), FOREIGN), (STRICT, replace(FOREIGN, decision="diagnose"))):
        outside = Searching([{"kind": "ask", "reason": "Which pelican?"}], [evidence()])
        assert drive(decide(session(), task, rules), outside).outcome == "asked"


def test_what_a_tool_observed_may_be_answered_from() -> None:
    seen = Observation("check_key", "ok", {"account_id": "A-123"}, {"status": "revoked"}, "toolrun://run.1/1")
    outside = Searching([answer("White.", SOURCE)], [evidence()])
    assert drive(decide(session(), replace(FOREIGN, observations=(seen,)), STRICT), outside).outcome == "answer"


def test_a_model_that_abstains_gives_the_same_kind_of_result() -> None:
    rules = policy(knowledge=KnowledgePolicy(next_step="Ask the keeper of the zoo."))
    outside = Searching([{"kind": "abstain", "reason": "Nothing speaks of pelicans."}], [evidence()])
    result: RunResult = drive(run(session(), FOREIGN, rules), outside)
    assert (result.outcome, result.answer) == ("abstained", "Nothing speaks of pelicans.")
    assert (result.searched, result.next_steps) == ((SEARCHED,), ("Ask the keeper of the zoo.",))
