"""Inspect's evaluation logs: a document with `samples`, each of which holds its messages and its events.

Every model event has the whole request and what came of it, so that a sample is read like recorded requests: its
conversations are told apart by how requests go on from one another (a grader's is not the agent's). What many events
share stands in pools beside them (`attachments`, `events_data`). A sample without events has its messages alone, and
its usage as a whole. Rules from inspect_ai's `event/_model.py`, `event/_pool.py` and `model/_model_output.py`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ....core.render.figures import counted, figures
from ....model.message import Response, ResultBlock, ToolDefinition, Usage
from ....model.prompt import Prompt
from ....model.transcript import Accounted, Began, Ended, Event, Reported, Said
from ..format import Format, Record, Sample
from ..shared.chat import listed
from ..shared.dialogue import Dialogue
from ..shared.requests import Call, Conversations
from ..shared.rows import mapping, number, seconds, text
from .messages import Pools, message_of

Raw = Mapping[str, Any]
SAMPLES = "samples"
CACHED = "read"
"""How an event says that its output came from Inspect's own cache: nothing was asked of a provider."""


@dataclass(slots=True)
class _Sample:
    """One sample under way: which call was made in which conversation, and whether it was answered."""

    index: int
    thread: str
    unanswered: dict[str, str] = field(default_factory=dict)
    threads: dict[str, str] = field(default_factory=dict)

    def named(self, event: Event) -> Event:
        """An event under this sample's name; its further conversations are numbered."""
        inner = event.thread
        name = self.threads.setdefault(inner, f"{self.thread} ({inner})" if self.threads else self.thread)
        if name == self.thread:
            return replace(event, thread=name)
        if isinstance(event, Began):
            return replace(event, thread=name, parent=self.thread)
        if isinstance(event, Said) and event.speaker == "person":
            return replace(event, thread=name, speaker="harness")  # a grader's prompt is no person's
        return replace(event, thread=name)

    def heard(self, event: Event) -> None:
        """Remembers the calls that have no result yet."""
        if not isinstance(event, Said):
            return
        for call in event.message.calls:
            if call.id:
                self.unanswered[call.id] = event.thread
        for block in event.message.blocks:
            if isinstance(block, ResultBlock) and block.call_id:
                self.unanswered.pop(block.call_id, None)


def sample(index: int, raw: Raw, thread: str) -> Iterator[Event]:
    """The events of one sample."""
    older = mapping(raw.get("transcript"))
    pools = Pools.of(raw, older)
    events = raw.get("events") or older.get("events")
    models = [each for each in map(mapping, listed(events)) if each.get("event") == "model"]
    facts = {key: raw[key] for key in ("id", "epoch", "target") if raw.get(key) is not None}
    outcome = _outcome(raw)
    if not models:
        yield Began(record=index, thread=thread, facts=facts)
        yield from _messages(index, raw, thread, pools)
        yield Ended(record=index, thread=thread, facts=outcome)
        return
    told, conversations = _Sample(index, thread), Conversations()
    for at, each in enumerate(models):
        for event in conversations.take(_call(index, at, each, pools)):
            named = told.named(event)
            told.heard(named)
            if isinstance(named, Began) and named.thread == thread:
                named = replace(named, facts=facts)
            if not (isinstance(named, Reported) and each.get("cache") == CACHED):
                yield named
    yield from _late(told, listed(events), pools)
    for event in conversations.end():
        named = told.named(event)
        yield replace(named, facts=outcome) if isinstance(named, Ended) and named.thread == thread else named


def _call(index: int, at: int, raw: Raw, pools: Pools) -> Call:
    """A model event as one call."""
    messages = tuple(map(message_of, pools.input(raw)))
    split = next((n for n, each in enumerate(messages) if each.role not in ("system", "developer")), len(messages))
    head = tuple(block for each in messages[:split] for block in each.blocks)
    tools = raw.get("tools")
    prompt = Prompt(
        model=text(raw.get("model")) or None,
        messages=messages[split:],
        system=head,
        system_form="blocks" if head else "absent",
        tools=tuple(map(_tool, tools)) if isinstance(tools, list) and tools else None,
    )
    output = mapping(pools.resolved(raw.get("output")))
    choices, name = output.get("choices"), f"{index}.{at}"
    usage = usage_of(output.get("usage")) or Usage()
    model = text(output.get("model")) or text(raw.get("model"))
    said = mapping(choices[0] if isinstance(choices, list) and choices else None).get("message")
    response = None
    error = text(raw.get("error")) or text(output.get("error"))
    if isinstance(said, Mapping) and said:
        response = Response(message_of(said), usage=usage, id=name, model=model)
    cost = number(mapping(output.get("usage")).get("total_cost"))
    stamp = seconds(raw.get("timestamp"))
    return Call(
        record=index, prompt=prompt, response=response, name=name, model=model, at=stamp, error=error, cost=cost
    )


def _tool(raw: Any) -> ToolDefinition:
    entry = mapping(raw)
    return ToolDefinition(text(entry.get("name")), entry.get("description"), entry.get("parameters"), native=entry)


def _late(told: _Sample, events: Iterable[Any], pools: Pools) -> Iterator[Event]:
    """The results of the last calls, which no request was sent with any more."""
    for raw in map(mapping, events):
        call = text(raw.get("id"))
        if raw.get("event") != "tool" or call not in told.unanswered:
            continue
        thread = told.unanswered.pop(call)
        written = {"role": "tool", "content": pools.resolved(raw.get("result")), "tool_call_id": call}
        message = message_of({**written, "function": raw.get("function"), "error": raw.get("error")})
        at = seconds(raw.get("timestamp"))
        yield Said(record=told.index, thread=thread, at=at, message=message, speaker="tool")


def _messages(index: int, raw: Raw, thread: str, pools: Pools) -> Iterator[Event]:
    """A sample's messages, where it has no model events, and the usage of all of them."""
    talk = Dialogue(thread)
    given = raw.get("messages")
    for at, each in enumerate(listed(given)):
        entry = mapping(pools.resolved(each))
        yield from talk.take(index, message_of(entry), f"{index}.{at}", model=text(entry.get("model")))
    total = Usage()
    usages = [usage_of(each) for each in mapping(raw.get("model_usage")).values()]
    usages = usages or [usage_of(mapping(raw.get("output")).get("usage"))]
    known = [each for each in usages if each is not None]
    for each in known:
        total = total.plus(each)
    if known:
        yield Reported(record=index, thread=thread, usage=total)


def usage_of(raw: Any) -> Usage | None:
    """Inspect's figures: `input_tokens` is what was neither read from a cache nor written to one."""
    given = mapping(raw)
    if not given:
        return None
    keys = ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write", "output_tokens")
    fresh, read, written, output = (counted(given, key) for key in keys)
    return Usage(fresh, read, written, output, figures(given))


def _outcome(raw: Raw) -> dict[str, Any]:
    scores = {name: mapping(each).get("value") for name, each in mapping(raw.get("scores")).items()}
    reward = next(iter(scores.values())) if len(scores) == 1 else scores or None
    status = mapping(raw.get("error")).get("message") or mapping(raw.get("limit")).get("type")
    facts = {"reward": reward, "status": status}
    return {key: value for key, value in facts.items() if value is not None}


def refuses(given: Sample) -> str:
    """Why this is no log of Inspect's, "" where it is one."""
    if given.shape != "object":
        return "it is no JSON object with an eval"
    if "task" in mapping(given.members.get("eval")) or _is_sample(given.members):
        return ""
    return "it has no eval with a task"


def _is_sample(raw: Raw) -> bool:
    known = ("id", "epoch", "input", "target")
    return all(key in raw for key in known) and isinstance(raw.get("messages"), list)


def read(records: Iterable[Record]) -> Iterator[Event]:
    """The events of every sample."""
    threads: set[str] = set()
    for record in records:
        raw = mapping(record.value)
        if record.index < 0:
            continue
        if not _is_sample(raw):
            # A log that was broken off may have no samples at all.
            yield Accounted(record=record.index, fate="kept" if "eval" in raw else "unknown", type="log")
            continue
        epoch = raw.get("epoch")
        thread = f"sample {raw.get('id')}" + (f", epoch {epoch}" if epoch not in (None, 1) else "")
        thread = f"{thread}, record {record.index}" if thread in threads else thread
        threads.add(thread)
        yield from sample(record.index, raw, thread)
        yield Accounted(record=record.index, fate="kept", type="sample")


FORMAT = Format("inspect", "Inspect log", refuses, read, (SAMPLES,))
