"""Who may see what: a filter that comes before any score, and is never a score itself (E1, invariant 2)."""

from collections.abc import Iterable

from ..model.item import ContextItem
from ..model.request import SHARED, RequestContext
from ..model.tool import ToolContract


def visible(ctx: RequestContext, item: ContextItem) -> bool:
    """True when tenant, subject and permission scope all let this session see the item."""
    return (
        item.tenant_id in (ctx.tenant_id, SHARED)
        and item.subject_id in (None, ctx.subject_id)
        and ctx.may_see(item.scope)
    )


def in_scope(ctx: RequestContext, items: Iterable[ContextItem]) -> tuple[ContextItem, ...]:
    """The items this session may know of; the others leave no trace, not even a count."""
    return tuple(item for item in items if visible(ctx, item))


def permitted(ctx: RequestContext, contracts: Iterable[ToolContract]) -> tuple[ToolContract, ...]:
    """The tools this actor holds the grants for."""
    return tuple(contract for contract in contracts if ctx.may_see(contract.scope))
