"""Strategies for the nouns a store must give back equal, and one small decision to write."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import strategies as st

from callsheet.core.render.fragment import digest, fragment
from callsheet.core.render.wire import join
from callsheet.model.effect import CallRecord, Found, Outage, Step
from callsheet.model.evidence import Evidence
from callsheet.model.item import ContextItem, LeftOut
from callsheet.model.manifest import ContextManifest, Packing
from callsheet.model.memory import MemoryRecord
from callsheet.model.message import Proposal, Reply, Usage
from callsheet.model.policy import Budget, DecisionKind, Example, ModelProfile, Policy, Project, Weights
from callsheet.model.request import RequestContext
from callsheet.model.task import Approval, Event, Task, TaskState, Value
from callsheet.model.tool import Condition, Observation, RawResult, ToolCall, ToolContract
from callsheet.model.verdict import Verdict
from callsheet.model.wire import FRAME, Segment

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)

texts = st.text(st.characters(), max_size=12)
names = st.text("abcäß0/@#", min_size=1, max_size=6)
scores = st.floats(0, 1)
zones = st.builds(timezone, st.builds(timedelta, minutes=st.integers(-720, 720)))
moments = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=zones)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(texts, json_values, max_size=3)
words = st.lists(names, max_size=3).map(tuple)
optional = st.none() | texts

evidence = st.builds(
    Evidence,
    *[names] * 7,
    *[st.integers(0, 99)] * 2,
    scope=optional,
    effective=st.none() | moments,
    superseded=st.booleans(),
    relevance=scores,
    rank=st.integers(0, 9),
)
states = st.builds(
    TaskState,
    goal=texts,
    completed=words,
    facts=st.dictionaries(texts, texts, max_size=2),
    resources=st.dictionaries(texts, words, max_size=2),
    version=st.integers(0, 9),
)
memories = st.builds(
    MemoryRecord, names, st.just("t1"), names, texts, names, expires_at=st.none() | moments, scope=optional
)
events = st.builds(Event, names, texts, names, moments, optional, st.none() | moments)
calls = st.builds(ToolCall, names, objects, st.integers(1, 4))
observations = st.builds(
    Observation, names, st.sampled_from(["ok", "failed"]), objects, objects, names, st.none() | moments, texts
)
conditions = st.builds(Condition, st.just("one_of"), names, st.lists(json_values, max_size=2).map(tuple))
contracts = st.builds(
    ToolContract,
    names,
    texts,
    objects,
    objects,
    authority=words,
    preconditions=st.lists(conditions, max_size=2).map(tuple),
)
records = st.one_of(evidence, memories, states, st.builds(Value, *[texts] * 5), events, observations, contracts)
tokens = st.integers(0, 99)


@st.composite
def items(draw: st.DrawFn) -> ContextItem:
    text, count = draw(texts), draw(tokens)
    return ContextItem(
        item_id=draw(names),
        kind=draw(st.sampled_from(["instruction", "evidence", "memory", "event", "tool"])),
        source=draw(names),
        trust=draw(st.sampled_from(["trusted", "untrusted"])),
        retrieved_at=draw(st.none() | moments),
        token_count=count,
        tenant_id="t1",
        subject_id=draw(st.sampled_from([None, "u1", "u2"])),
        text=text,
        relevance=draw(scores),
        freshness=draw(scores),
        injection_risk=draw(scores),
        redundant=draw(st.booleans()),
        fragment=draw(st.sampled_from([None, fragment(text, count)])),
        record=draw(st.none() | records),
    )


several = st.lists(items(), max_size=4, unique_by=lambda item: item.item_id).map(tuple)
approvals = st.builds(Approval, names, names, st.booleans(), names, moments)
found = st.builds(Found, several, st.lists(approvals, max_size=2).map(tuple))
gathered = st.lists(found | st.builds(Outage, names, texts), max_size=3).map(tuple)
left_out = st.builds(
    LeftOut, names, st.just("memory"), names, st.sampled_from(["budget", "utility"]), st.none() | scores, tokens, texts
)


@st.composite
def recordings(draw: st.DrawFn) -> tuple[ContextManifest, object]:
    chosen = draw(several)
    segments = []
    for item in chosen:
        frame = draw(st.binary(max_size=6))
        segments.append(Segment(FRAME, frame, digest(frame)))
        if item.fragment is not None:
            segments.append(Segment(item.item_id, item.fragment.data, item.fragment.digest))
        short = draw(st.binary(max_size=6))
        segments.append(Segment(draw(st.sampled_from([item.item_id, "elsewhere"])), short, digest(short)))
    manifest = ContextManifest(
        "run-1.1",
        "t1",
        chosen,
        total_input_tokens=draw(tokens),
        left_out=draw(st.lists(left_out, max_size=2).map(tuple)),
        packing=Packing(draw(words), {draw(names): "budget"}, 3, 9, {draw(names): draw(scores)}),
        weights=draw(st.none() | st.builds(Weights, scores, scores)),
        budget=draw(st.none() | st.builds(Budget, tokens, tokens)),
        dialect="openai_chat",
        notes=draw(words),
    )
    return manifest, join("openai_chat", segments, draw(st.integers(0, len(segments))))


results = st.builds(RawResult, st.none() | objects, optional, texts, st.booleans(), names, st.none() | moments)
replies = st.builds(Reply, st.binary(max_size=20), texts, st.booleans(), st.none() | moments)
verdicts = st.builds(Verdict, st.sampled_from(["allow", "ask"]), st.just("ok"), texts, optional, optional)
proposals = st.builds(Proposal, st.just("calls"), st.lists(calls, max_size=2).map(tuple), texts, words)
steps = st.builds(
    Step,
    st.just("run-1.1"),
    names,
    names,
    st.none() | proposals,
    st.lists(st.builds(CallRecord, calls, verdicts, observations), max_size=2).map(tuple),
    st.lists(verdicts, max_size=2).map(tuple),
    texts,
    usage=st.none() | st.builds(Usage, tokens, tokens, tokens, tokens, objects),
)
kinds = st.builds(
    DecisionKind, names, texts, words, st.builds(Weights, scores), st.none() | st.builds(Budget, tokens, tokens)
)
policies = st.builds(
    Policy,
    st.builds(
        Project,
        several,
        several,
        st.lists(st.tuples(st.builds(Example, *[texts] * 7), items()), max_size=2).map(tuple),
        st.dictionaries(names, kinds, max_size=2),
        names,
        st.dictionaries(names, items(), max_size=2),
    ),
    st.builds(ModelProfile, names, st.just("openai_chat"), tokens, tokens, names),
)
tasks = st.builds(
    Task,
    texts,
    st.just("run-1"),
    observations=st.lists(observations, max_size=2).map(tuple),
    refusals=st.lists(verdicts, max_size=2).map(tuple),
)
contexts = st.builds(
    RequestContext, st.just("t1"), names, st.none() | names, texts, st.none() | moments, st.lists(names, max_size=2)
)

POLICY = Policy(Project((), (), (), {}, "answer", {}), ModelProfile("m", "openai_chat", 4000, 500, "o200k"))


def context(tenant_id: str = "t1", subject_id: str | None = "u1") -> RequestContext:
    return RequestContext(tenant_id, "ada", subject_id, now=NOW)


def section(number: int, text: str = "", **changes: object) -> ContextItem:
    """A measured item of evidence with its record."""
    text = text or f"Section {number}. " + "Keys that were revoked answer with 401 until they are replaced. " * 14
    name = f"runbook/api-keys@v7#section-{number}"
    record = Evidence(
        name, "t1", "runbook/api-keys", "v7", f"section-{number}", "Keys", text, 0, len(text), relevance=0.5
    )
    values = {"kind": "evidence", "version": "v7", "retrieved_at": NOW, "record": record, "token_count": 200, **changes}
    return ContextItem(
        name, source=name, trust="untrusted", tenant_id="t1", text=text, fragment=fragment(text, 200), **values
    )


def recording(request_id: str, chosen: tuple[ContextItem, ...]) -> tuple[ContextManifest, object]:
    """A manifest of these items and the wire that goes with it."""
    segments = []
    for item in chosen:
        frame = b'"},{"text":"'
        segments += [
            Segment(FRAME, frame, digest(frame)),
            Segment(item.item_id, item.fragment.data, item.fragment.digest),
        ]
    manifest = ContextManifest(request_id, "t1", chosen, 100, dialect="openai_chat")
    return manifest, join("openai_chat", segments, 1)
