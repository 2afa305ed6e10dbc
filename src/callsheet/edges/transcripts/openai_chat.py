"""Chat messages as they are kept for fine-tuning and elsewhere: a conversation per line, or one list of messages.

Each line is a conversation of its own (`messages`, and `tools` where there are any); preference rows hold an `input`
and two outputs. Of what was shown as text alone (`messages_display`) the calls are not known, only that they were.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...model.message import Message, ResultBlock, TextBlock
from ...model.transcript import Accounted, Began, Ended, Event, Offered
from .format import Format, Record, Sample
from .shared.chat import is_message, listed, message_of, tool_of, usage_of
from .shared.dialogue import Dialogue
from .shared.rows import mapping, number, text

Raw = Mapping[str, Any]
SHOWN = re.compile(r"^(user|assistant|tool|system): ", re.MULTILINE)
DISPLAY = "messages_display"
NOTHING = "None"
"""What stands for an answer that was a call, in a display of the messages."""
PREFERRED = "preferred_output"


def displayed(shown: str) -> Iterator[Message]:
    """The messages of a display: a role and a text each, whose lines may be many."""
    parts = SHOWN.split(shown)
    for role, words in zip(parts[1::2], parts[2::2], strict=True):
        said = words.removesuffix("\n")
        blocks = () if role == "assistant" and said == NOTHING else (TextBlock(said),)
        if role == "tool":
            yield Message("tool", (ResultBlock(None, blocks),))
        else:
            yield message_of({"role": role, "content": said if blocks else None})


def row(index: int, raw: Raw, thread: str, facts: Raw) -> Iterator[Event]:
    """The events of a conversation that one record holds."""
    talk = Dialogue(thread)
    yield Began(record=index, thread=thread, facts=facts)
    tools = raw.get("tools") or raw.get("functions")
    if isinstance(tools, list):
        yield Offered(record=index, thread=thread, tools=tuple(map(tool_of, tools)))
    for at, each in enumerate(_messages(raw)):
        message = each if isinstance(each, Message) else message_of(mapping(each))
        noted = {} if isinstance(each, Message) else mapping(each)
        yield from talk.take(
            index,
            message,
            f"{index}.{at}",
            model=text(noted.get("model")),
            usage=usage_of(noted.get("usage")),
            cost=number(noted.get("cost")),
        )
    yield Ended(record=index, thread=thread, facts={})


def _messages(raw: Raw) -> Iterable[Any]:
    if DISPLAY in raw:
        return displayed(text(raw[DISPLAY]))
    given = raw.get("messages")
    if not isinstance(given, list):
        given = mapping(raw.get("input")).get("messages")
        given = [*given, *listed(raw.get(PREFERRED))] if isinstance(given, list) else []
    return given


def refuses(sample: Sample) -> str:
    """Why these are no chat messages, "" where they are."""
    records: list[Any] = [sample.members] if sample.shape == "object" else list(sample.records)
    rows = [each for each in records if isinstance(each, Mapping)]
    if not rows:
        return "it holds no JSON objects"
    known = sum(_is_row(each) or (sample.shape != "object" and is_message(each)) for each in rows)
    return (
        "" if 2 * known > len(rows) else "most records are neither messages with a role and a content nor lists of them"
    )


def _is_row(raw: Raw) -> bool:
    if isinstance(raw.get(DISPLAY), str):
        return True
    messages = raw.get("messages") or mapping(raw.get("input")).get("messages")
    return isinstance(messages, list) and bool(messages) and all(map(is_message, messages))


def read(records: Iterable[Record]) -> Iterator[Event]:
    """The events of every row; messages that stand alone are one conversation."""
    talk, last = Dialogue(), -1
    for record in records:
        index, raw = record.index, mapping(record.value)
        if index < 0:
            continue
        if is_message(raw):
            if last < 0:
                yield Began(record=index)
            last = index
            usage, cost = usage_of(raw.get("usage")), number(raw.get("cost"))
            yield from talk.take(index, message_of(raw), f"{index}", usage=usage, cost=cost)
        elif _is_row(raw):
            yield from row(index, raw, f"row {index}" if index else "", {})
        else:
            yield Accounted(record=index, fate="unknown", type="row", detail="it has no messages")
            continue
        yield Accounted(record=index, fate="kept", type="message" if is_message(raw) else "row")
    if last >= 0:
        yield Ended(record=last)


FORMAT = Format("openai-chat", "chat messages", refuses, read)
