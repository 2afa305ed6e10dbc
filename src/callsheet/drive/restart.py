"""The restart point in the store: changed over the version it was read at, again where another was first (C10).

The three tools of it, for one session. The words of a model are cleaned before they are stored.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial

from ..core.gate.contract import call_hash
from ..core.restart.scope import Changed, approved, begun, cleaned_item, completed, find, left, logged
from ..core.restart.tools import COMPLETE, LOG, WRITE, scope_items
from ..errors import StoreError
from ..model.progress import ScopeItem
from ..model.request import RequestContext
from ..model.task import TaskState
from ..model.tool import RawResult, ToolCall
from ..model.verdict import Verdict
from ..ports import Approvals, Clock, Records, States
from .observations import recorded
from .own_tools import OwnTool, refusal


def changed(states: States, subject_id: str | None, change: Callable[[TaskState], Changed]) -> Changed:
    """The state after a change, stored, or its refusal; where another writer was first, it is made anew on theirs.

    OutageError where the store cannot answer or write.
    """
    while True:
        state = states.load(subject_id)
        after = change(state)
        if isinstance(after, Verdict) or after == state:
            return after
        try:
            return states.save(subject_id, after)
        except StoreError:
            if states.load(subject_id).version == state.version:
                raise  # nobody was first: the store itself failed


@dataclass(frozen=True, slots=True)
class RestartTools:
    """The tools `write_scope`, `complete_item` and `log_progress` of one tenant.

    `tools` are the project's own tools, whose observations may verify. `clean` takes out of a model's words what must
    not be stored.
    """

    states: States
    approvals: Approvals
    records: Records
    tools: Collection[str]
    clean: Callable[[str], str]
    clock: Clock

    def own(self) -> Mapping[str, OwnTool]:
        """Each tool by its name."""
        return {WRITE: self._write, COMPLETE: self._complete, LOG: self._log}

    def _write(self, call: ToolCall, ctx: RequestContext, request_id: str) -> RawResult:
        listed = scope_items(call.arguments["items"], self.tools)
        if isinstance(listed, Verdict):
            return refusal(listed)
        items = tuple(cleaned_item(each, self.clean) for each in listed)
        change = partial(begun, scope=items, author="model", session=request_id, now=self.clock())
        return self._said(changed(self.states, ctx.subject_id, change), f"the list has {len(items)} items")

    def _log(self, call: ToolCall, ctx: RequestContext, request_id: str) -> RawResult:
        text = self.clean(call.arguments["text"])
        if not text.strip():
            return refusal(Verdict("refuse", "scope-item", "the line says nothing", subject="scope"))
        session = f"{request_id}/{call.index}"
        change = partial(logged, what=text, by="model", session=session, now=self.clock())
        return self._said(changed(self.states, ctx.subject_id, change), "it stands in the log")

    def _complete(self, call: ToolCall, ctx: RequestContext, request_id: str) -> RawResult:
        number, named = call.arguments["item"], call.arguments.get("verification", "")
        item = find(self.states.load(ctx.subject_id), number)
        if isinstance(item, ScopeItem) and item.check is None and item.state != "done":
            return self._by_person(call, ctx, request_id)
        observation = recorded(self.records, named, ctx) if named else None
        if isinstance(observation, Verdict):
            return refusal(Verdict("refuse", "verification-unknown", observation.why, subject="scope"))
        change = partial(completed, item_id=number, observation=observation, session=request_id, now=self.clock())
        return self._said(changed(self.states, ctx.subject_id, change), f"item {number} is done")

    def _by_person(self, call: ToolCall, ctx: RequestContext, request_id: str) -> RawResult:
        """Done where a person approved this very call in this run; the record says who it was."""
        run_id, number = request_id.rpartition(".")[0], call.arguments["item"]
        identity = call_hash(run_id, call)
        given = next((each for each in self.approvals.granted(run_id) if each.call_hash == identity), None)
        if given is None or not given.granted:
            why = f"item {number}: a person's approval verifies it, and none is on record"
            return refusal(Verdict("refuse", "verification-missing", why, subject="scope"))
        change = partial(
            approved,
            item_id=number, by=given.by, approval_id=given.approval_id, session=request_id, now=self.clock(),
        )  # fmt: skip
        return self._said(changed(self.states, ctx.subject_id, change), f"item {number} is done")

    def _said(self, after: Changed, words: str) -> RawResult:
        if isinstance(after, Verdict):
            return refusal(after)
        open_ = left(after)
        more = f"; {len(open_)} of {len(after.scope)} are open, next is item {open_[0].item_id}" if open_ else ""
        return RawResult({"said": f"{words}{more}"})
