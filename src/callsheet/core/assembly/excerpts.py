"""Evidence that does not fit whole and is quoted in part instead of being left out (E1, B5)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...model.evidence import Evidence
from ...model.item import ContextItem
from ...model.manifest import Packing


def is_excerpt(item: ContextItem) -> bool:
    """True for an item that quotes parts of a section, and stands beside one that quotes it whole."""
    return isinstance(item.record, Evidence) and bool(item.record.quoted)


def with_excerpts(
    chosen: Sequence[ContextItem], packing: Packing, excerpts: Mapping[str, ContextItem]
) -> tuple[tuple[ContextItem, ...], Packing]:
    """What was chosen and packed, with the excerpts that still fit in the place of items left out for the budget.

    The most useful first; the order stays that of utility.
    """
    if not excerpts:
        return tuple(chosen), packing
    used, dropped = packing.used, dict(packing.dropped)
    picked = {item.item_id: item for item in chosen}
    for item_id in sorted(excerpts, key=lambda each: (-packing.utility.get(each, 0.0), each)):
        excerpt = excerpts[item_id]
        if dropped.get(item_id) == "budget" and used + excerpt.token_count <= packing.budget:
            del dropped[item_id]
            picked[item_id] = excerpt
            used += excerpt.token_count
    order = sorted(picked, key=lambda each: (-packing.utility[each], each))
    return tuple(picked[each] for each in order), replace(packing, selected=tuple(order), dropped=dropped, used=used)
