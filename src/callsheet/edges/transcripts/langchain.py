"""LangChain message dumps: `messages_to_dict`, `dumpd`, and the dict form of `model_dump` (langchain-core 1).

Usage includes what was cached.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...model.message import Usage
from ...model.transcript import Accounted, Began, Ended, Event
from .format import Format, Record, Sample
from .shared import loose
from .shared.chat import listed
from .shared.dialogue import Dialogue
from .shared.rows import Copies, mapping, text

TYPES = frozenset(
    """human ai system tool function chat developer remove HumanMessageChunk AIMessageChunk SystemMessageChunk
    ToolMessageChunk FunctionMessageChunk ChatMessageChunk""".split()
)
OWN = frozenset(("human", "ai", "HumanMessageChunk", "AIMessageChunk"))
"""Types that LangChain alone calls so."""
CLASSES = {
    "HumanMessage": "human",
    "AIMessage": "ai",
    "SystemMessage": "system",
    "ToolMessage": "tool",
    "FunctionMessage": "function",
    "ChatMessage": "chat",
}
MESSAGES = ("messages", "chat_history", "history")


def plain(raw: Any) -> Mapping[str, Any] | None:
    """A message's fields with its `type`, whichever of the three forms it has; None where it is none of LangChain's."""
    if not isinstance(raw, Mapping):
        return None
    if raw.get("lc") == 1 and isinstance(raw.get("id"), list) and raw["id"]:
        kind = CLASSES.get(str(raw["id"][-1]).removesuffix("Chunk"))
        return {**mapping(raw.get("kwargs")), "type": kind} if kind else None
    if text(raw.get("type")) in TYPES and isinstance(raw.get("data"), Mapping):
        return {**raw["data"], "type": raw["type"]}
    return raw if text(raw.get("type")) in TYPES and "content" in raw else None


def usage_of(raw: Mapping[str, Any]) -> Usage | None:
    """What a message says the call used: `usage_metadata`, else what the provider's response said of it."""
    said = raw.get("usage_metadata")
    if not isinstance(said, Mapping):
        told = mapping(raw.get("response_metadata"))
        said = told.get("token_usage") or told.get("usage")
        if not isinstance(said, Mapping):
            return None
        details = mapping(said.get("prompt_tokens_details"))
        flat = {**said, "cache_read": details.get("cached_tokens") or said.get("cache_read_input_tokens")}
        return loose.usage(
            flat, ("cache_read",), (), ("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens")
        )
    details = mapping(said.get("input_token_details"))
    return loose.usage({**said, **details}, ("cache_read",), ("cache_creation",), ("input_tokens",), ("output_tokens",))


def refuses(sample: Sample) -> str:
    """Why a sample is no dump of LangChain messages, "" where it is."""
    values: Any = sample.records
    if sample.shape == "object":
        values = [each for key in MESSAGES for each in listed(sample.members.get(key))] or [sample.members]
    kinds = [{said["type"] for each in _rows(value) if (said := plain(each)) is not None} for value in values]
    spoken = any(OWN & each for each in kinds)
    if spoken and 2 * sum(map(bool, kinds)) >= len(kinds):
        return ""
    return "most records are no messages with type human, ai, system or tool"


def _rows(value: Any) -> list[Any]:
    """The messages in a record: itself, the elements of a list, or those under a key of an object."""
    if isinstance(value, list):
        return [each for inner in value for each in (_rows(inner) if isinstance(inner, list) else [inner])]
    if isinstance(value, Mapping) and plain(value) is None:
        held = mapping(value.get("values")) or value
        found = next((held[key] for key in MESSAGES if isinstance(held.get(key), list)), None)
        return list(found) if found is not None else [value]
    return [value]


def read(records: Iterable[Record]) -> Iterator[Event]:
    """The events of a dump: its messages as records, or on each line a message or a conversation."""
    dialogue, copies, threads, last = Dialogue(offered=False), Copies(), 0, 0
    for record in records:
        if record.index < 0:
            continue
        rows = _rows(record.value)
        whole = rows != [record.value]
        if whole and threads:
            yield Ended(record=last, thread=dialogue.thread)
            dialogue, copies = Dialogue(str(threads + 1), offered=False), Copies()
        threads += whole
        known = False
        for each in rows:
            said = plain(each)
            if said is not None:
                known = True
                last = record.index
                if not dialogue.begun:
                    yield Began(record=record.index, thread=dialogue.thread)
                if not copies.has(said.get("id"), said):
                    yield from _say(dialogue, record.index, said)
        kind = "messages" if whole else text(mapping(record.value).get("type"))
        yield Accounted(record=record.index, fate="kept" if known or whole else "unknown", type=kind)
    if dialogue.begun:
        yield Ended(record=last, thread=dialogue.thread)


def _say(dialogue: Dialogue, record: int, raw: Mapping[str, Any]) -> Iterator[Event]:
    told = mapping(raw.get("response_metadata"))
    model = text(told.get("model_name")) or text(told.get("model")) or text(told.get("model_id"))
    message = loose.message({**raw, "role": raw.get("role") or raw["type"].removesuffix("MessageChunk").lower()})
    yield from dialogue.take(record, message, text(raw.get("id")), model=model, usage=usage_of(raw))


FORMAT = Format("langchain", "LangChain messages", refuses, read, MESSAGES)
