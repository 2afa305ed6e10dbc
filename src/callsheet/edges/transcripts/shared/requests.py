"""From whole requests to events: every message is said once, and the window equals each request.

A request that continues an open conversation says what is new in it; where it does not go on from what stands in the
window, the window is cut back first. One that continues none begins a new thread. Of a conversation its keys are kept,
one number for each block, and never the texts; a conversation that nobody went on with for long is closed.
"""

from collections import Counter, OrderedDict
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....core.diagnose.cache.causes import rotated
from ....core.diagnose.cache.sameness import bare_tools
from ....core.history.recorded.speakers import speaker_of
from ....model.message import CallBlock, CompactionBlock, Message, Response, ResultBlock, ToolDefinition
from ....model.prompt import Prompt
from ....model.transcript import (
    Began,
    Called,
    Change,
    Ended,
    Event,
    Offered,
    Replaced,
    Reported,
    Said,
)
from .rows import Copies
from .saying import Key, key_of, keys_of

OPEN = 64
"""How many conversations are kept open at once; the one that rested longest is closed for a new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One model call as a file holds it: the whole request, and the response or what came instead.

    `continues` names the response or the conversation that the server adds before the request; `thread` is the
    conversation where the file itself says which it is. `comparable` is False where the request is no list of messages.
    `facts` are those of its messages, by their numbers.
    """

    record: int
    prompt: Prompt | None
    response: Response | None = None
    name: str = ""
    model: str = ""
    endpoint: str = ""
    at: float | None = None
    error: str = ""
    continues: str = ""
    thread: str | None = None
    parent: str | None = None
    comparable: bool = True
    cost: float | None = None
    facts: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(slots=True)
class _Conversation:
    """What is known of an open conversation: its window's keys, and what it has heard of calls and results."""

    thread: str
    window: list[Key] = field(default_factory=list)
    replies: set[int] = field(default_factory=set)
    gone: Counter[Key] = field(default_factory=Counter)
    called: set[str] = field(default_factory=set)
    answered: set[str] = field(default_factory=set)
    system: Key = ()
    tools: tuple[ToolDefinition, ...] = ()
    record: int = 0

    def hear(self, message: Message) -> None:
        """Remembers which calls a message makes and which it answers."""
        self.called.update(each.id for each in message.blocks if isinstance(each, CallBlock) and each.id)
        self.answered.update(_answers(message))


class Conversations:
    """Turns the calls of one file into events, in their order."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, _Conversation] = OrderedDict()
        self._by_response: OrderedDict[str, str] = OrderedDict()
        self._named = 0
        self._copies = Copies()

    def take(self, call: Call) -> Iterator[Event]:
        """The events of one call: what is new in its request, the call itself, and its response; none of a copy."""
        keys = [key_of(each) for each in call.prompt.messages] if call.prompt else []
        if _name(call) and self._copies.seen(_identity(call, keys)):
            return
        found = self._find(call, keys)
        if found is None:
            found = yield from self._begin(call)
        self._open.move_to_end(found.thread)
        found.record = call.record
        if call.prompt is not None:
            yield from self._offer(found, call, call.prompt)
            yield from self._say(found, call, call.prompt, keys)
        yield from self._call(found, call)

    def end(self) -> Iterator[Event]:
        """Closes all conversations."""
        for each in self._open.values():
            yield Ended(record=each.record, thread=each.thread)
        self._open.clear()

    def _find(self, call: Call, keys: Sequence[Key]) -> _Conversation | None:
        if call.thread is not None:
            return self._open.get(call.thread)
        if call.continues:
            thread = self._by_response.get(call.continues)
            return self._open.get(thread) if thread is not None else None
        if not keys:
            return None
        best, most = None, 0
        for each in reversed(self._open.values()):
            score = _likeness(each.window, keys, call.prompt)
            if score > most:
                best, most = each, score
        return best

    def _begin(self, call: Call) -> Generator[Event, None, _Conversation]:
        while len(self._open) >= OPEN:
            _, oldest = self._open.popitem(last=False)
            yield Ended(record=call.record, thread=oldest.thread)
        thread = call.thread if call.thread is not None else f"{self._named + 1}" if self._named else ""
        self._named += 1
        found = self._open[thread] = _Conversation(thread)
        yield Began(record=call.record, thread=thread, at=call.at, parent=call.parent)
        return found

    def _offer(self, to: _Conversation, call: Call, prompt: Prompt) -> Iterator[Event]:
        system, tools = keys_of(prompt.system), bare_tools(prompt.tools)
        new_system, new_tools = system != to.system, tools != to.tools
        if new_system or new_tools:
            to.system, to.tools = system, tools
            yield Offered(
                record=call.record,
                thread=to.thread,
                at=call.at,
                system=(Message("system", prompt.system),) if new_system else None,
                tools=(prompt.tools or ()) if new_tools else None,
            )

    def _say(self, to: _Conversation, call: Call, prompt: Prompt, keys: Sequence[Key]) -> Iterator[Event]:
        messages, cut = prompt.messages, False
        kept, covered = (len(to.window), 0) if call.continues else aligned(to.window, keys)
        reply_gone = any(at >= kept for at in to.replies)
        if kept < len(to.window):
            cut = True
            to.gone.update(to.window[kept:])
            yield Replaced(
                record=call.record,
                thread=to.thread,
                at=call.at,
                change=_change(len(keys) == covered, messages[covered:], to),
                kept=kept,
            )
            del to.window[kept:]
            to.replies = {at for at in to.replies if at < kept}
        for number, message in enumerate(messages[covered:], covered):
            key = keys[number]
            again = cut and _heard(to, message, key, reply_gone)
            to.window.append(key)
            to.hear(message)
            yield Said(
                record=call.record,
                thread=to.thread,
                at=call.at,
                message=message,
                speaker=speaker_of(message),
                again=again,
                facts=call.facts.get(number, {}),
            )

    def _call(self, to: _Conversation, call: Call) -> Iterator[Event]:
        response = call.response
        name = _name(call)
        yield Called(
            record=call.record,
            thread=to.thread,
            at=call.at,
            response=name,
            model=(response.model if response else "")
            or call.model
            or (call.prompt.model if call.prompt else "")
            or "",
            prompt=call.prompt if call.comparable else None,
            error=call.error,
            endpoint=call.endpoint,
        )
        if response is None:
            return
        to.replies.add(len(to.window))
        to.window.append(key_of(response.message))
        to.hear(response.message)
        self._remember(name, to.thread)
        if call.continues:
            self._remember(call.continues, to.thread)
        yield Said(
            record=call.record,
            thread=to.thread,
            at=call.at,
            message=response.message,
            speaker="model",
            response=name,
        )
        if response.usage.prompt or response.usage.output or response.usage.raw:
            yield Reported(
                record=call.record,
                thread=to.thread,
                at=call.at,
                usage=response.usage,
                response=name,
                model=response.model or call.model,
                cost=call.cost,
            )

    def _remember(self, name: str, thread: str) -> None:
        self._by_response[name] = thread
        if len(self._by_response) > OPEN * OPEN:
            self._by_response.popitem(last=False)


def _name(call: Call) -> str:
    """What the provider calls the response, else what the file calls the call."""
    return (call.response.id if call.response else "") or call.name


def _identity(call: Call, keys: Sequence[Key]) -> int:
    """What two records of one call have in common: a name that no other call has, and all that it says."""
    said = key_of(call.response.message) if call.response else ()
    system = keys_of(call.prompt.system) if call.prompt else ()
    return hash((_name(call), call.at, system, tuple(keys), said))


def aligned(window: Sequence[Key], keys: Sequence[Key]) -> tuple[int, int]:
    """How many messages of the window a request goes on from, and how many of its own stand for them.

    A response is one message of the window, and may come back in several.
    """
    at = 0
    for kept, entry in enumerate(window):
        end, length = at, 0
        while end < len(keys) and length < len(entry):
            length += len(keys[end])
            end += 1
        joined = keys[at] if end == at + 1 else tuple(block for each in keys[at:end] for block in each)
        if not entry or joined != entry:
            return kept, at
        at = end
    return len(window), at


def _likeness(window: Sequence[Key], keys: Sequence[Key], prompt: Prompt | None) -> int:
    """How much of a conversation a request takes up; 0 where it is another one.

    It is the same conversation where what a person said first stands in both at the beginning, or where most of what
    stands in the window comes back: then its beginning was cut off, summed up, or written anew.
    """
    assert prompt is not None, "a request without messages is like none"
    asked = next((at for at, each in enumerate(prompt.messages) if each.role not in ("system", "developer")), len(keys))
    kept, covered = aligned(window, keys)
    if covered > asked:
        return 2 * covered + (kept == len(window))
    held = set(window)
    common = sum(each in held for each in keys[asked:])
    return common if 2 * common > min(len(window), len(keys) - asked) and common > 1 else 0


def _change(ends: bool, news: Sequence[Message], to: _Conversation) -> Change:
    """Why the window is cut back: to its beginning, for a summary, for cleared results, or for an edit."""
    if ends:
        return "rewind"
    if any(isinstance(block, CompactionBlock) for each in news for block in each.blocks):
        return "compaction"
    known = {name for each in news for name in _answers(each)} & to.answered
    if known and not rotated(news[0], news):
        return "eviction"
    return "edit"


def _heard(to: _Conversation, message: Message, key: Key, reply_gone: bool) -> bool:
    """True for a message that stands anew where it, or an earlier form of it, was taken away."""
    if to.gone[key] > 0:
        to.gone[key] -= 1
        return True
    if message.role == "assistant":
        called = {each.id for each in message.calls if each.id}
        return called <= to.called if called else reply_gone
    results = [each for each in message.blocks if isinstance(each, ResultBlock)]
    unnamed = bool(results) and not any(each.call_id for each in results)  # a provider's own, part of its response
    return bool(_answers(message) & to.answered) or (unnamed and reply_gone)


def _answers(message: Message) -> set[str]:
    """The ids of the calls that a message answers."""
    return {each.call_id for each in message.blocks if isinstance(each, ResultBlock) and each.call_id}
