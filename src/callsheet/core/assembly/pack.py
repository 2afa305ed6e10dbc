"""Packing: the most useful items that fit, with a reason for each that stays out (E1)."""

from collections.abc import Iterable, Mapping

from ...model.item import Reason
from ...model.manifest import Candidate, Packing
from ...model.policy import Budget, Weights
from .rank import utility


def pack(
    candidates: Iterable[Candidate],
    tenant_id: str,
    budget: Budget,
    weights: Weights | Mapping[str, float] | None = None,
) -> tuple[list[Candidate], Packing]:
    """The selected candidates in pick order, and the packing that says what was dropped and why (E1).

    Another tenant's candidate is not dropped, it is not seen: it stands in neither list. Items of utility <= 0 never
    enter, however large the window. Greedy by utility, skipping what does not fit; ties go by item_id. ValueError when
    two candidates share an id.
    """
    wanted = weights if isinstance(weights, Weights) else Weights(**(weights or {}))
    own = [item for item in candidates if item.tenant_id == tenant_id]
    worth = {item.item_id: utility(item, wanted) for item in own}
    if len(worth) != len(own):
        raise ValueError("two candidates share an item_id; give each version of a document an id of its own")
    selected: list[Candidate] = []
    dropped: dict[str, Reason] = {}
    used = 0
    for item in sorted(own, key=lambda each: (-worth[each.item_id], each.item_id)):
        if worth[item.item_id] <= 0:
            dropped[item.item_id] = "utility"
        elif used + item.tokens > budget.available:
            dropped[item.item_id] = "budget"
        else:
            selected.append(item)
            used += item.tokens
    picked = tuple(item.item_id for item in selected)
    return selected, Packing(picked, dropped, used, budget.available, worth)
