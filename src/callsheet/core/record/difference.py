"""What differs between two requests, and the first byte at which a cached prefix breaks, with its cause (G2)."""

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from ...model.item import ContextItem
from ...model.manifest import ContextManifest
from ...model.message import Report
from ...model.task import Value
from ...model.wire import Wire


def difference(first: tuple[ContextManifest, Wire], second: tuple[ContextManifest, Wire]) -> Mapping[str, Any]:
    """Items added, removed and moved from the first request to the second, and where their bytes part ways."""
    before, after = ([item.item_id for item in manifest.items] for manifest, _ in (first, second))
    common_before = [item for item in before if item in after]
    common_after = [item for item in after if item in before]
    return {
        "added": [item for item in after if item not in before],
        "removed": [item for item in before if item not in after],
        "moved": [one for one, other in zip(common_after, common_before, strict=False) if one != other],
        "first_difference": first_difference(first, second),
    }


def first_difference(
    first: tuple[ContextManifest, Wire], second: tuple[ContextManifest, Wire]
) -> Mapping[str, Any] | None:
    """The first byte that differs, the item it belongs to in the second request, and the cause; None when equal."""
    (_, wire), (manifest, other) = first, second
    if wire.body == other.body:
        return None
    byte = _first_byte(wire, other)
    owner = other.owner(min(byte, len(other.body) - 1)).item_id
    return {"byte": byte, "item_id": owner, "cause": _cause(first[0], manifest, owner)}


def _first_byte(one: Wire, other: Wire) -> int:
    """Links are compared first: whole equal segments are skipped without looking at their bytes."""
    same = 0
    for a, b in zip(one.links, other.links, strict=False):
        if a != b:
            break
        same += 1
    start = one.spans[same].start if same < len(one.spans) else len(one.body)
    shorter = min(len(one.body), len(other.body))
    return next((at for at in range(start, shorter) if one.body[at] != other.body[at]), shorter)


def _cause(before: ContextManifest, after: ContextManifest, owner: str) -> str:
    """What the first differing byte means: the kind of item that changed, came or went there, or the frame itself."""
    if before.model != after.model:
        return "model-or-parameters-changed"
    held, now = ({item.item_id: item for item in each.items} for each in (before, after))
    pairs = zip_longest([item.item_id for item in before.items], [item.item_id for item in after.items], fillvalue="")
    went, came = next((pair for pair in pairs if pair[0] != pair[1]), ("", ""))
    if went != came and held.keys() == now.keys():
        return "layout-changed"
    item = now.get(owner)
    if item is None or (owner in held and held[owner].text == item.text):
        # The owner only stands where something else came or went.
        item = now.get(came) if came and came not in held else held.get(went)
    return _named(item)


def _named(item: ContextItem | None) -> str:
    if item is None:
        return "model-or-parameters-changed"
    if item.kind == "instruction":
        return "value-changed" if isinstance(item.record, Value) else "instructions-changed"
    named = {"tool": "tools-changed", "task_state": "state-changed", "event": "notice-added"}
    return named.get(item.kind, f"{item.kind}-changed")


TEXTS = frozenset(("instructions-changed", "value-changed", "state-changed", "example-changed", "notice-added"))
SAID = frozenset(("evidence-changed", "memory-changed", "observation-changed", "conversation-changed"))
PARAMETERS = "model-or-parameters-changed"
ONLY_PARAMETERS = frozenset((PARAMETERS,))
REASONS: Mapping[str, frozenset[str]] = {
    "model_changed": ONLY_PARAMETERS,
    # Without native calls the tools are part of the system text; with them, each kind of reply is a tool of its own.
    "system_changed": TEXTS | {"tools-changed", "layout-changed"},
    "tools_changed": frozenset(("tools-changed", PARAMETERS)),
    # The instruction of the decision kind stands beside the question.
    "messages_changed": SAID | {"instructions-changed", "layout-changed"},
    "input_changed": TEXTS | SAID | {"tools-changed", "layout-changed"},
    "prompt_cache_key_changed": frozenset(("tools-changed", "instructions-changed", "layout-changed", PARAMETERS)),
    "text_format_changed": frozenset(("tools-changed", PARAMETERS)),
    "reasoning_effort_changed": ONLY_PARAMETERS,
    "verbosity_changed": ONLY_PARAMETERS,
    "service_tier_changed": ONLY_PARAMETERS,
}
"""What a provider says kept a prompt out of its cache, and the causes of ours that may stand behind it."""


def agrees(report: Report, difference: Mapping[str, Any] | None) -> bool | None:
    """Whether a provider's reason for a cache miss is borne out by our own `first_difference` of the two requests.

    None where they cannot be compared: no miss, a reason of the provider's own (a comparison it does not have any more,
    a history it compacted), or one that nobody knows.
    """
    causes = REASONS.get(report.reason)
    if report.kind not in ("cache_missed", "cache_miss") or causes is None:
        return None
    return difference is not None and difference["cause"] in causes
