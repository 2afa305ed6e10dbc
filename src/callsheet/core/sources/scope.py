"""The restart point in a working set: what stands verified as trusted state, the model's own words as its words (C10).

A model may repeat foreign text, and what it wrote in one run is read in every later one. So the trusted item holds the
application's words, numbers and ids; whatever a model wrote, an item's text and its check's arguments too, stands among
the memories as data.
"""

import json
from collections.abc import Iterator

from ...model.item import ContextItem
from ...model.progress import ScopeItem
from ...model.request import RequestContext
from ...model.task import TaskState
from ..restart.scope import left
from ..text.foreign import neutral
from .state import task_item

LINES = 10
"""Lines of the log that a request holds, of the newest; the state keeps more."""


def restart_items(state: TaskState, ctx: RequestContext) -> tuple[ContextItem, ...]:
    """The scope list and the log as items: none where there is neither, and no second one without a model's words."""
    if not state.scope and not state.log:
        return ()
    own = tuple(_own(state))
    return (_trusted(state, ctx), *([_untrusted(own, state, ctx)] if own else []))


def _trusted(state: TaskState, ctx: RequestContext) -> ContextItem:
    open_ = left(state)
    head = (
        f"{len(state.scope) - len(open_)} of {len(state.scope)} items are done; done is what stands verified on record"
    )
    following = [f"next: item {open_[0].item_id}"] if open_ else []
    log = [f"- {each.session}: {each.what}" for each in state.log if each.by != "model"][-LINES:]
    lines = [
        f"scope list: {head}",
        *(f"{each.item_id}. {_status(each)}: {_said(each)}" for each in state.scope),
        *following,
    ]
    return task_item("scope", "\n".join([*lines, *(["log:", *log] if log else [])]), state, ctx)


def _status(item: ScopeItem) -> str:
    return f"done ({item.verified.reference})" if item.verified is not None else "open"


def _said(item: ScopeItem) -> str:
    if item.author == "model":
        return f"the model's own words, in the notes; check: {item.check.tool if item.check else 'a person'}"
    return f"{item.text}; check: {_check(item)}" if item.state != "done" else item.text


def _check(item: ScopeItem) -> str:
    if item.check is None:
        return "a person"
    result = f" gives {_json(item.check.result)}" if item.check.result else ""
    return f"{item.check.tool} {_json(item.check.arguments)}{result}"


def _own(state: TaskState) -> Iterator[str]:
    """The model's own words: the items it wrote, and its lines of the log."""
    for each in state.scope:
        if each.author == "model":
            yield f"item {each.item_id}: {each.text}; check: {_check(each)}"
    notes = [each for each in state.log if each.by == "model"]
    yield from (f"- {each.session}: {each.what}" for each in notes[-LINES:])


def _untrusted(lines: tuple[str, ...], state: TaskState, ctx: RequestContext) -> ContextItem:
    said = "\n".join(lines)
    return ContextItem(
        item_id="progress",
        kind="memory",
        source="state/progress",
        trust="untrusted",
        version=str(state.version),
        tenant_id=ctx.tenant_id,
        subject_id=ctx.subject_id,
        text=neutral(f"notes of earlier sessions, in the model's own words:\n{said}"),
        required=True,
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
