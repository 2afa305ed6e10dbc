"""A question with the means to read an original again before it is answered, at most three times (F1, F7).

Where a model is held to a schema it replies with one JSON object, {"recall": number} or {"answer": text}; where it
calls tools, it is offered `history.RECALL`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...core.history.terms import Count
from ...core.text.blocks import text_of
from ...core.text.parse_json import parse_json
from ...history import RECALL
from ...model.history import Entry
from ...model.message import CallBlock, Message, ResultBlock, TextBlock, ToolDefinition, Usage
from ...model.policy import ModelProfile
from .ask import MOST, Form, Said, body

REREADS = 3
"""So many originals may be read again for one question; then it has to be answered."""
ANSWER = "Answer with the value alone. If nothing tells it, the answer is: I don't know."
AS_JSON = (
    'Reply with one JSON object: {"answer": "…"}; or, to read a message that was left out whole before you answer, '
    f'{{"recall": its number}}. {ANSWER}'
)
"""It names no number: a small model takes one that stands in an example."""
AS_CALL = f"You may first read an earlier message whole with {RECALL.name}. {ANSWER}"
WRAPPED = 24
"""Tokens that a reply takes more for being an object."""


def _one(name: str, type_: str) -> Mapping[str, Any]:
    return {"type": "object", "properties": {name: {"type": type_}}, "required": [name], "additionalProperties": False}


LAST = _one("answer", "string")
EITHER = {"anyOf": [LAST, _one("recall", "integer")]}
BOTH = {
    "type": "object",
    "properties": {"recall": {"type": ["integer", "null"]}, "answer": {"type": ["string", "null"]}},
    "required": ["recall", "answer"],
    "additionalProperties": False,
}
"""The same for a provider whose enforcement takes nothing but an object with all its fields."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """All that one question took: its last reply, the answer in it, and which originals were read again.

    `refetched` are their tokens, `usage` and `seconds` those of all calls, `largest` the largest prompt. `again` says
    that all replies were on file. `seen` are the messages it went on with.
    """

    said: Said
    answer: str
    numbers: tuple[int, ...] = ()
    refetched: int = 0
    usage: Usage = Usage()
    seconds: float = 0.0
    largest: int = 0
    calls: int = 1
    again: bool = False
    seen: tuple[Message, ...] = ()


def native(profile: ModelProfile) -> bool:
    """Whether originals are asked for by a call; a call that has to come back signed is not on file."""
    return profile.channel == "native-calls" and not profile.traits.signed_calls


def how(profile: ModelProfile) -> str:
    """The words behind a question that may read originals again."""
    return AS_CALL if native(profile) else AS_JSON


def form(profile: ModelProfile, left: int) -> Form:
    """The form of a reply while so many originals may still be read again."""
    if native(profile):
        return Form(tools=(RECALL,), calling=left > 0)
    plain = profile.traits.plain_schemas or profile.dialect != "openai_chat"
    return Form(schema=(BOTH if plain else EITHER) if left else LAST, most=MOST + WRAPPED)


def converse(
    messages: Sequence[Message],
    system: str,
    tools: Sequence[ToolDefinition],
    profile: ModelProfile,
    entries: Sequence[Entry],
    count: Count,
    send: Callable[[bytes], tuple[Said, bool]],
) -> Exchange:
    """The exchange of one question: `send` gives the reply to a request, and whether it was on file.

    It ends with an answer, with a reply that is neither, or with a failure; what is asked for when nothing more may be
    read again is no answer.
    """
    rereads = REREADS if entries else 0
    more: list[Message] = []
    numbers: list[int] = []
    usage, seconds, largest, refetched, filed = Usage(), 0.0, 0, 0, True
    for calls in range(1, rereads + 2):
        sent, refused = body((*messages, *more), system, tools, profile, form(profile, rereads + 1 - calls))
        said, known = (Said(error=refused), False) if refused else send(sent)
        usage, seconds, largest = usage.plus(said.usage), seconds + said.seconds, max(largest, said.usage.prompt)
        filed = filed and known
        wanted, answer = read(said.text)
        if said.error or wanted is None or calls > rereads:
            break
        text = original(entries, wanted)
        numbers.append(wanted)
        refetched += count(text)
        more += _read_again(said, text, wanted, calls, profile)
    return Exchange(said, answer, tuple(numbers), refetched, usage, seconds, largest, calls, filed, tuple(more))


def read(reply: str) -> tuple[int | None, str]:
    """The number of the message that a reply asks for, or None; and the answer in it, its own words if it is none."""
    try:
        said = parse_json(reply)
    except ValueError:
        return None, reply
    if not isinstance(said, dict):
        return None, reply
    if "call" in said:
        given = said.get("arguments")
        number = given.get("number") if isinstance(given, dict) else None
        return (number if type(number) is int else -1), ""
    if isinstance(said.get("answer"), str | int):
        return None, str(said["answer"])
    return (said["recall"], "") if type(said.get("recall")) is int else (None, reply)


def original(entries: Sequence[Entry], number: int) -> str:
    """The text of a message as it was said, or that there is none of this number."""
    if not 0 <= number < len(entries):
        return f"there is no message {number}; this conversation has {len(entries)}, numbered from 0"
    return "\n".join(text_of(block) for block in entries[number].message.blocks)


def _read_again(said: Said, text: str, number: int, at: int, profile: ModelProfile) -> tuple[Message, Message]:
    """What the model asked for and what it got, as messages of its dialect."""
    last = "\nAnswer now." if at == REREADS else ""
    if native(profile):
        call = CallBlock(id=f"again_{at}", name=str(RECALL.name), arguments={"number": number})
        result = ResultBlock(call_id=call.id, blocks=(TextBlock(text=text + last),), name=call.name)
        return Message("assistant", (call,)), Message("tool", (result,), "text")
    shown = f"Message {number}:\n{text}\n{AS_JSON}{last}"
    return Message("assistant", (TextBlock(text=said.text),), "text"), Message("user", (TextBlock(text=shown),), "text")
