"""The check before a call leaves, and the record of it: judged by the gate, filed for a person, written down (D5)."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

from ...core.gate.check import Grounds, judge_call
from ...core.gate.contract import call_hash, shown_to_person
from ...core.gateway.access import judge_arguments
from ...core.text.redact import redact_value
from ...edges.stores import TenantStore
from ...model.effect import Intend, Observed
from ...model.policy import Policy
from ...model.request import RequestContext
from ...model.task import Task
from ...model.tool import Observation, ObservationStatus, ToolCall, ToolContract
from ...model.verdict import Verdict
from ...ports import Clock

ASKED_FOR = "a call through the gateway"
"""What stands where a request has its question: the gateway never sees the person's words."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A call, what was said of it, and under which id it is on record; `approval_id` where a person is to decide."""

    call: ToolCall
    verdict: Verdict
    request_id: str
    identity: str
    approval_id: str = ""

    @property
    def reference(self) -> str:
        """Under which the whole of its result is kept, where that is more than was told."""
        return f"toolrun://{self.request_id}/1"


@dataclass
class GatewayGate:
    """Judges and records the calls of one session. Its id is `session`; call n of it is on record as `session.n`."""

    ctx: RequestContext
    policy: Callable[[], Policy]
    store: TenantStore
    clock: Clock
    session: str
    _number: int = 0
    _made: dict[str, int] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def before(self, name: str, arguments: Mapping[str, Any], contracts: Mapping[str, ToolContract]) -> Judged:
        """The verdict on a call. What is to run and must not run twice is on record when this returns."""
        with self._lock:
            self._number += 1
            request_id = f"{self.session}.{self._number}"
        # A secret is not even written down.
        call = ToolCall(name, redact_value(arguments))
        made = self._made.get(call_hash(self.session, call), 0)
        # Each time a call is made it is one of its own: what was approved once was approved for one time.
        run_id = f"{self.session}#{made}"
        identity = call_hash(run_id, call)
        verdict = self._verdict(call, arguments, contracts, run_id)
        contract = contracts.get(name)
        if verdict.outcome == "allow" and contract is not None and not contract.repeatable:
            self._begin(request_id)
            self.store.ledger.intend(request_id, Intend(request_id, call, identity, repeatable=False))
        if verdict.outcome == "allow":
            self._made[call_hash(self.session, call)] = made + 1
            return Judged(call, verdict, request_id, identity)
        return self._turned_away(Judged(call, verdict, request_id, identity))

    def _verdict(
        self, call: ToolCall, given: Mapping[str, Any], contracts: Mapping[str, ToolContract], run_id: str
    ) -> Verdict:
        contract = contracts.get(call.tool)
        if contract is not None and (secret := judge_arguments(contract, given)).outcome != "allow":
            return replace(secret, subject=call.tool)
        grounds = Grounds(
            run_id=run_id,
            question="",
            offered=tuple(contracts.values()),
            state=self.store.states.load(self.ctx.subject_id),
            approvals=self.store.approvals.granted(self.session),
            gate=self.policy().gate,
        )
        return judge_call(call, grounds)

    def _turned_away(self, judged: Judged) -> Judged:
        verdict, approval_id = judged.verdict, ""
        self._begin(judged.request_id)
        if verdict.outcome == "ask":
            approval_id = judged.identity[:16]
            shown = shown_to_person(judged.call, verdict)
            self.store.approvals.request(approval_id, judged.identity, judged.request_id, shown, self.clock())
        self._observed(judged, "asked" if approval_id else "refused", verdict.why, verdict.rule)
        return replace(judged, approval_id=approval_id)

    def after(
        self,
        judged: Judged,
        contract: ToolContract,
        status: ObservationStatus,
        value: Mapping[str, Any],
        rules: Sequence[str],
    ) -> None:
        """Writes down how a call ended and what of its result was told; `rules` bore on that, the foremost first."""
        if contract.repeatable:
            self._begin(judged.request_id)
        rule = rules[0] if rules else "ok" if status == "ok" else "tool-failed"
        self._observed(judged, status, ", ".join(rules), rule, value)

    def keep(self, reference: str, tool: str, whole: Any) -> None:
        """Stores what came as it came, without its secrets, under the reference by which it is read back."""
        data = json.dumps({"tool": tool, "value": whole}, ensure_ascii=True, sort_keys=True).encode()
        self.store.artifacts.put(reference, data, self.ctx.subject_id)

    def next_reference(self) -> str:
        """The reference of something that no call brought."""
        with self._lock:
            self._number += 1
            return f"toolrun://{self.session}.{self._number}/1"

    def kept(self, reference: str) -> bytes:
        """What was kept in this session. UnknownName for anything else, in the same words."""
        own = reference.startswith(f"toolrun://{self.session}.")
        return self.store.artifacts.get(reference if own else "toolrun://none.1/1")

    def _begin(self, request_id: str) -> None:
        run_id, _, number = request_id.rpartition(".")
        policy = self.policy()
        task = Task(ASKED_FOR, run_id, int(number))
        self.store.ledger.begin(self.ctx.at(self.clock()), task, policy, policy.fingerprint)

    def _observed(
        self,
        judged: Judged,
        status: ObservationStatus,
        note: str,
        rule: str,
        value: Mapping[str, Any] | None = None,
    ) -> None:
        call = judged.call
        observation = Observation(
            call.tool, status, call.arguments, value or {}, checked_at=self.clock(), note=note, rule=rule
        )
        self.store.ledger.write(
            judged.request_id, Observed(judged.request_id, call, judged.identity, observation), None
        )
