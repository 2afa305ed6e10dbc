"""The manifest of a working set: what goes on record before anything is sent (A1)."""

from ...model.manifest import ContextManifest, WorkingSet
from ...model.policy import Policy
from ...model.request import RequestContext
from ...model.retrieval import Retrieval
from ..plan import Plan
from .fingerprint import fingerprint


def describe(
    ctx: RequestContext, working_set: WorkingSet, plan: Plan, policy: Policy, retrieval: Retrieval | None = None
) -> ContextManifest:
    """The manifest, still without the count of the whole prompt: that is the counter's, and comes with the record."""
    return ContextManifest(
        request_id=working_set.request_id,
        tenant_id=ctx.tenant_id,
        items=working_set.items,
        left_out=working_set.left_out,
        packing=working_set.packing,
        decision=working_set.decision,
        weights=plan.kind.weights,
        budget=plan.budget,
        policy=fingerprint(policy),
        model=policy.model.name,
        dialect=policy.model.dialect,
        proposal_channel=policy.model.channel,
        position=policy.assembly.position,
        notes=working_set.notes,
        offered=working_set.offered,
        narrowing=plan.block.why,
        retrieval=retrieval,
    )
