"""The restart desk: what an application does with the scope list and the progress log of a session (C10, B2)."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..core.memory.cleaning import without_private
from ..core.restart.scope import Changed, approved, begun, cleaned, completed, left, logged, reopened
from ..core.text.redact import redact
from ..drive.observations import recorded
from ..drive.restart import changed
from ..edges.stores import TenantStore
from ..model.effect import RunResult
from ..model.memory_policy import Personal
from ..model.progress import ScopeItem
from ..model.request import RequestContext
from ..model.task import TaskState
from ..model.verdict import Verdict
from ..ports import Clock


@dataclass(frozen=True, slots=True)
class RestartDesk:
    """The restart point of the session's subject. Each change gives the state after it, or the refusal with its rule.

    Another writer's change is never lost: a change is made anew on what that one left. Secrets leave all of it, and
    personal data, but for the kinds to `keep`, its words; what a check compares a call with stays as it is.
    """

    stores: Callable[[RequestContext], TenantStore]
    clock: Clock
    keep: Collection[Personal] = ()

    def show(self, ctx: RequestContext) -> TaskState:
        """The canonical state, with scope list and log."""
        return self.stores(ctx).states.load(ctx.subject_id)

    def begin(self, items: Sequence[str | ScopeItem], ctx: RequestContext) -> Changed:
        """A new scope list; a text alone is an item that a person verifies. Refused while one has open items."""
        scope = [ScopeItem("", each) if isinstance(each, str) else each for each in items]
        return self._changed(partial(begun, scope=scope, author="application"), ctx)

    def complete(self, item_id: str, reference: str, ctx: RequestContext) -> Changed:
        """An item done by the observation of this id; refused where it shows nothing of it."""
        observation = recorded(self.stores(ctx).records, reference, ctx) if reference else None
        if isinstance(observation, Verdict):
            return Verdict("refuse", "verification-unknown", observation.why, subject="scope")
        return self._changed(partial(completed, item_id=item_id, observation=observation), ctx)

    def approve(self, item_id: str, ctx: RequestContext) -> Changed:
        """An item done by the word of the session's actor, who must be a person; the log names them."""

        def change(state: TaskState, **at: object) -> Changed:
            approval_id = f"item-{item_id}-{state.version}"
            return approved(state, item_id, ctx.actor, approval_id, **at)  # type: ignore[arg-type]

        return self._changed(change, ctx)

    def reopen(self, item_id: str, why: str, ctx: RequestContext) -> Changed:
        """A done item open again, and why; what verified it does not count any more."""
        return self._changed(partial(reopened, item_id=item_id, why=why, by="person"), ctx)

    def log(self, text: str, ctx: RequestContext) -> Changed:
        """One more line of the log, in the application's words."""
        return self._changed(partial(logged, what=text, by="application"), ctx)

    def _changed(self, change: Callable[..., Changed], ctx: RequestContext) -> Changed:
        def clean(state: TaskState) -> Changed:
            after = change(state, session=ctx.actor, now=ctx.now or self.clock())
            return after if isinstance(after, Verdict) else self._bare(after, ctx)

        return changed(self.stores(ctx).states, ctx.subject_id, clean)

    def _bare(self, state: TaskState, ctx: RequestContext) -> TaskState:
        bare, words = cleaned(state, redact), partial(without_private, keep=self.keep, locale=ctx.locale)
        scope = tuple(replace(each, text=words(each.text)) for each in bare.scope)
        return replace(bare, scope=scope, log=tuple(replace(each, what=words(each.what)) for each in bare.log))


@dataclass(frozen=True, slots=True)
class RunLog:
    """Writes into the log when a run begins and ends; `keeps` says whether this project's runs work on a scope list."""

    stores: Callable[[RequestContext], TenantStore]
    clock: Clock
    keeps: bool

    def began(self, run_id: str, ctx: RequestContext, after: int = 0) -> None:
        """Writes down that a run begins, or goes on after so many requests, where there is a scope list."""
        self._note(f"goes on in a new window after {after} requests" if after else "began", run_id, ctx)

    def ended(self, result: RunResult, ctx: RequestContext) -> None:
        """Writes down how a run ended, where there is a scope list."""
        self._note(f"ended as {result.outcome} after {len(result.steps)} requests", result.run_id, ctx)

    def _note(self, what: str, run_id: str, ctx: RequestContext) -> None:
        def change(state: TaskState) -> Changed:
            done = f"{len(state.scope) - len(left(state))} of {len(state.scope)} done"
            return logged(state, f"{what}; {done}", "engine", run_id, self.clock()) if state.scope else state

        if self.keeps:
            changed(self.stores(ctx).states, ctx.subject_id, change)
