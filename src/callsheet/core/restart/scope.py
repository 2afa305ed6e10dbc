"""The changes of a scope list and its progress log: each gives a new state, or the refusal with its rule (C10, B2).

An item goes from open to done by a verification that is on record, and back only by somebody who says why. Both leave a
line in the log. A verification that was taken back never counts again.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from ...model.progress import Author, LogEntry, ScopeItem, Verification
from ...model.task import TaskState
from ...model.tool import Observation
from ...model.verdict import Verdict

MOST_ITEMS = 200
LONGEST = 1_000
"""Characters of an item or of a line of the log."""
KEPT = 200
"""Lines of the log that the state keeps, the newest; each older one stands in the record of its request."""

Changed = TaskState | Verdict


def begun(state: TaskState, scope: Iterable[ScopeItem], author: Author, session: str, now: datetime) -> Changed:
    """The state with a new scope list, its items numbered from 1; refused while an item of the old one is open."""
    items = tuple(scope)
    standing = [(each.text, each.check) for each in state.scope]
    if left(state) and standing == [(each.text.strip(), each.check) for each in items]:
        return state  # a try of a process that ended before it could say that it had written it
    if left(state):
        return _refused("scope-stands", f"{len(left(state))} of {len(state.scope)} items are open")
    if not 0 < len(items) <= MOST_ITEMS:
        return _refused("scope-item", f"a list has 1 to {MOST_ITEMS} items, not {len(items)}")
    for number, each in enumerate(items, 1):
        if not each.text.strip() or len(each.text) > LONGEST:
            return _refused("scope-item", f"item {number} has to say what is to be done, in up to {LONGEST} characters")
    numbered = tuple(
        ScopeItem(str(number), each.text.strip(), check=each.check, author=author, since=now)
        for number, each in enumerate(items, 1)
    )
    return logged(replace(state, scope=numbered), f"began, with {len(items)} items in scope", author, session, now)


def left(state: TaskState) -> tuple[ScopeItem, ...]:
    """The items that are not done, in order."""
    return tuple(each for each in state.scope if each.state != "done")


def verify(item: ScopeItem, observation: Observation) -> Verdict:
    """Whether an observation shows that an item is done: its tool, its arguments, its result, made since it opened."""
    check, reference = item.check, observation.artifact_ref
    if check is None:
        return _mismatch(item, "it waits for a person's approval")
    if not reference or observation.tool != check.tool:
        return _mismatch(item, f"its check is {check.tool}, and that is an observation of {observation.tool}")
    if observation.status != "ok":
        return _mismatch(item, f"{reference} ended as {observation.status}")
    if reference in item.void:
        return _mismatch(item, f"{reference} verified it before it was opened again")
    if not _within(check.arguments, observation.arguments):
        return _mismatch(item, f"{reference} was called with other arguments than its check says")
    if not _within(check.result, observation.result):
        return _mismatch(item, f"the result of {reference} is another than its check says")
    made = observation.checked_at
    if made is not None and item.since is not None and made < item.since:
        return _mismatch(item, f"{reference} is older than the item")
    return Verdict("allow", "ok", f"verified by {reference}", subject=f"item {item.item_id}")


def observed(state: TaskState, observation: Observation, session: str, now: datetime) -> TaskState:
    """The state after an observation: every open item that it verifies is done. The same one again changes nothing."""
    for each in left(state):
        if each.check is not None and verify(each, observation).outcome == "allow":
            state = _done(state, each, f"tool {observation.tool}", observation.artifact_ref, session, now)
    return state


def completed(state: TaskState, item_id: str, observation: Observation | None, session: str, now: datetime) -> Changed:
    """The state with an item done by the observation that was named for it; refused where it shows nothing of it."""
    item = find(state, item_id)
    if isinstance(item, Verdict) or item.state == "done":
        return item if isinstance(item, Verdict) else state
    if observation is None:
        return _refused("verification-missing", f"item {item_id}: {awaited(item)}")
    verdict = verify(item, observation)
    if verdict.outcome != "allow":
        return verdict
    return _done(state, item, f"tool {observation.tool}", observation.artifact_ref, session, now)


def approved(state: TaskState, item_id: str, by: str, approval_id: str, session: str, now: datetime) -> Changed:
    """The state with an item done by a person's approval, whatever its check; refused where that was taken back."""
    item = find(state, item_id)
    if isinstance(item, Verdict) or item.state == "done":
        return item if isinstance(item, Verdict) else state
    if approval_id in item.void:
        return _mismatch(item, f"the approval {approval_id} was taken back")
    return _done(state, item, f"person {by}", approval_id, session, now)


def reopened(state: TaskState, item_id: str, why: str, by: Author, session: str, now: datetime) -> Changed:
    """The state with a done item open again, and why; what verified it does not count any more."""
    item = find(state, item_id)
    if isinstance(item, Verdict) or item.verified is None:
        return item if isinstance(item, Verdict) else state
    if not why.strip():
        return _refused("scope-item", f"item {item_id} is done; say why it is to be open again")
    again = replace(item, state="open", verified=None, since=now, void=(*item.void, item.verified.reference))
    return logged(_with(state, again), f"item {item_id} opened again: {why.strip()}", by, session, now)


def logged(state: TaskState, what: str, by: Author, session: str, now: datetime) -> TaskState:
    """The state with one more line in the log; the oldest leave it beyond `KEPT`."""
    line = LogEntry(session, " ".join(what.split())[:LONGEST], by, now)
    written = ((each.session, each.what, each.by) for each in state.log)
    if by == "model" and (line.session, line.what, by) in written:
        return state  # its session is the very call: a process wrote it that ended before it could say so
    return replace(state, log=(*state.log, line)[-KEPT:])


def find(state: TaskState, item_id: str) -> ScopeItem | Verdict:
    """The item of a number; the refusal where there is none."""
    found = next((each for each in state.scope if each.item_id == item_id), None)
    if found is None:
        return _refused("scope-item-unknown", f"the list has {len(state.scope)} items, from 1, and no {item_id[:20]!r}")
    return found


def awaited(item: ScopeItem) -> str:
    """What will verify an item, in words."""
    if item.check is None:
        return "a person's approval verifies it"
    return f"an observation of {item.check.tool} that is as its check says verifies it"


def cleaned(state: TaskState, clean: Callable[[str], str]) -> TaskState:
    """The state with every text of its scope list and log as `clean` gives it."""
    scope = tuple(cleaned_item(each, clean) for each in state.scope)
    return replace(state, scope=scope, log=tuple(replace(each, what=clean(each.what)) for each in state.log))


def cleaned_item(item: ScopeItem, clean: Callable[[str], str]) -> ScopeItem:
    """The item with every text of it, and of its check, as `clean` gives it."""
    check = item.check
    if check is not None:
        check = replace(check, arguments=_cleaned(check.arguments, clean), result=_cleaned(check.result, clean))
    return replace(item, text=clean(item.text), check=check)


def _cleaned(value: Any, clean: Callable[[str], str]) -> Any:
    if isinstance(value, Mapping):
        return {clean(str(key)): _cleaned(each, clean) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(each, clean) for each in value]
    return clean(value) if isinstance(value, str) else value


def _done(state: TaskState, item: ScopeItem, by: str, reference: str, session: str, now: datetime) -> TaskState:
    shown = replace(item, state="done", verified=Verification(by, True, reference=reference))
    return logged(_with(state, shown), f"item {item.item_id} verified by {by}, {reference}", "engine", session, now)


def _with(state: TaskState, item: ScopeItem) -> TaskState:
    return replace(state, scope=tuple(item if each.item_id == item.item_id else each for each in state.scope))


def _within(wanted: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    return all(name in given and given[name] == value for name, value in wanted.items())


def _mismatch(item: ScopeItem, why: str) -> Verdict:
    return Verdict("refuse", "verification-mismatch", f"item {item.item_id}: {why}", subject=f"item {item.item_id}")


def _refused(rule: str, why: str) -> Verdict:
    return Verdict("refuse", rule, why, subject="scope")
