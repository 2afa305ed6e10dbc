"""The schema that a proposal of one decision is held to, by the kinds of proposal that the decision takes (A3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...model.content import Owned
from ...model.manifest import Packing, WorkingSet
from ...model.policy import DecisionKind, ModelProfile, ProposalKind
from ...model.task import TaskState
from ...model.tool import ToolContract

KINDS: tuple[ProposalKind, ...] = ("calls", "answer", "ask", "escalate", "abstain", "queries")
MAX_CALLS, MAX_SOURCES, MAX_NEXT_STEPS, MAX_QUERIES = 4, 5, 3, 5
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


def widest(
    contracts: Sequence[ToolContract], sources: Sequence[str], profile: ModelProfile, plans: bool = False
) -> dict[str, Any]:
    """The JSON schema of every proposal that any decision of a project could take, queries where it `plans`.

    For a server that enforces one schema, set when it starts. `sources` are what it may cite beside observations.
    """
    kind = DecisionKind("any", "", proposals=KINDS if plans else KINDS[:-1])
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
    if "queries" in shape.kind.proposals:
        query = {"type": "string", "minLength": 3, "maxLength": 80}
        found["queries"] = {"queries": {"type": "array", "maxItems": MAX_QUERIES, "items": query}}
    for name in ("ask", "escalate", "abstain"):
        if name in shape.kind.proposals:
            found[name] = _reasoned()
    return found or {"abstain": _reasoned()}


def _reasoned() -> dict[str, Any]:
    return {"reason": {"type": "string", "maxLength": 300}}


def _answer(shape: Shape, listed: bool) -> dict[str, Any]:
    source: dict[str, Any] = {"type": "string"}
    if listed and shape.working_set.citable:
        source = {"enum": [Owned(each.item_id, each.source) for each in shape.working_set.items if each.source in
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
    listed = not profile.schema_in_prompt_prefix and contract.changes_nothing
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
