"""Fakes of what a decision acts on and is written to: tools, artifacts, the ledger and its records."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from ..errors import StoreError, UnknownName
from ..model.effect import Effect, Execute, Intend, Intent, Observed, Received, Record, Settle
from ..model.policy import Policy
from ..model.request import RequestContext
from ..model.task import Task
from ..model.tool import RawResult, ToolCall, ToolContract, ToolUse
from ..model.verdict import Verdict
from ..ports import JournalEntry, StoredRequest
from .scripted import NOON

Given = RawResult | Mapping[str, Any]


@dataclass
class FakeTools:
    """Tools that give back what the test said: per tool one result for every call, or a list used up in order."""

    results: Mapping[str, Given | Sequence[Given]] = field(default_factory=dict)
    offered: Sequence[ToolContract] = ()
    calls: list[ToolCall] = field(default_factory=list)

    def contracts(self) -> tuple[ToolContract, ...]:
        """The contracts, in name order."""
        return tuple(sorted(self.offered, key=lambda contract: contract.name))

    def execute(self, call: ToolCall, ctx: RequestContext) -> RawResult:
        """The next result of that tool; a failure `no-result` where the test gave none."""
        earlier = sum(each.tool == call.tool for each in self.calls)
        self.calls.append(call)
        given = self.results.get(call.tool, ())
        if isinstance(given, Sequence):
            given = given[earlier] if earlier < len(given) else RawResult(failure="no-result")
        return given if isinstance(given, RawResult) else RawResult(value=given)


@dataclass
class FakeArtifacts:
    """Tool outputs in a dict."""

    kept: dict[str, bytes] = field(default_factory=dict)

    def put(self, reference: str, data: bytes, subject_id: str | None) -> None:
        """Stores an output."""
        self.kept[reference] = data

    def get(self, reference: str) -> bytes:
        """The stored output."""
        if reference not in self.kept:
            raise UnknownName(f"no artifact {reference!r}")
        return self.kept[reference]


@dataclass
class FakeToolUses:
    """The uses of tools in a list."""

    uses: list[ToolUse] = field(default_factory=list)

    def admit(
        self, use: ToolUse, since: datetime, judge: Callable[[Sequence[ToolUse]], Verdict | None]
    ) -> Verdict | None:
        """What `judge` says of the earlier uses of the same tool or by the same actor."""
        near = (each for each in self.uses if each.at >= since and (each.tool == use.tool or each.actor == use.actor))
        verdict = judge([each for each in near if (each.request_id, each.index) != (use.request_id, use.index)])
        if verdict is None and use not in self.uses:
            self.uses.append(use)
        return verdict

    def ended(self, request_id: str, index: int, failed: bool) -> None:
        """Notes how a use ended."""
        for place, each in enumerate(self.uses):
            if (each.request_id, each.index) == (request_id, index):
                self.uses[place] = replace(each, failed=failed)


@dataclass
class FakeLedger:
    """The journal in a list per run: each entry beside its effect. `outage` is what `write` fails with."""

    starts: dict[str, tuple[RequestContext, Task, str]] = field(default_factory=dict)
    policies: dict[str, Policy] = field(default_factory=dict)
    journal: dict[str, list[tuple[JournalEntry, Effect[Any]]]] = field(default_factory=dict)
    sent: set[str] = field(default_factory=set)
    outage: str = ""

    def begin(self, ctx: RequestContext, task: Task, policy: Policy, fingerprint: str) -> None:
        """Files what one decision starts from; one that was never recorded starts anew."""
        self.policies.setdefault(fingerprint, policy)
        entries = self.journal.get(task.run_id, [])
        own = [pair for pair in entries if pair[0].request_id == task.request_id]
        if not any(isinstance(effect, Record) for _, effect in own):
            self.starts[task.request_id] = (ctx, task, fingerprint)
            self.journal[task.run_id] = [pair for pair in entries if pair not in own]

    def write(self, request_id: str, effect: Effect[Any], answer: Any) -> None:
        """Journals one effect with its answer."""
        if self.outage:
            raise StoreError(self.outage)
        entries = self.journal.setdefault(request_id.rpartition(".")[0], [])
        entries.append((JournalEntry(len(entries) + 1, request_id, type(effect).__name__, answer), effect))

    def sending(self, request_id: str) -> None:
        """Marks that the bytes are about to leave."""
        self.sent.add(request_id)

    def intend(self, request_id: str, effect: Intend) -> Intent:
        """What an earlier try of this call in this run left: nothing, its result, or that it may have run."""
        answer = self._earlier(request_id.rpartition(".")[0], effect.call_hash)
        self.write(request_id, effect, answer)
        return answer

    def _earlier(self, run_id: str, call_hash: str) -> Intent:
        intent, executed = Intent(), RawResult()
        for entry, effect in self.journal.get(run_id, ()):
            if isinstance(effect, Intend) and effect.call_hash == call_hash:
                intent = Intent(unknown=True) if entry.answer.known is None else entry.answer
                call = effect.call
            elif isinstance(effect, Execute) and intent.unknown and call in effect.calls:
                executed = entry.answer[effect.calls.index(call)]
            elif isinstance(effect, Observed) and effect.call_hash == call_hash and intent.unknown:
                intent = Intent(known=executed)
        return intent


@dataclass
class FakeRecords:
    """Reads the journal of a `FakeLedger`."""

    ledger: FakeLedger

    def request(self, request_id: str) -> StoredRequest:
        """One recorded request."""
        found = [each for each in self.run(request_id.rpartition(".")[0]) if each.manifest.request_id == request_id]
        if not found:
            raise UnknownName(f"no request {request_id!r}; `callsheet run` prints the ids of its requests")
        return found[0]

    def run(self, run_id: str) -> tuple[StoredRequest, ...]:
        """The recorded requests of a run, in order."""
        written = self.ledger.journal.get(run_id, ())
        ids = dict.fromkeys(entry.request_id for entry, effect in written if isinstance(effect, Record))
        return tuple(self._stored(request_id, written) for request_id in ids)

    def entries(self, run_id: str) -> tuple[JournalEntry, ...]:
        """The run's journal."""
        return tuple(entry for entry, _ in self.ledger.journal.get(run_id, ()))

    def policy(self, fingerprint: str) -> Policy:
        """The policy filed under a fingerprint."""
        if fingerprint not in self.ledger.policies:
            raise UnknownName(f"no policy {fingerprint!r}")
        return self.ledger.policies[fingerprint]

    def _stored(self, request_id: str, written: Iterable[tuple[JournalEntry, Effect[Any]]]) -> StoredRequest:
        own = [(entry, effect) for entry, effect in written if entry.request_id == request_id]
        answered = {type(effect): (entry.answer, effect) for entry, effect in own}
        manifest, record = answered[Record]
        reply = answered[Received][1].reply if Received in answered else None  # type: ignore[attr-defined]
        step = answered[Settle][1].step if Settle in answered else None  # type: ignore[attr-defined]
        status = "sent, outcome unknown" if request_id in self.ledger.sent else "recorded"
        ctx, task, policy = self.ledger.starts[request_id]
        return StoredRequest(
            *(ctx, task, policy, manifest),
            wire=record.wire,  # type: ignore[attr-defined]
            entries=tuple(entry for entry, _ in own),
            status="complete" if step else "received" if reply else status,
            created_at=ctx.now or NOON,
            reply=reply,
            step=step,
            usage=step.usage if step else None,
        )
