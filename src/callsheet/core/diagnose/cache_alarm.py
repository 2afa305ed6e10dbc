"""A sudden drop of cached reads, as a finding: a defect, since it is paid for in every such round (G3)."""

import json
from collections.abc import Iterator
from typing import Any

from ...model.diagnosis import CacheBreak, CacheRound, Finding, Quote

DROP, LEAST_DROP = 0.5, 1_024
"""A drop is sudden where the share of cached reads falls by this much, or that many tokens more had to be read anew."""
FIXES = {
    "timestamp": "move times, ids and counters behind the conversation, or say them in the newest message",
    "conditional-text": "let the text stand in every request, or append it where it is needed",
    "tools-reordered": "sort the tool definitions before they are written",
    "tools-changed": "offer the same tools in every request; narrow them by the choice of tools, not by the list",
    "status-block-rotated": "append the new status, and leave the old one where it stands",
    "messages-removed": "cut from the end of a summary, seldom and much at once, not a message in each round",
    "model-changed": "keep one model through a conversation, or count the first prompt of the other as new",
    "expired": "ask for the longer lifetime where people take long, or accept the new write",
}


def alarm(before: CacheRound, now: CacheRound, broken: CacheBreak) -> Iterator[Finding]:
    """A finding where the share of cached reads fell suddenly (G3)."""
    fell = (before.share or 0.0) - (now.share or 0.0)
    if now.share is None or (fell < DROP and broken.lost < LEAST_DROP):
        return
    item = f" at {broken.item}" if broken.item else ""
    yield Finding(
        pattern="cache",
        turn=now.turn,
        evidence=tuple(_figures(each) for each in (before, now)),
        fix=FIXES.get(broken.cause, "keep the beginning of the request as it was, and append to it"),
        disproof="the next request of the same beginning reads as little, so nothing had been cached",
        missing="policy",
        title=f"cached reads fell from {before.usage.cached_read:,} to {now.usage.cached_read:,} tokens{item}",
        rule=f"cache-drop:{broken.cause}",
        items=(f"round {now.round}", *((broken.item,) if broken.item else ())),
        thread=now.thread,
    )


def _figures(each: CacheRound) -> Quote:
    """What the provider reported, as it did."""
    figures: Any = each.usage.raw or {"cached_read": each.usage.cached_read, "prompt": each.usage.prompt}
    return Quote(each.record, json.dumps(figures), "usage")
