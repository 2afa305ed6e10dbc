"""Providers' own keeping of a long conversation, as the parameters that ask for it.

The provider edits what the model reads; the client goes on sending everything, and no seal of thinking breaks.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ...model.frozen import dataclass

LEAST_COMPACTION = 50_000
"""The least prompt, in tokens, at which Anthropic may be asked to sum up."""


@dataclass(frozen=True, slots=True)
class ClearToolUses:
    """Anthropic takes old tool results out once the prompt has so many tokens, or so many calls.

    The newest `keep` calls stay, and the tools in `exclude` are never cleared. Nothing is done where fewer than
    `at_least` tokens would go: each clearing breaks the cache behind it. `inputs` clears the calls' arguments as well,
    of all tools or of those named.
    """

    trigger: int = 100_000
    trigger_by: Literal["input_tokens", "tool_uses"] = "input_tokens"
    keep: int = 3
    at_least: int | None = None
    exclude: tuple[str, ...] = ()
    inputs: bool | tuple[str, ...] = False


@dataclass(frozen=True, slots=True)
class ClearThinking:
    """Anthropic keeps the thinking of the newest `keep` turns; None keeps all."""

    keep: int | None = None


@dataclass(frozen=True, slots=True)
class Compact:
    """Anthropic sums up what came before once the prompt has so many tokens, and stops there where `pause` says so.

    `instructions` take the place of its own.
    """

    trigger: int = 150_000
    pause: bool = False
    instructions: str | None = None


Edit = ClearToolUses | ClearThinking | Compact


def editing(*edits: Edit) -> dict[str, Any]:
    """The parameters of a Messages request that ask for these edits, that of thinking first, as the API wants it.

    ValueError names the rule where a figure lies outside what is documented.
    """
    ordered = sorted(edits, key=lambda each: not isinstance(each, ClearThinking))
    written = [_written(each) for each in ordered]
    if problem := edits_problem(written):
        raise ValueError(f"{problem} [option-conflict]")
    return {"context_management": {"edits": written}}


def compacting(threshold: int) -> dict[str, Any]:
    """The parameters of a Responses request that ask for a summary from so many tokens on.

    ValueError names the rule where that is no number of tokens.
    """
    written = [{"type": "compaction", "compact_threshold": threshold}]
    if problem := compaction_problem(written):
        raise ValueError(f"{problem} [option-conflict]")
    return {"context_management": written}


def _written(edit: Edit) -> dict[str, Any]:
    match edit:
        case ClearToolUses():
            inputs = list(edit.inputs) if isinstance(edit.inputs, tuple) else edit.inputs
            least = {} if edit.at_least is None else {"clear_at_least": _tokens(edit.at_least)}
            return {
                "type": "clear_tool_uses_20250919",
                "trigger": {"type": edit.trigger_by, "value": edit.trigger},
                "keep": {"type": "tool_uses", "value": edit.keep},
                **least,
                **({"exclude_tools": list(edit.exclude)} if edit.exclude else {}),
                "clear_tool_inputs": inputs,
            }
        case ClearThinking():
            keep = "all" if edit.keep is None else {"type": "thinking_turns", "value": edit.keep}
            return {"type": "clear_thinking_20251015", "keep": keep}
        case Compact():
            said = {} if edit.instructions is None else {"instructions": edit.instructions}
            trigger = _tokens(edit.trigger)
            return {"type": "compact_20260112", "trigger": trigger, "pause_after_compaction": edit.pause, **said}


def _tokens(value: int) -> dict[str, Any]:
    return {"type": "input_tokens", "value": value}


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


LEAST: Mapping[str, Mapping[str, int]] = {
    "clear_tool_uses_20250919": {"trigger": 1, "keep": 0, "clear_at_least": 1},
    "clear_thinking_20251015": {"keep": 1},
    "compact_20260112": {"trigger": LEAST_COMPACTION},
}
"""The least value of each field of an edit."""


def compaction_problem(entries: Any) -> str:
    """What is wrong with `context_management` of a Responses request, or nothing."""
    for entry in entries if isinstance(entries, list | tuple) else ():
        if isinstance(entry, Mapping) and entry.get("type") == "compaction":
            value = entry.get("compact_threshold")
            if value is not None and (type(value) is not int or value < 1):
                return f"compaction: compact_threshold must be a whole number of tokens, not {value!r}"
    return ""
