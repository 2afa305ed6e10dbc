"""ATIF, the Agent Trajectory Interchange Format of Harbor (versions 1.0 to 1.8): a document with a list of steps.

A step of the agent holds its message, its calls, their results and its metrics, whose prompt includes what was cached.
A step copied from an earlier trajectory stands in the context and did not happen here; one with `llm_call_count` 0 no
model was asked for. Sub-agents embedded in the document are conversations of their own, begun by the step that refers
to them.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from ...model.message import Block, CallBlock, Media, MediaBlock, Message, ResultBlock, TextBlock, ThinkingBlock, Usage
from ...model.transcript import Accounted, Began, Called, Ended, Event, Offered, Reported, Said
from .format import Format, Record, Sample
from .shared.chat import listed, texts_of, tool_of, usage_of
from .shared.rows import mapping, number, seconds, text

Raw = Mapping[str, Any]
SOURCES = ("system", "user", "agent")
VERSION = "ATIF-v"
STEPS = "steps"
SUBAGENTS = "subagent_trajectories"


@dataclass(slots=True)
class Trajectory:
    """One trajectory under way."""

    thread: str = ""
    parent: str | None = None
    agent: Raw = field(default_factory=dict)
    members: dict[str, Any] = field(default_factory=dict)
    refers: dict[str, int] = field(default_factory=dict)
    head: list[Message] = field(default_factory=list)
    last: int = -1
    offered: bool = False

    def member(self, name: str, value: Any) -> None:
        """A member of the document beside the steps."""
        if name == "agent":
            self.agent = mapping(value)
        else:
            self.members[name] = value

    def step(self, index: int, raw: Raw, record: int | None = None) -> Iterator[Event]:
        """The events of one step; `record` where the whole trajectory is one record."""
        common: dict[str, Any] = {"record": index if record is None else record, "thread": self.thread}
        common["at"] = seconds(raw.get("timestamp"))
        if self.last < 0:
            facts = {key: self.agent[key] for key in ("name", "version") if key in self.agent}
            yield Began(parent=self.parent, facts=facts, **common)
        tools = self.agent.get("tool_definitions")
        if not self.offered and isinstance(tools, list):
            yield Offered(tools=tuple(map(tool_of, tools)), **common)
        self.offered, self.last = True, common["record"]
        yield from self._said(index, raw, common)
        yield from self._results(raw, common)

    def _said(self, index: int, raw: Raw, common: dict[str, Any]) -> Iterator[Event]:
        source, copied = raw.get("source"), raw.get("is_copied_context") is True
        blocks = _blocks(raw.get("message"))
        if source == "system" and not self.head and not copied and not self.refers and index == len(self.head):
            self.head.append(Message("system", blocks))
            yield Offered(system=tuple(self.head), **common)
        elif source != "agent":
            role = "system" if source == "system" else "user"
            message = Message("system" if role == "system" else "user", blocks)
            yield Said(message=message, speaker="harness" if role == "system" else "person", again=copied, **common)
        else:
            yield from self._answer(index, raw, blocks, copied, common)

    def _answer(
        self, index: int, raw: Raw, blocks: tuple[Block, ...], copied: bool, common: dict[str, Any]
    ) -> Iterator[Event]:
        thought = text(raw.get("reasoning_content"))
        thinking = (ThinkingBlock(text=thought),) if thought else ()
        message = Message("assistant", (*thinking, *blocks, *_calls(raw)))
        if copied or raw.get("llm_call_count") == 0:
            yield Said(message=message, speaker="model" if copied else "harness", again=copied, **common)
            return
        name, model = f"step-{raw.get('step_id', index)}", self._model(raw)
        yield Called(response=name, model=model, **common)
        yield Said(message=message, speaker="model", response=name, **common)
        metrics = mapping(raw.get("metrics"))
        usage, cost = _usage(metrics), number(metrics.get("cost_usd"))
        if usage is not None or cost is not None:
            yield Reported(usage=usage or Usage(), response=name, model=model, cost=cost, **common)

    def _model(self, raw: Raw) -> str:
        return text(raw.get("model_name")) or text(self.agent.get("model_name"))

    def _results(self, raw: Raw, common: dict[str, Any]) -> Iterator[Event]:
        """What came of a step: results of its calls, or what the environment tells."""
        calls = [each["tool_call_id"] for each in map(mapping, listed(raw.get("tool_calls"))) if "tool_call_id" in each]
        results = mapping(raw.get("observation")).get("results")
        for each in map(mapping, listed(results)):
            for refer in map(mapping, listed(each.get("subagent_trajectory_ref"))):
                self.refers[text(refer.get("trajectory_id"))] = common["record"]
            call = each.get("source_call_id") or (calls[0] if len(calls) == 1 else None)
            blocks, again = _blocks(each.get("content")), raw.get("is_copied_context") is True
            if call is not None:
                message = Message("tool", (ResultBlock(str(call), blocks, "blocks"),))
                yield Said(message=message, speaker="tool", again=again, **common)
            elif blocks:
                yield Said(message=Message("user", blocks), speaker="harness", again=again, **common)

    def end(self) -> Iterator[Event]:
        """The embedded sub-agents, the totals, and the end."""
        record = max(self.last, 0)
        inner = self.members.get(SUBAGENTS)
        for each in map(mapping, listed(inner)):
            yield from whole(self.refers.get(text(each.get("trajectory_id")), record), each, self.thread)
        final = mapping(self.members.get("final_metrics"))
        totals = {key.removeprefix("total_"): value for key, value in final.items()}
        usage, cost = _usage(totals), number(final.get("total_cost_usd"))
        if usage is not None or cost is not None:
            yield Reported(record=record, thread=self.thread, usage=usage or Usage(), cost=cost)
        yield Ended(record=record, thread=self.thread)


def whole(record: int, raw: Raw, parent: str | None = None) -> Iterator[Event]:
    """The events of a trajectory that one record holds; a sub-agent's is named by its own id."""
    name = text(raw.get("trajectory_id")) or text(raw.get("session_id"))
    trajectory = Trajectory(name or f"record {record}", parent)
    for key, value in raw.items():
        if key != STEPS:
            trajectory.member(key, value)
    steps = raw.get(STEPS)
    for at, each in enumerate(listed(steps)):
        yield from trajectory.step(at, mapping(each), record)
    yield from trajectory.end()


def _blocks(content: Any) -> tuple[Block, ...]:
    if isinstance(content, str):
        return (TextBlock(content),) if content else ()
    if not isinstance(content, list):
        return texts_of(content) if content is not None else ()
    blocks: list[Block] = []
    for each in map(mapping, content):
        source = mapping(each.get("source"))
        media = next((kind for kind in get_args(Media) if kind == each.get("type")), None)
        if media is not None and source:
            blocks.append(MediaBlock(media, text(source.get("media_type")) or None, url=text(source.get("path"))))
        else:
            blocks.extend(texts_of([each]))
    return tuple(blocks)


def _calls(raw: Raw) -> Iterator[CallBlock]:
    given = raw.get("tool_calls")
    for each in map(mapping, listed(given)):
        native = {"extra": each["extra"]} if each.get("extra") else {}
        name = text(each.get("function_name"))
        yield CallBlock(text(each.get("tool_call_id")) or None, name, each.get("arguments"), native=native)


def _usage(metrics: Raw) -> Usage | None:
    written = mapping(metrics.get("extra")).get("cache_creation_input_tokens")
    details = {"cached_tokens": metrics.get("cached_tokens"), "cache_creation_tokens": written}
    usage = usage_of({**metrics, "prompt_tokens_details": details})
    given = (metrics.get("prompt_tokens"), metrics.get("completion_tokens"))
    return None if given == (None, None) else usage


def _is_trajectory(raw: Any) -> bool:
    value = mapping(raw)
    steps = value.get(STEPS)
    if not isinstance(steps, list) or not steps:
        return False
    return text(value.get("schema_version")).startswith(VERSION) or text(mapping(steps[0]).get("source")) in SOURCES


def refuses(sample: Sample) -> str:
    """Why this is no ATIF trajectory, "" where it is one."""
    held = [sample.members] if sample.shape == "object" else sample.records[:1]
    return "" if held and all(map(_is_trajectory, held)) else "it has no ATIF schema_version and no steps with a source"


def read(records: Iterable[Record]) -> Iterator[Event]:
    """The events of a trajectory, step by step."""
    trajectory = Trajectory()
    for record in records:
        raw = mapping(record.value)
        if record.index < 0:
            trajectory.member(record.part, record.value)
        elif record.part == STEPS and text(raw.get("source")) in SOURCES:
            yield from trajectory.step(record.index, raw)
            yield Accounted(record=record.index, fate="kept", type=raw["source"])
        elif record.part != STEPS and _is_trajectory(raw):
            yield from whole(record.index, raw)
            yield Accounted(record=record.index, fate="kept", type="trajectory")
        else:
            yield Accounted(record=record.index, fate="unknown", type="step", detail="it has no source")
    if trajectory.last >= 0:
        yield from trajectory.end()


FORMAT = Format("atif", "ATIF trajectory", refuses, read, (STEPS,))
