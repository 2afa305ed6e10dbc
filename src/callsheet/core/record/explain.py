"""Why a byte is in the body, and why an item is in it or is not: look-ups in a recorded manifest (invariant 1)."""

from collections.abc import Mapping
from typing import Any

from ...errors import UnknownName, UsageError
from ...model.item import ContextItem, LeftOut
from ...model.manifest import ContextManifest
from ...model.tool import ToolContract
from ...model.wire import FRAME, Wire


def why_byte(manifest: ContextManifest, wire: Wire, byte: int) -> Mapping[str, Any]:
    """The item that put a byte of the body there, its span, and the reason it is in the set."""
    if not 0 <= byte < len(wire.body):
        raise UsageError(
            f"request {manifest.request_id} has bytes 0 to {len(wire.body) - 1}; {byte} is outside of them"
        )
    span = wire.owner(byte)
    return {
        "request_id": manifest.request_id,
        "item_id": span.item_id,
        "span": {"start": span.start, "end": span.end},
        "reason": why_owner(manifest, span.item_id),
        "text": wire.body[span.start : span.end].decode("utf-8", "replace"),
    }


def why_owner(manifest: ContextManifest, item_id: str) -> str:
    """Why the owner of a byte or a token is in the set."""
    if item_id == FRAME:
        return "frame: keys, roles, punctuation, parameters and delimiters"
    return _present(manifest, _item(manifest, item_id))


def why_item(manifest: ContextManifest, wire: Wire, item_id: str) -> Mapping[str, Any]:
    """Why an item, named by its id or by a source that only it has, is in the set or stayed out, with its numbers.

    UnknownName in the same words for an item that does not exist, one of another tenant and one this actor may not see:
    the manifest knows of none of them.
    """
    item = _named(manifest, item_id)
    if isinstance(item, ContextItem):
        spans = [{"start": span.start, "end": span.end} for span in wire.spans_of(item.item_id)]
        return {
            "request_id": manifest.request_id,
            "item_id": item.item_id,
            "present": True,
            "span": spans[0] if spans else None,
            "spans": spans,
            "reason": _present(manifest, item),
            "text": b"\n".join(wire.body[each["start"] : each["end"]] for each in spans).decode("utf-8", "replace"),
        }
    return {
        "request_id": manifest.request_id,
        "item_id": item.item_id,
        "present": False,
        "span": None,
        "reason": item.reason,
        "utility": item.utility,
        "token_count": item.token_count,
        "budget": manifest.packing.budget if manifest.packing else None,
        "used": manifest.packing.used if manifest.packing else None,
        "detail": item.detail,
    }


def _named(manifest: ContextManifest, name: str) -> ContextItem | LeftOut:
    known: tuple[ContextItem | LeftOut, ...] = (*manifest.items, *manifest.left_out)
    same = {each.item_id: each for each in reversed(known) if name == each.item_id}
    found = same or {each.item_id: each for each in reversed(known) if name == each.source}
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        raise UsageError(
            f"request {manifest.request_id} has {len(found)} items of source {name!r}; name one by its id: "
            f"{', '.join(sorted(found))}"
        )
    raise UnknownName(
        f"request {manifest.request_id} knows of no item {name!r}; `callsheet show {manifest.request_id}` lists what "
        "it knows, and an item that this session may not see reads the same; what the model proposed is no item: "
        f"`callsheet blame {manifest.request_id}` says how it was judged"
    )


def _item(manifest: ContextManifest, item_id: str) -> ContextItem | None:
    return next((each for each in manifest.items if each.item_id == item_id), None)


def _present(manifest: ContextManifest, item: ContextItem | None) -> str:
    if item is not None and item.kind == "tool" and manifest.narrowing:
        contract = item.record
        if isinstance(contract, ToolContract) and contract.name not in manifest.offered:
            return (
                f"defined, but not to be called in decision {manifest.decision!r}: the block of tools is the same for "
                f"every kind ({manifest.narrowing})"
            )
    if item is None or item.required or manifest.packing is None:
        return f"required: decision {manifest.decision!r} is not made without it"
    worth = manifest.packing.utility.get(item.item_id)
    picked = manifest.packing.selected.index(item.item_id) + 1 if item.item_id in manifest.packing.selected else 0
    factors = f"relevance {item.relevance:.3g}, authority {item.authority:.3g}, freshness {item.freshness:.3g}"
    return f"selected: pick {picked} of {len(manifest.packing.selected)}, utility {worth:.3g} ({factors})"
