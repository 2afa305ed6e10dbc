"""A person's consent to a tool call that waits: who may give it, and what they are shown (I1)."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from ..edges.stores import TenantStore
from ..errors import UnknownName
from ..model.grants import APPROVE
from ..model.request import RequestContext


def filed(stores: TenantStore, ctx: RequestContext) -> Iterator[Mapping[str, Any]]:
    """The calls this session may decide on, waiting and decided, oldest first, each with the question it came from.

    A session decides on calls for its own subject; the grant `approve` opens every call of the tenant.
    """
    for each in stores.approvals.filed():
        request = stores.records.request(each["request_id"])
        if request.ctx.subject_id == ctx.subject_id or APPROVE in ctx.grants:
            yield {**each, "asked": request.task.question}


def decided(
    stores: TenantStore, approval_id: str, ctx: RequestContext, granted: bool, now: datetime
) -> Mapping[str, Any]:
    """What was decided on one call, by the session's actor. UnknownName for whatever is not its own."""
    found = next((each for each in filed(stores, ctx) if each["approval_id"] == approval_id), None)
    if found is None:
        raise UnknownName(f"nothing waits under approval {approval_id!r}; `callsheet run` prints the ids that do")
    return {**stores.approvals.decide(approval_id, granted, ctx.actor, now), "asked": found["asked"]}
