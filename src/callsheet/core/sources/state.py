"""Task state and run-time values: trusted records that change, so they stand in the dynamic part (B1, B2)."""

from collections.abc import Sequence

from ...model.effect import Found, Outage
from ...model.item import ContextItem
from ...model.request import SHARED, RequestContext
from ...model.task import TaskState, Value
from ..scope import in_scope
from ..text.foreign import neutral


def state_item(state: TaskState, ctx: RequestContext) -> ContextItem:
    """The canonical state as `name: value` lines between <task> tags; empty fields are not written.

    A goal or a fact may hold a customer's words, so no field can close the block.
    """
    rows = [
        ("goal", state.goal),
        ("phase", state.phase),
        *state.facts.items(),
        ("completed", "; ".join(state.completed)),
        ("pending approvals", "; ".join(state.pending_approvals)),
        ("artifacts", "; ".join(state.artifacts)),
        ("tests", state.tests),
    ]
    return task_item("state", "\n".join(f"{name}: {value}" for name, value in rows if value), state, ctx, record=state)


def task_item(
    item_id: str, lines: str, state: TaskState, ctx: RequestContext, record: TaskState | None = None
) -> ContextItem:
    """Lines of the canonical state as one trusted item that no decision goes without."""
    return ContextItem(
        item_id=item_id,
        kind="task_state",
        source="state",
        trust="trusted",
        version=str(state.version),
        tenant_id=ctx.tenant_id,
        subject_id=ctx.subject_id,
        text=f"<task>\n{neutral(lines)}\n</task>",
        required=True,
        record=record,
        confidentiality="private",
    )


def value_item(value: Value) -> ContextItem:
    """A run-time value as one line with its version."""
    return ContextItem(
        item_id=f"value/{value.name}",
        kind="instruction",
        source=value.source,
        trust="trusted",
        version=value.version,
        tenant_id=SHARED,
        text=f'<value name="{value.name}" version="{value.version}">{neutral(value.text or value.value)}</value>',
        required=True,
        record=value,
    )


def state(ctx: RequestContext, found: Sequence[Found | Outage]) -> TaskState:
    """The session's own gathered state; an empty one, which owns nothing, when its store could not answer."""
    items = in_scope(ctx, (item for each in found if isinstance(each, Found) for item in each.items))
    return next((item.record for item in items if isinstance(item.record, TaskState)), TaskState())
