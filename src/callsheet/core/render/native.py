"""Providers' own keeping of a long conversation: the limits of the parameters that ask for it.

The provider edits what the model reads; the client goes on sending everything, and no seal of thinking breaks.
"""

from collections.abc import Mapping, Sequence
from typing import Any

LEAST: Mapping[str, Mapping[str, int]] = {
    "clear_tool_uses_20250919": {"trigger": 1, "keep": 0, "clear_at_least": 1},
    "clear_thinking_20251015": {"keep": 1},
    "compact_20260112": {"trigger": 50_000},
}
"""The least value of each field of an edit of a Messages request."""


def edits_problem(edits: Sequence[Any]) -> str:
    """What is wrong with the edits of a Messages request, or nothing. A type that nobody knows is left alone."""
    known = [each for each in edits if isinstance(each, Mapping)]
    for at, edit in enumerate(known):
        kind = edit.get("type")
        if kind == "clear_thinking_20251015" and at:
            return f"{kind} must be the first of the edits"
        for field, least in LEAST.get(str(kind), {}).items():
            limit = edit.get(field)
            value = limit.get("value") if isinstance(limit, Mapping) else None
            # An edit that says nothing, or a word like "all", has the provider's own default.
            if isinstance(limit, Mapping) and limit.get("type") != "all" and (type(value) is not int or value < least):
                return f"{kind}: {field} must be a whole number of at least {least}, not {value!r}"
    return ""


def compaction_problem(entries: Any) -> str:
    """What is wrong with `context_management` of a Responses request, or nothing."""
    for entry in entries if isinstance(entries, list | tuple) else ():
        if isinstance(entry, Mapping) and entry.get("type") == "compaction":
            value = entry.get("compact_threshold")
            if value is not None and (type(value) is not int or value < 1):
                return f"compaction: compact_threshold must be a whole number of tokens, not {value!r}"
    return ""
