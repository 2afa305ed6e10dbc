"""The outside of one run: every effect performed through the ports, redacted, journalled, then told to the flow."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ..core.gate.contract import call_hash, shown_to_person
from ..core.record.fingerprint import fingerprint
from ..core.render.dialects import DIALECTS, UNREADABLE, without_secrets
from ..core.render.sse import EventReader
from ..core.restart.scope import observed
from ..core.text.redact import redact
from ..model.effect import (
    Call,
    Consult,
    Consulted,
    Effect,
    Found,
    Gather,
    Intend,
    Observed,
    Outage,
    Received,
    Record,
    Settle,
)
from ..model.evidence import Query
from ..model.item import ContextItem
from ..model.manifest import ContextManifest
from ..model.message import Reply
from ..model.policy import DialectName, Policy
from ..model.request import RequestContext
from ..model.task import Event
from ..ports import Sink
from .live import Tell
from .restart import changed
from .tool_runs import ToolRuns
from .wired import Ports


@dataclass
class Outside:
    """Performs the effects of one run for one session. Call it with an effect, or await `perform`.

    `interrupted` names requests whose bytes an earlier process was sending when it ended, `notices` the events that
    stand in a request, by its id: those that an earlier process recorded, and then our own.
    """

    ctx: RequestContext
    policy: Policy
    ports: Ports
    interrupted: frozenset[str] = frozenset()
    notices: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)
    _heard: Sink | None = None

    def __post_init__(self) -> None:
        self._tool_runs = ToolRuns(self.ctx, self.policy, self.ports)

    @property
    def streams(self) -> bool:
        """True where replies come piece by piece."""
        return self.policy.model.stream

    def cancel(self) -> None:
        """Breaks off the model call that is running, and nobody else's: the model serves other runs as well."""
        if self.ports.model is not None and self._heard is not None:
            self.ports.model.cancel(self._heard)

    def close(self) -> None:
        """Ends the code that is under way where nobody goes on with the run."""
        if self.ports.code is not None:
            self.ports.code.close()

    def __call__(self, effect: Effect[Any], tell: Tell | None = None) -> Any:
        """The effect's answer, after it was journalled; `tell` hears the pieces of a streamed reply before that."""
        if isinstance(effect, Call):
            return self._write(effect, self._call(effect, tell))
        if isinstance(effect, Gather):
            self._begin(effect)
            return self._write(effect, tuple(self._found(effect, each) for each in effect.queries))
        return self._write(effect, self._handlers()[type(effect)](effect))

    async def perform(self, effect: Effect[Any], tell: Tell | None = None) -> Any:
        """The effect's answer; sources are asked together, and cancelling a model call breaks it off."""
        asked = self._gather(effect) if isinstance(effect, Gather) else asyncio.to_thread(self, effect, tell)
        work = asyncio.ensure_future(asked)
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            if isinstance(effect, Call | Consult):
                self.cancel()
            # A thread cannot be stopped, and it still journals: until it has, nobody else may go on with the run.
            await asyncio.gather(work, return_exceptions=True)
            raise

    async def _gather(self, effect: Gather) -> Any:
        await asyncio.to_thread(self._begin, effect)
        found = await asyncio.gather(*(asyncio.to_thread(self._found, effect, each) for each in effect.queries))
        return await asyncio.to_thread(self._write, effect, tuple(found))

    def _found(self, effect: Gather, query: Query) -> Found | Outage:
        """What one source has. A request that nobody can send takes no notice from one that can."""
        taker = effect.task.request_id if self.ports.model is not None else None
        found = self.ports.sources.answer(query, taker)
        if taker is not None and isinstance(found, Found) and any(notices_of(found.items)):
            self._taken.add(taker)
        return found

    def _begin(self, effect: Gather) -> None:
        if effect.round == 1:
            self.ports.ledger.begin(self.ctx, effect.task, self.policy, fingerprint(self.policy))

    def _write(self, effect: Effect[Any], answer: Any) -> Any:
        if isinstance(effect, Gather):
            answer = (*answer, Found(tuple(self.ports.sources.items.measured(each) for each in effect.drafts)))
        if not isinstance(effect, Intend):  # the ledger has journalled that one with the answer it gave
            self.ports.ledger.write(_request_id(effect), effect, answer)
        return answer

    def _handlers(self) -> dict[type, Callable[[Any], Any]]:
        return {
            Record: self._record,
            Consult: self._consult,
            Received: self._received,
            Observed: self._observed,
            Settle: self._settle,
            **self._tool_runs.handlers(),
        }

    def _record(self, effect: Record) -> ContextManifest:
        counted = self.ports.counter.count_prompt(effect.wire.body, effect.wire.dialect)
        self.notices[effect.manifest.request_id] = notices_of(effect.manifest.items)
        return replace(effect.manifest, total_input_tokens=counted.tokens, token_basis=counted.basis)

    def _call(self, effect: Call, tell: Tell | None) -> Reply:
        if effect.request_id in self.interrupted:
            return Reply(error="the process ended while the request was under way", unknown=True)
        self.ports.ledger.sending(effect.request_id)
        return self._sent(
            effect.wire.body, _hearing(self.policy.model.dialect, tell) if tell and self.streams else _deaf()
        )

    def _consult(self, effect: Consult) -> Consulted:
        return Consulted(effect.body, self._sent(effect.body, _deaf()))

    def _sent(self, body: bytes, sink: Sink) -> Reply:
        assert self.ports.model is not None, "a flow that calls a model was given none"
        self._heard = sink  # by it the call can be told apart and broken off, also where nobody listens
        reply = self.ports.model.call(body, sink)
        # A reply that is not UTF-8 is kept readable; one that is comes back unchanged but for its secrets.
        clean = without_secrets(reply.body, self.policy.model.dialect)
        return replace(reply, body=clean, error=redact(reply.error))

    def _received(self, effect: Received) -> None:
        notices = self.notices.pop(effect.request_id, ())
        self._told(effect.request_id, notices, () if effect.reply.error else notices)

    def _told(self, request_id: str, notices: Sequence[str], told: Sequence[str]) -> None:
        """Says which notices a request told; what else it took waits for the next one."""
        if notices or request_id in self._taken:
            self._taken.discard(request_id)
            self.ports.events.delivered(told, self.ctx.subject_id, request_id, self.ports.clock())

    def _observed(self, effect: Observed) -> None:
        """Marks what the observation verifies before it is journalled: a process that ends between does it again."""
        self._tool_runs.ended(effect)
        if effect.observation.status == "ok":
            now, session = self.ports.clock(), effect.request_id
            change = partial(observed, observation=effect.observation, session=session, now=now)
            changed(self.ports.sources.states, self.ctx.subject_id, change)

    def _settle(self, effect: Settle) -> None:
        self._told(effect.request_id, self.notices.pop(effect.request_id, ()), ())  # of a request that was not sent
        for each in effect.step.calls:
            if each.approval_id is not None:
                shown = shown_to_person(each.call, each.verdict)
                identity = call_hash(effect.request_id.rpartition(".")[0], each.call)
                self.ports.approvals.request(each.approval_id, identity, effect.request_id, shown, self.ports.clock())


def notices_of(items: Iterable[ContextItem]) -> tuple[str, ...]:
    """The ids of the events among items."""
    return tuple(item.item_id for item in items if isinstance(item.record, Event))


def _deaf() -> Sink:
    """A sink that reads nothing, and is no other one."""
    return lambda chunk: None


def _hearing(dialect: DialectName, tell: Tell) -> Sink:
    """What a model hands its chunks to: each piece that they complete is told."""
    reader = EventReader()

    def hear(chunk: bytes) -> None:
        try:
            for event in reader.feed(chunk):
                for piece in DIALECTS[dialect].deltas(event):
                    tell(piece)
        except UNREADABLE:
            return  # a piece nobody can show; the reply is read whole in any case, and judged by that

    return hear


def _request_id(effect: Effect[Any]) -> str:
    if isinstance(effect, Gather):
        return effect.task.request_id
    if isinstance(effect, Record):
        return effect.manifest.request_id
    request_id: str = effect.request_id  # type: ignore[attr-defined]
    return request_id
