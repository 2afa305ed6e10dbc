"""Why a byte is in the body, and why an item is in it or is not: look-ups in a recorded manifest (invariant 1)."""

from collections.abc import Mapping
from typing import Any

from ..errors import UnknownName, UsageError
from ..model.item import ContextItem
from ..model.manifest import ContextManifest
from ..model.wire import FRAME, Wire


def why_byte(manifest: ContextManifest, wire: Wire, byte: int) -> Mapping[str, Any]:
    """The item that put a byte of the body there, its span, and the reason it is in the set."""
    if not 0 <= byte < len(wire.body):
        raise UsageError(
            f"request {manifest.request_id} has bytes 0 to {len(wire.body) - 1}; {byte} is outside of them"
        )
    span = wire.owner(byte)
    reason = "frame: keys, roles, punctuation, parameters and delimiters" if span.item_id == FRAME else ""
    return {
        "request_id": manifest.request_id,
        "item_id": span.item_id,
        "span": {"start": span.start, "end": span.end},
        "reason": reason or _present(manifest, _item(manifest, span.item_id)),
        "text": wire.body[span.start : span.end].decode("utf-8", "replace"),
    }


def why_item(manifest: ContextManifest, wire: Wire, item_id: str) -> Mapping[str, Any]:
    """Why an item is in the set, or why it stayed out, with its numbers.

    UnknownName in the same words for an item that does not exist, one of another tenant and one this actor may not see:
    the manifest knows of none of them.
    """
    item = next((each for each in manifest.items if item_id in (each.item_id, each.source)), None)
    if item is not None:
        spans = [{"start": span.start, "end": span.end} for span in wire.spans_of(item.item_id)]
        return {
            "request_id": manifest.request_id,
            "item_id": item.item_id,
            "present": True,
            "span": spans[0] if spans else None,
            "spans": spans,
            "reason": _present(manifest, item),
        }
    left = next((each for each in manifest.left_out if item_id in (each.item_id, each.source)), None)
    if left is None:
        raise UnknownName(f"request {manifest.request_id} knows of no item {item_id!r}")
    return {
        "request_id": manifest.request_id,
        "item_id": left.item_id,
        "present": False,
        "span": None,
        "reason": left.reason,
        "utility": left.utility,
        "token_count": left.token_count,
        "budget": manifest.packing.budget if manifest.packing else None,
        "used": manifest.packing.used if manifest.packing else None,
        "detail": left.detail,
    }


def _item(manifest: ContextManifest, item_id: str) -> ContextItem | None:
    return next((each for each in manifest.items if each.item_id == item_id), None)


def _present(manifest: ContextManifest, item: ContextItem | None) -> str:
    if item is None or item.required or manifest.packing is None:
        return f"required: decision {manifest.decision!r} is not made without it"
    worth = manifest.packing.utility.get(item.item_id)
    picked = manifest.packing.selected.index(item.item_id) + 1 if item.item_id in manifest.packing.selected else 0
    factors = f"relevance {item.relevance:.3g}, authority {item.authority:.3g}, freshness {item.freshness:.3g}"
    return f"selected: pick {picked} of {len(manifest.packing.selected)}, utility {worth:.3g} ({factors})"
