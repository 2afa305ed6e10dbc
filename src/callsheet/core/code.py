"""Code as a tool: a script finds the few definitions it needs and calls them, and only what it prints returns (D8).

Each call that the code makes is judged, intended, run and observed as one of the model's own is, by the same functions
and on the same record; the code waits meanwhile. A question for a person ends it. So the definitions of a large
catalogue stand in no request, nor do results that the code read and the model need not.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..model.effect import CallRecord, Flow, Proceed, ask
from ..model.item import ContextItem
from ..model.policy import DecisionKind
from ..model.sandbox import Isolation
from ..model.tool import Observation, RawResult, ToolCall, ToolContract
from ..model.verdict import Verdict
from .gate.check import Grounds, judge_call
from .sources.conversation import label_of, shown
from .tools.finding import fitting

RUN_CODE = "run_code"


def contract(isolation: Isolation) -> ToolContract:
    """The contract of `run_code`. Where no wall stands around the code, a person confirms each call."""
    walled = isolation == "full"
    return ToolContract(
        RUN_CODE,
        "Runs Python that calls tools. tools.search('what is needed') lists tools that fit, each with name, "
        "description and input_schema; tools.call(name, {…}) calls one and gives its result as a dict. Only what the "
        "code prints is returned, so print what is needed, and no more.",
        {
            "type": "object",
            "properties": {"code": {"type": "string"}},
            "required": ["code"],
            "additionalProperties": False,
        },
        {"properties": {"printed": {"type": "string"}}},
        effects="none" if walled else "external",
        confirm=not walled,
        failures=("not-run", "failed", "out-of-time", "too-much-output", "stopped"),
    )


def callable_in_code(kind: DecisionKind, permitted: Sequence[ToolContract]) -> tuple[ToolContract, ...]:
    """The tools that code of this decision may find and call, of those that the actor may use."""
    if RUN_CODE not in kind.allowlist:
        return ()
    return fitting((*kind.allowlist, *kind.in_code), permitted)


@dataclass(frozen=True, slots=True)
class Ended:
    """What code came to: its result, and the calls that it made, in their order."""

    result: RawResult
    calls: tuple[CallRecord, ...]


Perform = Callable[[ToolCall, Verdict], Flow[CallRecord]]
"""Takes a judged call through intention, execution and observation, where it may run; the record of it."""


def run_code(request_id: str, call: ToolCall, grounds: Grounds, first: int, most: int, perform: Perform) -> Flow[Ended]:
    """Lets code run to its end, or to a question: each call of its judged on the same grounds.

    Its calls are numbered from `first`, at most `most` of them. What they read counts as read for those after them.
    """
    inner = replace(grounds, offered=grounds.in_code, gate=replace(grounds.gate, max_calls=first + most - 1))
    made: list[CallRecord] = []
    effect = Proceed(request_id, call, tuple(each.name for each in grounds.in_code))
    while True:
        came = yield from ask(effect)
        if came.call is None:
            result = came.result or RawResult(failure="stopped")
            return Ended(replace(result, origins=_origins(inner.items)), tuple(made))
        proposed = replace(came.call, index=first + len(made))
        record = yield from perform(proposed, judge_call(proposed, inner))
        made.append(replace(record, within=call.index))
        inner = replace(inner, items=(*inner.items, _read(record.observation, inner)))
        effect = replace(effect, told=record.observation, stop=_stopped(record, most))


def _stopped(record: CallRecord, most: int) -> str:
    """Why code does not run on after a call; empty where it does."""
    if record.verdict.outcome == "ask":
        return f"a person is asked first: {record.verdict.question}"
    if record.observation.status == "unknown":
        return f"nobody can say whether {record.call.tool} ran"
    return f"code may make {most} calls" if record.verdict.rule == "call-limit" else ""


def _origins(items: Sequence[ContextItem]) -> tuple[str, ...]:
    """The tools whose results code was written after, or told of: what it prints may hold any of them."""
    read = (each.record for each in items if isinstance(each.record, Observation))
    return tuple(dict.fromkeys(name for each in read for name in (each.tool, *each.origins)))


def _read(observation: Observation, grounds: Grounds) -> ContextItem:
    """What code was told, as the gate sees what a model has read."""
    known = {each.name: each for each in (*grounds.in_code, *grounds.known)}
    return ContextItem(
        item_id=f"observation/{observation.artifact_ref}",
        kind="observation",
        source=observation.artifact_ref,
        trust="untrusted",
        text=shown(observation),
        record=observation,
        confidentiality=label_of(observation, known).confidentiality,
    )
