"""What each step of a policy guarantees, what it does to bound thinking, and what it costs: one row per step."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ...model.history_policy import Clear, Compact, Deduplicate, Notes, Pin, Scope, Slide

Sealed = Literal["safe", "by-policy"]
"""What a step does to bound thinking: nothing, or what the policy's `thinking` says (strip, drop, or do nothing)."""


@dataclass(frozen=True, slots=True)
class Guarantee:
    """What a step never loses (`keeps`), whether bound thinking is safe with it, and what it costs."""

    keeps: str
    thinking: Sealed
    cost: str


GUARANTEES: Mapping[type[Any], Guarantee] = {
    Clear: Guarantee(
        "every call, results not seen yet, the only evidence of a failure; the rest can be read again in this request",
        "by-policy",
        "one cache write behind the first cleared result, each time it acts; a re-read where one is needed",
    ),
    Deduplicate: Guarantee(
        "the text itself, which stands in the window word for word",
        "safe",
        "none: done before the first request that would hold the repetition",
    ),
    Slide: Guarantee(
        "the last turns, what the person said, what is pinned; the rest is addressable by its number",
        "by-policy",
        "one cache write of what stays, each time the window moves",
    ),
    Compact: Guarantee(
        "every message is in a summary that succeeded, or addressable by its number",
        "by-policy",
        "the summary's own tokens, and one cache write of what stays",
    ),
    Pin: Guarantee(
        "standing rules and canonical state, in every request",
        "by-policy",
        "the block is written anew in each request; in the system text it breaks the whole cache when it changes",
    ),
    Notes: Guarantee("the agent's own notes, in every request", "by-policy", "the notes' own tokens"),
    Scope: Guarantee("the task, and what bears on it", "by-policy", "a window of its own: nothing of it is cached"),
}
