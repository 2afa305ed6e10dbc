"""A run: decisions until an outcome or a ceiling (A4: each decision gets its own set)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..model.effect import CallRecord, Flow, RunResult, Step
from ..model.message import Usage
from ..model.policy import Policy
from ..model.request import RequestContext
from ..model.task import Task
from ..model.tool import Observation
from ..model.verdict import Verdict
from .decide import decide
from .prices import cost
from .retrieval.planning import PLANNER, made_plan

FINAL = frozenset(("answer", "asked", "escalated", "abstained", "unknown", "unfinished"))
BROKEN = frozenset(("failed", "unknown", "fallback"))
FALLBACK = "The model gave no answer that may be shown; this is what stands on record."
UNKNOWN = "Nobody can say yet whether a step was carried out, and it is not tried again; resume this run later."
HAND_OVER = "A person has to take this over: a step did not work, and nothing was tried behind your back."


def run(ctx: RequestContext, task: Task, policy: Policy, steps: Sequence[Step] = ()) -> Flow[RunResult]:
    """The result of a run that goes on from `task`, after the steps it already made."""
    made = list(steps)
    while (reached := _ceiling(made, policy)) is None:
        step = yield from decide(ctx, task, policy)
        made.append(step)
        following = next_task(task, step, policy, made)
        if following is None:
            return result(task.run_id, made)
        task = following
    return result(task.run_id, made, reached)


def next_task(task: Task, step: Step, policy: Policy, steps: Sequence[Step], resumed: bool = False) -> Task | None:
    """The task of the next decision, or None where the run ends with this step.

    After observations comes the kind's `then`. After a refusal the same kind once more, told why, and after
    `ceilings.refused_decisions` such refusals its `then`, so that a model that insists on a refused call still gets to
    answer from evidence. A kind that works on the scope list goes on while items are open, and ends after so many in a
    row that came to nothing. After a plan of searches, whatever became of it, comes the decision that it was made for.
    `resumed` goes on after a step that waited for a person or was cut off.
    """
    if step.decision == PLANNER.name:
        made = made_plan(task, step, policy.project.decisions[PLANNER.name])
        decision = None if task.decision == PLANNER.name else task.decision
        return replace(task, number=task.number + 1, decision=decision, search_plan=made)
    learned = replace(
        task,
        number=task.number + 1,
        decision=step.decision,
        observations=(*task.observations, *_observations(step)),
        refusals=_told(step.verdicts),
        approved=(),
        previous_response=step.response_id,
    )
    if step.outcome in FINAL:
        return learned if resumed and step.outcome not in ("answer", "escalated", "abstained") else None
    if any(each.rule == "model-refused" for each in step.verdicts):
        return None  # the same words would be declined again
    then = policy.project.decisions[step.decision].then
    if step.left:
        return None if _in_vain(steps[-policy.ceilings.refused_decisions - 1 :], policy) else learned
    refused = sum(each.outcome == "refused" and each.decision == step.decision for each in steps)
    if step.outcome == "observed" or refused > policy.ceilings.refused_decisions:
        return replace(learned, decision=then) if then is not None else None
    return learned


def _in_vain(last: Sequence[Step], policy: Policy) -> bool:
    """Whether more decisions in a row than may be refused came to nothing: no call of them gave a result."""
    came = (any(call.observation.status == "ok" for call in each.calls) for each in last)
    return len(last) > policy.ceilings.refused_decisions and not any(came)


def _told(verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """The refusals the model is told of: each rule once, however many calls it refused."""
    return tuple({each.rule: each for each in verdicts if each.outcome == "refuse"}.values())


def _observations(step: Step) -> Iterator[Observation]:
    return (each.observation for each in step.calls if _is_told(each))


def _is_told(record: CallRecord) -> bool:
    """What code was told stays with the code: the model is told what that printed (D8)."""
    return record.within is None and record.observation.status not in ("refused", "asked")


def _ceiling(steps: Sequence[Step], policy: Policy) -> Verdict | None:
    limits = policy.ceilings
    spent = _usage(steps)
    if len(steps) >= limits.decisions:
        return Verdict("refuse", "ceiling-reached", f"{len(steps)} decisions; the limit is {limits.decisions}")
    tokens = spent.input + spent.cached_read + spent.cache_write + spent.output
    if tokens >= limits.tokens:
        return Verdict("refuse", "ceiling-reached", f"{tokens} tokens; the limit is {limits.tokens}")
    if (
        limits.cost
        and policy.model.prices is not None
        and (spending := cost(spent, policy.model.prices)) >= limits.cost
    ):
        currency = policy.model.prices.currency
        why = f"{spending:.4g} {currency}; the limit is {limits.cost:g}"
        return Verdict("refuse", "ceiling-reached", why)
    return None


def result(run_id: str, steps: Sequence[Step], reached: Verdict | None = None) -> RunResult:
    """The run's result: the last step's words, the outcome, and `partial` where something on the way did not work."""
    last = steps[-1] if steps else Step("", "", "unfinished")
    outcome = "unfinished" if reached is not None or last.outcome == "observed" else last.outcome
    broken = [each for step in steps for each in step.calls if each.observation.status in BROKEN]
    answer, next_steps = last.answer, last.next_steps
    if outcome == "refused" and last.fallback:
        outcome, answer = "partial", f"{FALLBACK} {last.fallback}"
    if outcome == "answer" and broken:
        outcome = "partial"
    if outcome == "partial":
        next_steps = (*next_steps, HAND_OVER)
    if outcome == "unknown" and any(each.observation.status == "unknown" for each in last.calls):
        next_steps = (*next_steps, UNKNOWN)
    refusal = next((each for each in reversed(last.verdicts) if each.outcome != "allow"), None)
    why = reached or (refusal if outcome != "answer" else None)
    return RunResult(
        run_id=run_id,
        outcome=outcome,
        answer=answer,
        sources=last.sources,
        next_steps=next_steps,
        steps=tuple(steps),
        usage=_usage(steps),
        why=f"{why.rule}: {why.why}" if why is not None else "",
        claims=last.claims,
        searched=last.searched,
    )


def _usage(steps: Sequence[Step]) -> Usage:
    total = Usage()
    for step in steps:
        total = total.plus(step.usage) if step.usage is not None else total
    return total
