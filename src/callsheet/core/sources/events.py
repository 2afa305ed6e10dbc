"""Harness events: true and concrete notices near the end of the request, from one queue with one owner (B3)."""

from ...model.item import ContextItem
from ...model.request import RequestContext
from ...model.task import Event
from ...model.tool import ToolCall
from ...model.verdict import RULES, Verdict
from ..text.foreign import neutral


def event_item(event: Event, ctx: RequestContext) -> ContextItem:
    """A notice between <notice> tags, a mark that nothing in foreign text can carry."""
    return ContextItem(
        item_id=event.event_id,
        kind="event",
        source=f"events/{event.producer}",
        trust="trusted",
        tenant_id=ctx.tenant_id,
        subject_id=event.subject_id,
        text=f"<notice>{neutral(event.text)}</notice>",
        required=True,
        record=event,
    )


def approval_item(call: ToolCall, number: int, ctx: RequestContext) -> ContextItem:
    """A notice that a person approved a call, by the tool's name alone: the arguments are the model's own words.

    It tells and grants nothing; the gate reads the approval record.
    """
    text = f"A person approved the call of {call.tool} you proposed; propose it again."
    return _notice(f"approval-{number}", "events/approvals", text, ctx)


def refusal_item(verdict: Verdict, number: int, ctx: RequestContext) -> ContextItem:
    """A notice that an earlier proposal of this run was refused, by which rule, so that the model can do otherwise.

    The notice holds the rule's own words alone: a verdict's reason quotes the model, which may repeat foreign text, and
    a notice is trusted.
    """
    text = f"Your last proposal was refused ({verdict.rule}): {RULES[verdict.rule]}."
    return _notice(f"refusal-{number}", "events/gate", text, ctx)


def _notice(item_id: str, source: str, text: str, ctx: RequestContext) -> ContextItem:
    """A notice of the engine's own, in words that are the engine's own."""
    return ContextItem(
        item_id=item_id,
        kind="event",
        source=source,
        trust="trusted",
        tenant_id=ctx.tenant_id,
        subject_id=ctx.subject_id,
        text=f"<notice>{text}</notice>",
        required=True,
    )
