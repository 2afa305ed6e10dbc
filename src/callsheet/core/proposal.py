"""The typed proposal: the schema a model is held to, and our own reading of what came back (A3, I3)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..model.content import Owned
from ..model.manifest import Packing, WorkingSet
from ..model.message import Proposal
from ..model.policy import DecisionKind, GatePolicy, ModelProfile, ProposalKind
from ..model.task import TaskState
from ..model.tool import ToolCall, ToolContract
from ..model.verdict import Verdict
from .parse_json import deeper, parse_json

KINDS: tuple[ProposalKind, ...] = ("calls", "answer", "ask", "escalate", "abstain")
MAX_CALLS, MAX_SOURCES, MAX_NEXT_STEPS = 4, 5, 3
MAX_DEPTH = 32
REFERENCE = r"^toolrun://[\w./-]+$"
"""How an observation is cited."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a proposal of one decision may hold."""

    kind: DecisionKind
    offered: tuple[ToolContract, ...]
    working_set: WorkingSet
    state: TaskState


def schema(shape: Shape, profile: ModelProfile) -> dict[str, Any]:
    """The JSON schema of a proposal: one variant per kind the decision takes.

    Where the provider does not hash the schema into the cached prefix, sources are listed in it, and for read-only
    tools resource identifiers, so that a small model cannot invent one.
    """
    return {
        "anyOf": [
            object_schema({"kind": {"const": name}, **fields}) for name, fields in variants(shape, profile).items()
        ]
    }


def widest(contracts: Sequence[ToolContract], sources: Sequence[str], profile: ModelProfile) -> dict[str, Any]:
    """The JSON schema of every proposal that any decision of a project could take.

    For a server that enforces one schema, set when it starts. `sources` are what it may cite beside observations.
    """
    kind = DecisionKind("any", "", proposals=KINDS)
    nothing = WorkingSet("", kind.name, (), (), (), (), Packing((), {}, 0, 0, {}), ())
    shape = Shape(kind, tuple(contracts), nothing, TaskState())
    found = variants(shape, replace(profile, schema_in_prompt_prefix=True))
    cited = [{"type": "string", "pattern": REFERENCE}, *([{"enum": list(sources)}] if sources else [])]
    found["answer"]["sources"]["items"] = {"anyOf": cited}
    return {"anyOf": [object_schema({"kind": {"const": name}, **fields}) for name, fields in found.items()]}


def variants(shape: Shape, profile: ModelProfile) -> dict[str, dict[str, Any]]:
    """The fields of each kind of proposal that the decision takes, by kind.

    A kind nobody could fill is left out: no calls without tools, no cited answer without evidence. Where that leaves
    none, the model may say that it has nothing, and is refused.
    """
    found: dict[str, dict[str, Any]] = {}
    if "calls" in shape.kind.proposals and shape.offered:
        items = {"anyOf": [_call(each, shape, profile) for each in shape.offered]}
        found["calls"] = {"calls": {"type": "array", "minItems": 1, "maxItems": MAX_CALLS, "items": items}}
    if "answer" in shape.kind.proposals and (shape.working_set.citable or not shape.kind.cite):
        found["answer"] = _answer(shape, listed=not profile.schema_in_prompt_prefix)
    for name in ("ask", "escalate", "abstain"):
        if name in shape.kind.proposals:
            found[name] = _reasoned()
    return found or {"abstain": _reasoned()}


def _reasoned() -> dict[str, Any]:
    return {"reason": {"type": "string", "maxLength": 300}}


def _answer(shape: Shape, listed: bool) -> dict[str, Any]:
    source: dict[str, Any] = {"type": "string"}
    if listed and shape.working_set.citable:
        source = {"enum": [Owned(each.item_id, each.source) for each in shape.working_set.material if each.source in
                           shape.working_set.citable]}  # fmt: skip
    least = 1 if shape.kind.cite else 0
    steps = {"type": "array", "maxItems": MAX_NEXT_STEPS, "items": {"type": "string", "maxLength": 200}}
    return {
        "answer": {"type": "string", "minLength": 1, "maxLength": 900},
        "sources": {"type": "array", "minItems": least, "maxItems": MAX_SOURCES, "items": source},
        "next_steps": steps,
    }


def _call(contract: ToolContract, shape: Shape, profile: ModelProfile) -> dict[str, Any]:
    name = Owned(f"tool/{contract.name}", contract.name)
    return object_schema({"tool": {"const": name}, "arguments": arguments_schema(contract, shape, profile)})


def arguments_schema(contract: ToolContract, shape: Shape, profile: ModelProfile) -> dict[str, Any]:
    """The schema of a tool's arguments, every part of it owned by the tool's item or by the state it was read from."""
    item_id = f"tool/{contract.name}"
    arguments: dict[str, Any] = {name: Owned(item_id, each) for name, each in contract.input_schema.items()}
    fields: dict[str, Any] = {
        name: Owned(item_id, each) for name, each in contract.input_schema.get("properties", {}).items()
    }
    # Only where nothing can go wrong: a model that cannot write the account it was asked about writes another one.
    listed = not profile.schema_in_prompt_prefix and contract.effects == "read"
    for condition in contract.preconditions if listed else ():
        owned = shape.state.resources.get(condition.values[0], ()) if condition.check == "owned" else ()
        if owned and condition.field in fields:
            fields[condition.field] = {"enum": [Owned("state", each) for each in owned]}
    arguments["properties"] = {Owned(item_id, name): each for name, each in fields.items()}
    return arguments


def object_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an object with exactly these fields."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def read(text: str, kind: DecisionKind, gate: GatePolicy, inside: str | None = None) -> Proposal | Verdict:
    """The proposal in a model's text, or the refusal that says what is wrong with it.

    Every reply is read as if no schema had been enforced. Nothing is repaired but white space around the object and a
    Markdown fence, which mean nothing (I3). `inside` is the one field of an object that the proposal was wrapped in.
    """
    try:
        raw = parse_json(unfenced(text))
    except ValueError as error:
        return unreadable(str(error))
    wrapped = inside is not None and isinstance(raw, Mapping) and raw.keys() == {inside}
    return checked(raw[inside] if wrapped else raw, kind, gate)


def checked(raw: Any, kind: DecisionKind, gate: GatePolicy) -> Proposal | Verdict:
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
    return Proposal(
        kind=kind,
        calls=tuple(_tool_call(each, number) for number, each in enumerate(calls, 1)),
        answer=_string(raw, "answer", needed=kind == "answer"),
        sources=_strings(raw, "sources"),
        next_steps=_strings(raw, "next_steps"),
        reason=_string(raw, "reason") or _string(raw, "question"),
    )


def _tool_call(raw: Any, index: int) -> ToolCall:
    if not isinstance(raw, Mapping) or not isinstance(raw.get("tool"), str):
        raise ValueError(f"call {index} names no tool")
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
