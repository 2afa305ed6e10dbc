"""From a task to what its next decision needs: kind, tools, budget, and one query per source (A3)."""

import re
from dataclasses import dataclass

from ..errors import UnknownName, UsageError
from ..model.evidence import Query
from ..model.item import ContextItem
from ..model.knowledge_policy import KnowledgePolicy
from ..model.policy import Budget, DecisionKind, Policy
from ..model.request import RequestContext
from ..model.retrieval import Routing
from ..model.skill import Skill
from ..model.task import Task
from ..model.tool import ToolContract
from .code import callable_in_code
from .narrowing import ToolBlock, narrow
from .paging import PAGE_IN, window_items
from .retrieval.planning import PLANNER, wants_plan
from .retrieval.route import routed
from .scope import permitted
from .skills.tools import LOAD
from .sources.conversation import question_item
from .sources.events import approval_item, refusal_item
from .sources.skills import loaded_items
from .tools.finding import brought_in, findable, found


@dataclass(frozen=True, slots=True)
class Plan:
    """What one decision needs. `barred` are tools this actor may use, but not in this decision.

    `block` says which tools the request defines; `offered` are those that may be called. `skills` are those it may
    load, `in_code` the tools that its code may call. `findable` are the tools that a search is put to, `brought` those
    of them that earlier ones brought in. `route` is how it comes by evidence, within the limits of
    `knowledge`, and `parts` are what somebody planned to search for.
    """

    kind: DecisionKind
    budget: Budget
    offered: tuple[ToolContract, ...]
    barred: tuple[ToolContract, ...]
    queries: tuple[Query, ...]
    drafts: tuple[ContextItem, ...]
    block: ToolBlock
    route: Routing
    knowledge: KnowledgePolicy = KnowledgePolicy()
    parts: tuple[str, ...] = ()
    skills: tuple[Skill, ...] = ()
    in_code: tuple[ToolContract, ...] = ()
    findable: tuple[ToolContract, ...] = ()
    brought: tuple[ToolContract, ...] = ()


def plan(ctx: RequestContext, task: Task, policy: Policy) -> Plan:
    """The plan of one decision. UnknownName for a decision kind that this actor does not have.

    Where the model is to choose the route, and was not asked yet, the decision is to ask it.
    """
    kind = _kind(ctx, task, policy)
    if wants_plan(task, kind, policy):
        kind = policy.project.decisions[PLANNER.name]
    skills = tuple(skill for skill, _ in policy.project.skills if ctx.may_see(skill.scope))
    contracts = permitted(ctx, policy.project.contracts().values())
    budget, searched = _budget(kind, policy), findable(kind, contracts)
    brought = brought_in(found(task.observations), searched, policy.project.tools, budget.available)
    callable_ = (*(each for each in contracts if each.name in kind.allowlist), *brought)
    route = routed(task.question, kind, policy.knowledge, task.search_plan)
    return Plan(
        kind=kind,
        budget=budget,
        offered=callable_,
        barred=tuple(each for each in contracts if each not in callable_),
        queries=_queries(ctx, task, kind, policy, route),
        drafts=(
            question_item(task, ctx),
            *loaded_items(skills, task.observations),
            *window_items(task, ctx, PAGE_IN in kind.allowlist, policy.project.contracts()),
            *(approval_item(each, number, ctx) for number, each in enumerate(task.approved, 1)),
            *(refusal_item(each, number, ctx) for number, each in enumerate(task.refusals, 1)),
        ),
        block=narrow(ctx, kind, contracts, policy, brought),
        route=route,
        knowledge=policy.knowledge,
        parts=task.search_plan.queries if task.search_plan is not None else (),
        skills=skills if LOAD in kind.allowlist else (),
        in_code=callable_in_code(kind, contracts),
        findable=searched,
        brought=brought,
    )


def _kind(ctx: RequestContext, task: Task, policy: Policy) -> DecisionKind:
    kinds = policy.project.decisions
    if task.decision is not None:
        kind = kinds.get(task.decision)
        if kind is None or not ctx.may_see(kind.scope):
            known = ", ".join(sorted(name for name, each in kinds.items() if ctx.may_see(each.scope)))
            raise UnknownName(f"no decision kind {task.decision!r}; callsheet.toml defines: {known}")
        return kind
    asked = _words(task.question)
    for kind in kinds.values():
        if ctx.may_see(kind.scope) and any(_words(trigger) in asked for trigger in kind.triggers):
            return kind
    entry = kinds[policy.project.entry]
    if not ctx.may_see(entry.scope):
        raise UnknownName("no decision kind takes this question; callsheet.toml gives its entry kind a scope")
    return entry


def _words(text: str) -> str:
    """The text's words with a blank around each, so that a trigger of several words is found whole."""
    words = " ".join(re.findall(r"\w+", text.casefold()))
    return f" {words} "


def _budget(kind: DecisionKind, policy: Policy) -> Budget:
    """The kind's budget inside the model's real window; a kind may narrow the window, never widen it."""
    own = kind.budget or Budget(0, policy.model.max_output)
    window = min(own.window or policy.model.window, policy.model.window)
    budget = Budget(window, min(own.max_output, policy.model.max_output), own.overhead)
    if budget.available == 0:
        raise UsageError(
            f"decision {kind.name!r} leaves no room for input: window {window} - max_output {budget.max_output} "
            f"- overhead {budget.overhead}; lower them in callsheet.toml or choose a model with a larger window"
        )
    return budget


def _queries(ctx: RequestContext, task: Task, kind: DecisionKind, policy: Policy, route: Routing) -> tuple[Query, ...]:
    if "queries" in kind.proposals:
        return ()  # made from the question alone; notices wait for the decision that it is made for
    # What the tools observed sharpens what is searched for; a value in it can only rank, never permit.
    observed = " ".join(str(value) for each in task.observations for value in each.result.values())

    def query(source: str, text: str = "", limit: int = policy.assembly.candidates) -> Query:
        return Query(source, ctx.tenant_id, ctx.subject_id, ctx.grants, text, kind.purpose, limit, ctx.now)  # type: ignore[arg-type]

    sought = f"{task.question} {observed}".strip()
    knowledge = () if route.name == "none" else (query("knowledge", sought),)
    return (
        query("values"),
        query("state"),
        query("events"),
        query("approvals", task.run_id),
        query("memory", sought),
        *knowledge,
    )
