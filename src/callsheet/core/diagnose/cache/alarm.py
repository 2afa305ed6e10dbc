"""A sudden drop of cached reads, as a finding: a defect, since it is paid for in every such round (G3)."""

import json
from collections.abc import Iterator
from typing import Any

from ....model.diagnosis import CacheBreak, CacheRound, Finding, Quote

DROP, LEAST_DROP = 0.5, 1_024
"""A drop is sudden where the share of cached reads falls by this much, or that many tokens more had to be read anew."""
FIXES = {
    "timestamp": "Move times, ids and counters behind the conversation, or say them in the newest message.",
    "conditional-text": "Let the text stand in every request, or append it where it is needed.",
    "tools-reordered": "Sort the tool definitions before they are written.",
    "tools-changed": "Offer the same tools in every request; narrow them by the choice of tools, not by the list.",
    "status-block-rotated": "Append the new status, and leave the old one where it stands.",
    "system-changed": "Write the system text once and leave it; what varies belongs into the newest message.",
    "message-edited": "Append a correction, and leave the earlier message as it was sent.",
    "messages-removed": "Cut from the end of a summary, seldom and much at once, not a message in each round.",
    "results-cleared": "Clear old results seldom and much at once, when what is freed outweighs the new write.",
    "compacted": "Leave it where the summary saves more than the new beginning costs; else summarise later.",
    "cut-back": "Leave it where a person went back: the shorter beginning is read again from then on.",
    "new-conversation": "Give conversations that begin alike the same system text and tools.",
    "parameters-changed": "Keep the settings of one conversation, those of thinking and of tools as well.",
    "other-endpoint": "Keep one address through a conversation: caches are not shared between them.",
    "model-changed": "Keep one model through a conversation, or count the first prompt of the other as new.",
    "provider": "Name a cache key where the provider takes one; on this side the same beginning was sent.",
    "unknown": "Keep the requests themselves on record: this file does not show what changed.",
    "expired": "Ask for the longer lifetime where people take long, or accept the new write.",
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
        fix=FIXES[broken.cause],
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
