"""tau-bench: an agent, a simulated person, and a reward; a record holds one trial of one task.

Rows of tau-bench have `traj`, its messages in the form of Chat Completions. Simulations of tau2 have `messages` with
usage, and a simulated person who may use tools too: the agent sees neither those calls nor their results, so they are
a conversation of their own. An agent's first words there are a greeting that no model was asked for.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...model.message import Message, ResultBlock
from ...model.transcript import Accounted, Began, Ended, Event, Offered, Speaker
from .format import Format, Record, Sample
from .openai_chat import DISPLAY, row
from .shared.chat import is_message, listed, message_of, texts_of, usage_of
from .shared.dialogue import Dialogue
from .shared.rows import mapping, number, seconds, text

Raw = Mapping[str, Any]
PERSON = "user"
BESIDE = frozenset("turn_idx timestamp cost usage raw_data generation_time_seconds requestor error id".split())


def trial(index: int, raw: Raw, thread: str) -> Iterator[Event]:
    """The events of one trial."""
    messages = _flat(raw.get("traj") or raw.get("messages"))
    facts = {key: raw[key] for key in ("task_id", "trial", "seed") if raw.get(key) is not None}
    yield Began(record=index, thread=thread, facts=facts)
    talk, aside = Dialogue(thread), Dialogue(f"{thread} (person)")
    if policy := text(raw.get("policy")):
        yield Offered(record=index, thread=thread, system=(Message("system", texts_of(policy)),))
    for at, each in enumerate(messages):
        own = (each.get("role") == PERSON and each.get("tool_calls")) or each.get("requestor") == PERSON
        if own:
            if not aside.begun:
                yield Began(record=index, thread=aside.thread, parent=thread)
            aside.begun = True
            yield from aside.take(index, _message(each), at=seconds(each.get("timestamp")), speaker=_aside(each))
        else:
            yield from _say(talk, index, at, each)
    yield from (Ended(record=index, thread=each.thread) for each in (aside,) if each.begun)
    yield Ended(record=index, thread=thread, facts=_outcome(raw))


def _say(talk: Dialogue, index: int, at: int, raw: Raw) -> Iterator[Event]:
    """A message of the agent's own conversation; only what the model says is counted, not the simulated person."""
    usage = usage_of(raw.get("usage"))
    greeting = not talk.begun and raw.get("role") == "assistant" and usage is None
    yield from talk.take(
        index,
        _message(raw),
        f"{index}.{at}",
        at=seconds(raw.get("timestamp")),
        speaker="harness" if greeting else None,
        usage=usage,
        cost=number(raw.get("cost")),
    )


def _message(raw: Raw) -> Message:
    """A message; of tau2's results the id is that of the call, and `error` says that it failed."""
    if raw.get("role") != "tool" or "requestor" not in raw:
        return message_of({**raw, "role": "assistant"} if raw.get("tool_calls") else raw, BESIDE)
    error = raw.get("error") if isinstance(raw.get("error"), bool) else None
    call = raw.get("id")
    result = ResultBlock(call if isinstance(call, str) else None, texts_of(raw.get("content")), is_error=error)
    return Message("tool", (result,))


def _aside(raw: Raw) -> Speaker:
    return "tool" if raw.get("role") == "tool" else "person"


def _flat(messages: Any) -> Iterator[Raw]:
    """The messages; several results in one are messages of their own."""
    for each in map(mapping, listed(messages)):
        inner = each.get("tool_messages")
        yield from map(mapping, inner) if isinstance(inner, list) else (each,)


def _outcome(raw: Raw) -> dict[str, Any]:
    reward = raw.get("reward", mapping(raw.get("reward_info")).get("reward"))
    facts = {"reward": reward, "status": raw.get("termination_reason")}
    return {key: value for key, value in facts.items() if value is not None}


def _is_trial(raw: Any) -> bool:
    value = mapping(raw)
    if isinstance(value.get("traj"), list) and ("task_id" in value or "reward" in value):
        return True
    return isinstance(value.get("messages"), list) and "task_id" in value and "termination_reason" in value


def refuses(sample: Sample) -> str:
    """Why this is none of tau-bench's, "" where it is one."""
    if sample.shape == "object":
        simulations = sample.members.get("simulations")
        found = isinstance(simulations, list) and any(map(_is_trial, simulations))
        single = DISPLAY in sample.members or _is_trial(sample.members)
        return "" if found or single else "it has no simulations, and is no trial of a task"
    if any(map(_is_trial, sample.records)):
        return ""
    shown = sample.records and all(DISPLAY in mapping(each) for each in sample.records)
    return "" if shown else "no record has a task_id and a traj, or a task_id and messages"


def read(records: Iterable[Record]) -> Iterator[Event]:
    """The events of every trial."""
    threads: set[str] = set()
    for record in records:
        index, raw = record.index, mapping(record.value)
        if index < 0:
            continue
        if _is_trial(raw):
            number = raw.get("trial")
            thread = f"task {raw.get('task_id')}" + (f", trial {number}" if number is not None else "")
            thread = f"{thread}, record {index}" if thread in threads else thread
            threads.add(thread)
            yield from trial(index, raw, thread)
        elif DISPLAY in raw or any(map(is_message, listed(raw.get("messages")))):
            yield from row(index, raw, f"row {index}", {})
        else:
            yield Accounted(record=index, fate="unknown", type="row", detail="it is no trial")
            continue
        yield Accounted(record=index, fate="kept", type="trial" if _is_trial(raw) else "row")


FORMAT = Format("tau-bench", "tau-bench trials", refuses, read, ("simulations",))
