"""Gathered items to a working set: scope, admissibility, utility, budget, a reason for all that stays out (A3, E1)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from types import MappingProxyType

from ...errors import InputTooLarge
from ...model.effect import Found, Outage
from ...model.evidence import Evidence
from ...model.item import ContextItem, ItemKind, LeftOut, Reason
from ...model.manifest import Packing, WorkingSet
from ...model.memory import MemoryRecord
from ...model.policy import Policy
from ...model.request import SHARED, RequestContext
from ...model.task import Task
from ..memory.loading import Refused, load, standing
from ..paging import paged
from ..plan import Plan
from ..scope import in_scope
from ..sources.examples import choose
from ..tools.finding import in_order
from .arrange import arrange
from .excerpts import is_excerpt, with_excerpts
from .pack import pack
from .rank import candidate, repeats, utility


@dataclass(frozen=True, slots=True)
class Pool:
    """Items on their way into a working set, and those that fell out with their reasons."""

    items: tuple[ContextItem, ...]
    left_out: tuple[LeftOut, ...] = ()

    def without(
        self, reasons: Iterable[tuple[ContextItem, Reason, str]], worth: Mapping[str, float] = MappingProxyType({})
    ) -> "Pool":
        """The pool after some items fell out, each with its reason and, where it was weighed, its worth."""
        fallen = {
            id(item): LeftOut(
                item.item_id, item.kind, item.source, reason, worth.get(item.item_id), item.token_count, detail
            )
            for item, reason, detail in reasons
        }
        if not fallen:
            return self
        kept = tuple(item for item in self.items if id(item) not in fallen)
        return Pool(kept, (*self.left_out, *fallen.values()))


def assemble(
    ctx: RequestContext, task: Task, policy: Policy, plan: Plan, found: Sequence[Found | Outage]
) -> WorkingSet:
    """The working set of one decision. InputTooLarge when the items no decision goes without exceed the budget."""
    visible = in_scope(ctx, (item for each in found if isinstance(each, Found) for item in each.items))
    excerpts = {item.item_id: item for item in visible if is_excerpt(item)}
    gathered = tuple(item for item in visible if not is_excerpt(item)) if excerpts else visible
    examples, other_examples = choose(policy.project, plan.kind, task.question)
    fixed_items = _fixed(ctx, policy, plan, gathered)
    optional = Pool((*examples, *(item for item in gathered if not item.required)), other_examples)
    optional = _unrepeated(optional, fixed_items)
    required = (*fixed_items, *(item for item in gathered if item.required))
    admitted = _limited(_unshadowed(_admissible(_remembered(optional, ctx, plan, task.run_id), ctx)), policy, plan)
    decision = policy.project.kind_instructions[plan.kind.name]
    # Laid out without anything optional first: what a position writes twice is paid twice.
    fixed = tuple(chain(*arrange(required, (), policy.assembly, decision)))
    admissible = {item.item_id: excerpts[item.item_id] for item in admitted.items if item.item_id in excerpts}
    chosen, packing = with_excerpts(*_packed(admitted, fixed, ctx, plan), admissible)
    prefix, context, material = arrange(required, chosen, policy.assembly, decision)
    overdue = {item.item_id for item in gathered if _overdue(item, ctx)}
    left_out = (*admitted.left_out, *_dropped(admitted.items, packing), *_barred(policy, plan))
    return WorkingSet(
        request_id=task.request_id,
        decision=plan.kind.name,
        prefix=prefix,
        context=context,
        material=material,
        left_out=tuple(_also_overdue(each) if each.item_id in overdue else each for each in left_out),
        packing=packing,
        offered=tuple(each.name for each in plan.offered),
        notes=(*(note for each in found for note in _notes(each)), *paged(task)),
        searched=tuple(dict.fromkeys(one for each in found if isinstance(each, Found) for one in each.searched)),
    )


def _overdue(item: ContextItem, ctx: RequestContext) -> bool:
    return isinstance(item.record, Evidence) and ctx.now is not None and item.record.overdue(ctx.now)


def _also_overdue(left: LeftOut) -> LeftOut:
    return replace(left, detail="; ".join(filter(None, (left.detail, "its review is overdue"))))


def _notes(found: Found | Outage) -> tuple[str, ...]:
    return found.notes if isinstance(found, Found) else (f"{found.source} could not answer: {found.reason}",)


def _fixed(ctx: RequestContext, policy: Policy, plan: Plan, gathered: Sequence[ContextItem]) -> tuple[ContextItem, ...]:
    """Instructions, skills by name, what is preloaded, and tools.

    A tenant's own text of a preloaded id stands for it, as elsewhere.
    """
    defined = {f"tool/{each.name}" for each in plan.block.tools}
    own = {item.item_id for item in gathered if item.tenant_id != SHARED}
    preloaded = (
        item for item in policy.project.preloaded if item.item_id not in own and _objection(item, ctx)[0] is None
    )
    tools = in_order((item for item in policy.project.tools if item.item_id in defined), plan.brought)
    skills = (item for skill, item in policy.project.skills if skill in plan.skills)
    return (*policy.project.instructions, *skills, *preloaded, *tools)


def _unrepeated(pool: Pool, fixed: Sequence[ContextItem]) -> Pool:
    """Without what a search found and the prefix holds already."""
    standing = {item.item_id for item in fixed}
    return pool.without((item, "redundant", "it is preloaded") for item in pool.items if item.item_id in standing)


def _remembered(pool: Pool, ctx: RequestContext, plan: Plan, run_id: str) -> Pool:
    """Without the memories that a check refuses; of those of another tenant, subject or scope there is no trace."""
    assert ctx.now is not None, "the host sets the clock before a decision"
    records = [item.record for item in pool.items if isinstance(item.record, MemoryRecord)]
    found = load(records, ctx.subject_id, ctx.tenant_id, plan.kind.purpose, ctx.now, ctx.grants, run_id)
    refused: dict[int, Refused] = {id(each.record): each for each in found.refused}
    known = {*refused, *(id(each) for each in (*found.facts, *found.hypotheses, *found.quotes))}
    items = tuple(item for item in pool.items if not isinstance(item.record, MemoryRecord) or id(item.record) in known)
    return Pool(items, pool.left_out).without(
        (item, refused[id(item.record)].reason, refused[id(item.record)].detail)
        for item in items
        if id(item.record) in refused
    )


def _admissible(pool: Pool, ctx: RequestContext) -> Pool:
    """What of the evidence may be used at all, before any score: by its version and date."""
    return pool.without(
        (item, reason, detail)
        for item in pool.items
        for reason, detail in [_objection(item, ctx)]
        if reason is not None
    )


def _objection(item: ContextItem, ctx: RequestContext) -> tuple[Reason | None, str]:
    assert ctx.now is not None, "the host sets the clock before a decision"
    record = item.record
    if isinstance(record, Evidence):
        if record.superseded:
            return "superseded", f"{record.version} is not the version in force"
        if record.effective is not None and record.effective > ctx.now:
            return "superseded", f"in force only from {record.effective.date().isoformat()}"
    return None, ""


def _unshadowed(pool: Pool) -> Pool:
    """Without shared items that one of the tenant's own stands for: a tenant may keep its own text of a shared id."""
    own = {item.item_id for item in pool.items if item.tenant_id != SHARED}
    return pool.without(
        (item, "redundant", "the tenant's own item of this id stands for it")
        for item in pool.items
        if item.tenant_id == SHARED and item.item_id in own
    )


def _limited(pool: Pool, policy: Policy, plan: Plan) -> Pool:
    """At most so many of a kind, the best by utility, none that repeats a better one; each other with its reason."""
    limits: dict[ItemKind, int] = {"evidence": policy.assembly.max_evidence, "memory": policy.assembly.max_memories}
    floors: dict[ItemKind, float] = {
        "evidence": policy.assembly.evidence_floor,
        "memory": policy.assembly.memory_floor,
    }
    worth = {item.item_id: utility(item, plan.kind.weights) for item in pool.items}
    fallen: list[tuple[ContextItem, Reason, str]] = []
    for kind, limit in limits.items():
        wanted = [item for item in pool.items if item.kind == kind and worth[item.item_id] > 0]
        measured = {item.item_id: level for item in wanted if (level := _level(item, worth)) is not None}
        floor = max(measured.values(), default=0.0) * floors[kind]
        ranked = sorted(wanted, key=lambda each: (-worth[each.item_id], each.item_id))
        again = repeats(ranked, policy.assembly.redundancy_threshold, limit)
        kept = 0
        for item in ranked:
            if measured.get(item.item_id, floor) < floor:
                fallen.append((item, "utility", f"below {floor:.3g}, the floor beside the best"))
            elif kept == limit:
                fallen.append((item, "budget", f"beyond the {limit} best"))
            elif item.item_id in again:
                fallen.append((item, "redundant", f"says what {again[item.item_id]} says"))
            else:
                kept += 1
    return pool.without(fallen, worth)


def _level(item: ContextItem, worth: Mapping[str, float]) -> float | None:
    """What an item is measured by beside the best of its kind; None for a memory that bears on every question.

    A memory by its relevance alone: a guess is not held against the authority of a fact.
    """
    if isinstance(item.record, MemoryRecord):
        return None if standing(item.record) else item.relevance
    return worth[item.item_id]


def _packed(
    pool: Pool, required: Sequence[ContextItem], ctx: RequestContext, plan: Plan
) -> tuple[tuple[ContextItem, ...], Packing]:
    spent = sum(item.token_count for item in required)
    if spent > plan.budget.available:
        largest = max(required, key=lambda item: item.token_count)
        raise InputTooLarge(
            f"decision {plan.kind.name!r} needs {spent} tokens before any evidence, but its budget is "
            f"{plan.budget.available}; the largest item is {largest.item_id!r} ({largest.token_count} tokens): "
            "shorten it, or raise the window in callsheet.toml"
        )
    budget = replace(plan.budget, overhead=plan.budget.overhead + spent)
    candidates = [candidate(item, ctx.tenant_id) for item in pool.items]
    picked, packing = pack(candidates, ctx.tenant_id, budget, plan.kind.weights)
    by_id = {item.item_id: item for item in pool.items}
    return tuple(by_id[each.item_id] for each in picked), packing


def _dropped(items: Sequence[ContextItem], packing: Packing) -> Iterable[LeftOut]:
    for item in items:
        if reason := packing.dropped.get(item.item_id):
            yield LeftOut(
                item.item_id, item.kind, item.source, reason, packing.utility[item.item_id], item.token_count
            )  # fmt: skip


def _barred(policy: Policy, plan: Plan) -> Iterable[LeftOut]:
    """Tools this actor may use elsewhere, not defined in this request; those it may never use are named nowhere."""
    barred = {f"tool/{each.name}" for each in plan.barred if each not in plan.block.tools}
    searched = {f"tool/{each.name}" for each in plan.findable}
    for item in policy.project.tools:
        if item.item_id in barred:
            detail = f"not in the allowlist of {plan.kind.name}"
            if item.item_id in searched:
                detail = "kept out until a search finds it"
            yield LeftOut(item.item_id, "tool", item.source, "not-allowed", None, item.token_count, detail)
