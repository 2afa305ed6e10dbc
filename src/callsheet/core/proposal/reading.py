"""Our own reading of a model's reply as a proposal, whether or not a server enforced the schema (A3, I3)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...model.message import Proposal
from ...model.policy import DecisionKind, GatePolicy
from ...model.tool import ToolCall
from ...model.verdict import Verdict
from ..text.parse_json import deeper, parse_json
from .schema import KINDS

MAX_DEPTH = 32


def read_text(text: str, kind: DecisionKind, gate: GatePolicy, inside: str | None = None) -> Proposal | Verdict:
    """The proposal in a model's text, or the refusal that says what is wrong with it.

    Every reply is read as if no schema had been enforced. Nothing is repaired but white space around the object and a
    Markdown fence, which mean nothing (I3). `inside` is the one field of an object that the proposal was wrapped in.
    """
    try:
        raw = parse_json(unfenced(text))
    except ValueError as error:
        return unreadable(str(error))
    wrapped = inside is not None and isinstance(raw, Mapping) and raw.keys() == {inside}
    return read_json(raw[inside] if wrapped else raw, kind, gate)


def read_json(raw: Any, kind: DecisionKind, gate: GatePolicy) -> Proposal | Verdict:
    """The proposal in a JSON value, or the refusal that says what is wrong with it."""
    try:
        if not isinstance(raw, Mapping):
            raise ValueError("it is not an object")
        if deeper(raw, MAX_DEPTH):
            raise ValueError(f"it is nested more than {MAX_DEPTH} deep")
        json.dumps(raw, ensure_ascii=False, allow_nan=False).encode()  # neither NaN nor half a character is JSON
        proposal = _proposal(raw)
    except ValueError as error:
        return unreadable(str(error))
    if gate.enabled and proposal.kind not in kind.proposals:
        allowed = ", ".join(kind.proposals)
        return Verdict("refuse", "proposal-not-allowed", f"{kind.name} takes {allowed}, not {proposal.kind}")
    return proposal


def unreadable(why: str) -> Verdict:
    """The refusal of a reply that is no proposal."""
    return Verdict("refuse", "unreadable-proposal", f"the reply is no proposal: {why}")


def unfenced(text: str) -> str:
    """The text without the white space and the Markdown fence around it, which mean nothing."""
    inner = text.strip()
    if inner.startswith("```") and inner.endswith("```") and "\n" in inner:
        inner = inner[inner.index("\n") : -3]
    return inner.strip()


def _proposal(raw: Mapping[str, Any]) -> Proposal:
    kind = raw.get("kind")
    if kind not in KINDS:
        raise ValueError(f"kind is {str(kind)[:40]!r}, not one of {', '.join(KINDS)}")
    calls = raw.get("calls", [])
    if not isinstance(calls, list) or (kind == "calls" and not calls):
        raise ValueError("calls must be a list with at least one call")
    if kind == "queries" and "queries" not in raw:
        raise ValueError("queries must be a list of texts, empty where nothing is to be looked up")
    return Proposal(
        kind=kind,
        calls=tuple(_tool_call(each, number) for number, each in enumerate(calls, 1)),
        answer=_string(raw, "answer", needed=kind == "answer"),
        sources=_strings(raw, "sources"),
        next_steps=_strings(raw, "next_steps"),
        queries=_strings(raw, "queries"),
        reason=_string(raw, "reason") or _string(raw, "question"),
    )


def _tool_call(raw: Any, index: int) -> ToolCall:
    if not isinstance(raw, Mapping) or not isinstance(raw.get("tool"), str):
        raise ValueError(f'call {index} names no tool: it is {{"tool": NAME, "arguments": {{…}}}}')
    arguments = raw.get("arguments", {})
    if not isinstance(arguments, Mapping):
        raise ValueError(f"the arguments of call {index} are no object")
    return ToolCall(raw["tool"], dict(arguments), index)


def _string(raw: Mapping[str, Any], name: str, needed: bool = False) -> str:
    value = raw.get(name, "")
    if not isinstance(value, str) or (needed and not value.strip()):
        raise ValueError(f"{name} must be text")
    return value.strip()


def _strings(raw: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value: Sequence[Any] = raw.get(name, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"{name} must be a list of texts")
    return tuple(each.strip() for each in value if each.strip())
