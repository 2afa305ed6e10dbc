"""Running the calls of one run for one session: counted, within their time, redacted, kept under their references."""

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from hashlib import blake2b
from typing import Any

from ..core.executor import contract_of
from ..core.gate.contract import call_hash, observe
from ..core.text.redact import redact, redact_value
from ..core.tools.finding import MOST
from ..core.tools.limits import limited, looks_back, over_limit
from ..errors import UnknownName
from ..model.effect import (
    Admit,
    Execute,
    Intend,
    Intent,
    Observed,
    Proceed,
    Proceeded,
    Reconcile,
    Reconciled,
    Remembered,
    Seek,
)
from ..model.policy import Policy
from ..model.request import RequestContext
from ..model.tool import RawResult, ToolCall, ToolContract, ToolUse
from ..model.verdict import Verdict
from .wired import Ports

PARALLEL_CALLS = 4
HAPPENED = "happened"
"""The field of what a contract's `reconcile` tool says: true, false, or null where it cannot say yet."""


@dataclass
class ToolRuns:
    """Performs what a flow asks about its calls."""

    ctx: RequestContext
    policy: Policy
    ports: Ports
    _intended: set[tuple[str, int]] = field(default_factory=set)
    _changed: bool = False

    def handlers(self) -> dict[type, Callable[[Any], Any]]:
        """What answers each effect."""
        return {
            Remembered: self._remembered,
            Admit: self._admit,
            Intend: self._intend,
            Execute: self._execute,
            Proceed: self._proceed,
            Seek: self._seek,
            Reconcile: self._reconcile,
        }

    def _contract(self, call: ToolCall) -> ToolContract:
        return contract_of(self.policy.project.contracts(), call)

    def _admit(self, effect: Admit) -> Verdict | None:
        call, contract, gate = effect.call, self._contract(effect.call), self.policy.gate
        now = self.ports.clock()
        use = ToolUse(call.tool, self.ctx.actor, effect.request_id, call.index, now, contract.cost)
        since = now - looks_back(self.policy.project.contracts().values(), gate)
        return self.ports.uses.admit(use, since, lambda earlier: over_limit(use, contract, gate, earlier))

    def ended(self, effect: Observed) -> None:
        """Notes how a counted call ended, for the circuit breaker."""
        if limited(self._contract(effect.call), self.policy.gate):
            failed = effect.observation.status in ("failed", "unknown", "fallback")
            self.ports.uses.ended(effect.request_id, effect.call.index, failed)

    def _intend(self, effect: Intend) -> Intent:
        self._intended.add((effect.request_id, effect.call.index))
        return self.ports.ledger.intend(effect.request_id, effect)

    def _execute(self, effect: Execute) -> tuple[RawResult, ...]:
        run = partial(self._run, effect.request_id)
        if len(effect.calls) == 1:
            return (run(effect.calls[0]),)
        with ThreadPoolExecutor(PARALLEL_CALLS) as pool:
            return tuple(pool.map(run, effect.calls))

    def _run(self, request_id: str, call: ToolCall) -> RawResult:
        contract, identity = self._contract(call), self._identity(request_id, call)
        # Its Intend came out of the journal: an earlier process may have run it, and nobody can say.
        if (request_id, call.index) not in self._intended and not contract.repeatable:
            return RawResult(unknown=True, detail="the process ended while the call was under way")
        self._changed = self._changed or not contract.changes_nothing
        seconds = contract.timeout or (self.policy.gate.tool_timeout if contract.server else 0)
        told = replace(call, key=identity)
        raw = self.ports.running(identity, lambda: self._ran(told, request_id), seconds)
        clean = self._kept(request_id, call, raw)
        if (contract.cache or contract.fallback) and observe(contract, call, clean).status == "ok":
            self._remember(call, clean)
        return clean

    def _proceed(self, effect: Proceed) -> Proceeded:
        assert self.ports.code is not None, "a project that allows code has something to run it"
        came = self.ports.code.proceed(effect, self.policy.project.contracts())
        if came.call is not None:
            return replace(came, call=replace(came.call, arguments=redact_value(came.call.arguments)))
        assert came.result is not None, "code calls, or it has ended"
        return Proceeded(result=self._kept(effect.request_id, effect.call, came.result))

    def _kept(self, request_id: str, call: ToolCall, raw: RawResult) -> RawResult:
        """The result without its secrets, after the whole of it was stored.

        One that nobody can write down does not take with it that the call was made.
        """
        reference = f"toolrun://{request_id}/{call.index}"
        try:
            clean = self._clean(raw, reference)
            full = clean.value if raw.whole is None else raw.whole
            whole = {"tool": call.tool, "arguments": call.arguments, "value": full, "failure": clean.failure}
            self._put(reference, redact_value(whole))
        except (ValueError, TypeError, RecursionError):
            lost = RawResult(failure="no-json", detail="what it gave cannot be written as JSON", unknown=True)
            return self._kept(request_id, call, lost)
        return clean

    def _seek(self, effect: Seek) -> RawResult:
        assert self.ports.code is not None, "a project that allows searches has something to search with"
        contracts = self.policy.project.contracts()
        searched = [contracts[name] for name in effect.tools if name in contracts]
        names = self.ports.code.find(str(effect.call.arguments["query"]), MOST, searched) if searched else ()
        return self._kept(effect.request_id, effect.call, RawResult({"tools": list(names)}))

    def _ran(self, call: ToolCall, request_id: str) -> RawResult:
        own = self.ports.own.get(call.tool)
        return self.ports.tools.execute(call, self.ctx) if own is None else own(call, self.ctx, request_id)

    def _clean(self, raw: RawResult, reference: str) -> RawResult:
        return replace(
            raw,
            value=redact_value(raw.value) if raw.value is not None else None,
            detail=redact(raw.detail),
            artifact_ref=reference,
            finished_at=raw.finished_at or self.ports.clock(),
            whole=None,
        )

    def _put(self, reference: str, document: Any) -> None:
        # Half a character in a tool's output must not lose the outcome of a tool that has run.
        data = json.dumps(document, ensure_ascii=True, sort_keys=True, default=str).encode()
        self.ports.artifacts.put(reference, data, self.ctx.subject_id)

    @staticmethod
    def _identity(request_id: str, call: ToolCall) -> str:
        return call_hash(request_id.rpartition(".")[0], call)

    def _reconcile(self, effect: Reconcile) -> Reconciled:
        """What the tool that the contract names says; while our own call still runs, nobody can know."""
        call, hook = effect.call, self._contract(effect.call).reconcile
        asked = self._contract(ToolCall(hook, {}))
        if self.ports.running.runs_on(effect.call_hash):
            return Reconciled(result=RawResult(unknown=True, detail="the call is still running"))
        known = asked.input_schema.get("properties", {})
        arguments = {name: value for name, value in call.arguments.items() if name in known}
        told = ToolCall(hook, arguments, call.index, effect.call_hash)
        seconds = asked.timeout or self.policy.gate.tool_timeout
        raw = self.ports.running(f"{effect.call_hash}?", lambda: self._ran(told, effect.request_id), seconds)
        clean = self._clean(raw, f"toolrun://{effect.request_id}/{call.index}")
        value = dict(clean.value or {})
        happened = value.pop(HAPPENED, None)
        if clean.failure is not None or clean.unknown or not isinstance(happened, bool):
            return Reconciled(result=RawResult(unknown=True, detail=clean.detail))
        if happened:
            self._put(clean.artifact_ref, redact_value({"tool": hook, "arguments": arguments, "value": clean.value}))
        return Reconciled(happened, replace(clean, value=value))

    def _remember(self, call: ToolCall, raw: RawResult) -> None:
        assert raw.finished_at is not None, "it was given a time"
        kept = {"value": raw.value, "artifact_ref": raw.artifact_ref, "finished_at": raw.finished_at.isoformat()}
        self._put(self._kept_as(call), kept)

    def _remembered(self, effect: Remembered) -> RawResult | None:
        """What was remembered of the same call, unless it is too old, or this run has changed something since.

        Nobody knows the age of what was said after now: the clock was set back.
        """
        try:
            kept: Mapping[str, Any] = json.loads(self.ports.artifacts.get(self._kept_as(effect.call)))
        except UnknownName:
            return None
        at = datetime.fromisoformat(kept["finished_at"])
        age = self.ports.clock() - at
        if self._changed or not timedelta() <= age <= timedelta(seconds=effect.seconds):
            return None
        return RawResult(value=kept["value"], artifact_ref=kept["artifact_ref"], finished_at=at)

    def _kept_as(self, call: ToolCall) -> str:
        """The name of what a session was told: another actor, subject or set of grants has a memory of its own."""
        ctx = self.ctx
        asked: Sequence[Any] = (ctx.actor, ctx.subject_id, sorted(ctx.grants), call.tool, call.arguments)
        return f"toolkept://{blake2b(json.dumps(asked, sort_keys=True).encode(), digest_size=16).hexdigest()}"
