"""The user's words and the tools' observations: what the engine itself puts into a decision."""

import json
from collections.abc import Mapping
from functools import reduce
from typing import Any

from ...model.item import ContextItem
from ...model.label import Label
from ...model.request import RequestContext
from ...model.task import Task
from ...model.tool import Observation, ToolContract
from ..text.foreign import neutral

UNTOLD = Label()
LONGEST = 4_000
"""Characters of an observation that are shown; what is longer stands whole under its reference (D4)."""


def question_item(task: Task, ctx: RequestContext) -> ContextItem:
    """The user's words, verbatim but for delimiter look-alikes."""
    return ContextItem(
        item_id="question",
        kind="conversation",
        source="user",
        trust="trusted",
        tenant_id=ctx.tenant_id,
        subject_id=ctx.subject_id,
        text=neutral(task.question.strip()),
        required=True,
        confidentiality="private",
    )


def label_of(observation: Observation, contracts: Mapping[str, ToolContract]) -> Label:
    """The label of what a call gave: the join of what its own tool returns and the tools that it was made from."""
    tools = (observation.tool, *observation.origins)
    each = (contracts[tool].returns if tool in contracts else UNTOLD for tool in tools)
    return reduce(Label.join, each)


def observation_item(
    observation: Observation, ctx: RequestContext, longest: int | None = LONGEST, returns: Label = UNTOLD
) -> ContextItem:
    """What a tool call gave, a field a line under the reference to all of it; data, whatever it says (D4).

    Fields stand as `name: value`, which a small model reads better than JSON; nested values stay JSON. What is longer
    than `longest` characters is cut, unless that is None. Who may be told is what the tool's contract `returns`; that a
    result is an entry of a registry makes no text of it trusted.
    """
    body = shown(observation)
    if longest is not None and len(body) > longest:
        body = f"{body[:longest]}\n[{len(body) - longest} more characters under {observation.artifact_ref}]"
    return ContextItem(
        item_id=f"observation/{observation.artifact_ref}",
        kind="observation",
        source=observation.artifact_ref,
        trust="untrusted",
        retrieved_at=observation.checked_at,
        tenant_id=ctx.tenant_id,
        subject_id=ctx.subject_id,
        text=f"source: {observation.artifact_ref}\n{body}",
        required=True,
        record=observation,
        confidentiality=returns.confidentiality,
    )


def shown(observation: Observation) -> str:
    """All that an observation says, as text."""
    head = f"{observation.tool} says:" if observation.status == "ok" else f"{observation.tool}: {observation.status}"
    fields = [f"{name}: {_plain(value)}" for name, value in observation.result.items()]
    note = [f"note: {observation.note}"] if observation.note else []
    return neutral("\n".join((head, *fields, *note)))


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
