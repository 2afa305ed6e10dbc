"""What differs between two requests, and the first byte at which a cached prefix breaks, with its cause (G2)."""

from collections.abc import Mapping
from typing import Any

from ..model.item import ContextItem
from ..model.manifest import ContextManifest
from ..model.task import Value
from ..model.wire import FRAME, Wire


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
    item = next((each for each in manifest.items if each.item_id == owner), None)
    return {"byte": byte, "item_id": owner, "cause": _cause(first[0], manifest, item, owner)}


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


def _cause(before: ContextManifest, after: ContextManifest, item: ContextItem | None, owner: str) -> str:
    if owner == FRAME or item is None:
        return "model-or-parameters-changed" if before.model != after.model else "layout-changed"
    if item.kind == "tool" or _kinds(before, "tool") != _kinds(after, "tool"):
        return "tools-changed"
    if item.kind == "instruction":
        return "value-changed" if isinstance(item.record, Value) else "instructions-changed"
    return {"task_state": "state-changed", "event": "notice-added"}.get(item.kind, f"{item.kind}-changed")


def _kinds(manifest: ContextManifest, kind: str) -> list[str]:
    return [item.item_id for item in manifest.items if item.kind == kind]
