"""What must hold of a contract, whoever wrote it, and what a local policy puts into one (D1)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, get_args

from ...model.label import Confidentiality, Integrity, Label
from ...model.tool import Condition, Effects, Rate, ToolContract

_RATE = re.compile(r"([1-9][0-9]{0,8})/(second|minute|hour|day)")
_SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3_600.0, "day": 86_400.0}


def read_rate(text: str) -> Rate:
    """The rate that a text like `10/minute` means. ValueError where it means none."""
    found = _RATE.fullmatch(text)
    if found is None:
        raise ValueError(f"rate={text!r} is no rate; write a number and second, minute, hour or day, as '10/minute'")
    return Rate(int(found[1]), _SECONDS[found[2]])


@dataclass(frozen=True, slots=True)
class LocalContract:
    """What a project says of a tool that somebody else defined; what is None or empty leaves the definition's own.

    This is what counts: annotations of a server are hints, and a tool of which nobody here said anything is taken to
    act outside (D5).
    """

    effects: Effects | None = None
    authority: tuple[str, ...] | None = None
    content: tuple[str, ...] | None = None
    time: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None
    keys: tuple[str, ...] | None = None
    reads: Mapping[str, tuple[str, ...]] | None = None
    clearance: Confidentiality | None = None
    integrity: Integrity | None = None
    confidentiality: Confidentiality | None = None
    owned: Mapping[str, str] | None = None
    not_empty: tuple[str, ...] | None = None
    idempotent: bool | None = None
    idempotency_key: str | None = None
    scope: str | None = None
    failures: tuple[str, ...] | None = None
    confirm: bool | None = None
    cost: float | None = None
    timeout: float | None = None
    cache: float | None = None
    fallback: float | None = None
    rate: str | None = None
    reconcile: str | None = None
    description: str | None = None

    def __post_init__(self) -> None:
        if self.rate is not None:
            read_rate(self.rate)


_SAME = tuple(
    """effects authority content time names keys reads clearance idempotent idempotency_key scope failures confirm cost
    timeout cache fallback reconcile description""".split()
)
"""What a contract has under the same name."""


def localised(contract: ToolContract, local: LocalContract) -> ToolContract:
    """The contract with what a project says of it put in the place of the definition's own words."""
    said = {name: getattr(local, name) for name in _SAME if getattr(local, name) is not None}
    owned = tuple(Condition("owned", name, (kind,)) for name, kind in (local.owned or {}).items())
    filled = tuple(Condition("not_empty", name) for name in local.not_empty or ())
    label = Label(
        local.integrity or contract.returns.integrity, local.confidentiality or contract.returns.confidentiality
    )
    return replace(
        contract,
        preconditions=(*contract.preconditions, *owned),
        postconditions=(*contract.postconditions, *filled),
        returns=label,
        rate=read_rate(local.rate) if local.rate else contract.rate,
        **said,
    )


def contract_problems(contract: ToolContract) -> Iterator[str]:
    """What is wrong with a contract by itself, a sentence each."""
    if contract.effects not in get_args(Effects):
        yield f"effects={contract.effects!r} is none of {', '.join(get_args(Effects))}"
    yield from _unknown_arguments(contract)
    outputs = _properties(contract.output_schema)
    for condition in contract.postconditions:
        if outputs and condition.field not in outputs:
            yield f"postcondition {condition} names no field of the result ({', '.join(outputs)})"
    for name in ("cost", "timeout", "cache", "fallback"):
        if not 0 <= getattr(contract, name) < float("inf"):
            yield f"{name}={getattr(contract, name)} is no number of 0 or more"
    for name in ("cache", "fallback"):
        if getattr(contract, name) and not contract.changes_nothing:
            yield f"{name} is for tools that change nothing, and effects={contract.effects!r}"
    if contract.reconcile and contract.repeatable:
        yield "reconcile is for calls that must not be repeated; this one may be"


def _unknown_arguments(contract: ToolContract) -> Iterator[str]:
    inputs = _properties(contract.input_schema)
    named = [*contract.authority, *contract.content, *contract.time]
    named += [each.field for each in contract.preconditions if each.check == "owned"]
    for condition in contract.postconditions:
        named += condition.values if condition.check == "same_as_argument" else ()
    for name in named:
        if name not in inputs:
            yield f"{name!r} is no argument of it ({', '.join(inputs) or 'it has none'})"


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = schema.get("properties")
    return properties if isinstance(properties, Mapping) else {}
