"""The user's words and the tools' observations: what the engine itself puts into a decision."""

import json

from ...model.item import ContextItem
from ...model.request import RequestContext
from ...model.task import Task
from ...model.tool import Observation
from ..text import neutral


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
    )


def observation_item(observation: Observation, ctx: RequestContext) -> ContextItem:
    """What a tool call gave, as one line of JSON under the reference to all of it; data, whatever it says (D4)."""
    body = json.dumps(observation.result, ensure_ascii=False, sort_keys=True)
    note = f"\nnote: {neutral(observation.note)}" if observation.note else ""
    return ContextItem(
        item_id=f"observation/{observation.artifact_ref}",
        kind="observation",
        source=observation.artifact_ref,
        trust="untrusted",
        retrieved_at=observation.checked_at,
        tenant_id=ctx.tenant_id,
        subject_id=ctx.subject_id,
        text=(
            f"source: {observation.artifact_ref}\ntool: {observation.tool}, status: {observation.status}\n"
            f"{neutral(body)}{note}"
        ),
        required=True,
        record=observation,
    )
