"""A plan of searches made by the model: the decision it is made in, and what of it is of use (B5, B7).

Where the route is the model's, a run begins with one short decision of a kind of its own. Its reply is a list of
queries: none where nothing has to be looked up, the parts of an iterative search otherwise. A plan can only rank: it
sees nothing that the session may not, and a poor one is taken for what it is, so that the rule decides.
"""

from ...model.effect import Step
from ...model.policy import Budget, DecisionKind, Policy
from ...model.retrieval import SearchPlan
from ...model.task import Task
from .language import language
from .needs import telling
from .terms import stem

PLANNER = DecisionKind(
    name="plan-search",
    purpose="search",
    proposals=("queries",),
    budget=Budget(0, 160),
    instruction=(
        "Do not answer. Write search keywords for what this person needs, two to four words each, each about another "
        'topic, as "queries"; none where nothing has to be looked up.'
    ),
)
"""The decision kind that makes plans; a project may describe its own under the same name."""
SAME = 0.8
"""The share of words, of all that stand in either, from which a query only says the question again."""


def wants_plan(task: Task, kind: DecisionKind, policy: Policy) -> bool:
    """True where the model is to choose the route of a decision, and nobody has asked it yet."""
    return task.search_plan is None and (kind.route or policy.knowledge.route) == "model"


def made_plan(task: Task, step: Step, kind: DecisionKind) -> SearchPlan:
    """What a planning decision came to: the queries that are of use, or the reason why there is no plan.

    Of no use is a query that says nothing, another one, or the instruction again. Where all that is left is the
    question itself, one search is the plan.
    """
    if step.proposal is None or step.proposal.kind != "queries":
        why = "; ".join(each.why for each in step.verdicts) or f"it came to {step.outcome}"
        return SearchPlan(step.request_id, failed=why)
    spoken = language(task.question)
    question, told = _sense(task.question, spoken), _sense(kind.instruction, spoken)
    kept: dict[frozenset[str], str] = {}
    repeated = False
    for query in step.proposal.queries:
        sense = _sense(query, spoken)
        again = bool(sense) and len(sense & question) >= SAME * len(sense | question)
        repeated |= again
        if not again and sense - (told - question):
            kept.setdefault(sense, query)
    if step.proposal.queries and not kept and not repeated:
        return SearchPlan(step.request_id, failed="its queries say nothing of the question")
    return SearchPlan(step.request_id, tuple(kept.values()), asks=repeated or bool(kept))


def _sense(text: str, spoken: str) -> frozenset[str]:
    return frozenset(stem(word, spoken) for word in telling(text))
