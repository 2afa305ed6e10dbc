"""Other packages keep a recorded conversation, round by round; what they send is billed as ours is.

A peer gets the messages that are new in a round, in its own form, and gives what it sends: by number and block what
stands as it was said, and the texts that it wrote itself. All count with our counter, so that all act at the same size;
`Room.units` gives tokens as shares of what the messages may fill. A model that is asked for a summary copies the end of
what it is shown, as far as the summary has room: no model keeps more of that in so many tokens.
"""

import asyncio
import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any

from callsheet.core.text.blocks import text_of
from callsheet.model.history import Entry
from callsheet.model.message import Usage
from compaction_peers import arguments, copied, pieces

UNITS = 100_000
"""What the messages of a request may fill, in the units that peers count in."""
SUMMARY = 0.15
"""The share of it that a summary may have: as much as our own."""
Count = Callable[[str], int]
Place = tuple[int, int | None]
"""A message's number, and the block in it where it is not the whole message."""


@dataclass(frozen=True)
class Instead:
    """A text that a peer sends: in a result's place, or of its own where there is none."""

    text: str
    place: Place | None = None


Piece = Place | Instead
Peer = Callable[[Sequence[Entry]], Sequence[Piece]]
"""Takes the messages in that are new, and gives what is sent."""


@dataclass
class Room:
    """How much the messages of this round may take, and what the peer's own calls of a model cost in it."""

    count: Count
    usable: int = 0
    usage: Usage = Usage()
    known: dict[str, int] = field(default_factory=dict)

    def tokens(self, text: str) -> int:
        if text not in self.known:
            self.known[text] = self.count(text)
        return self.known[text]

    def units(self, text: str) -> int:
        return round(self.tokens(text) * UNITS / self.usable)

    def summary(self, shown: str) -> str:
        """What the model that copies answers; its call is put on the bill."""
        text = copied(shown, int(SUMMARY * self.usable), self.count) or "-"
        self.usage = self.usage.plus(Usage(input=self.count(shown), output=self.count(text)))
        return text


def peers() -> dict[str, Callable[[Room], Peer]]:
    """The peers that are installed, by name, each with its defaults and with some other settings."""
    found: dict[str, Callable[[Room], Peer]] = {}
    if _has("langchain.agents.middleware"):
        found |= {f"langchain_clear keep {keep}": partial(langchain_clear, keep=keep) for keep in (3, 20)}
        found["langchain_clear at least 20 %"] = partial(langchain_clear, keep=3, at_least=UNITS // 5)
        found |= {f"langchain_summarize keep {at}": partial(langchain_summarize, keep=keep) for at, *keep in KEPT}
    if _has("strands.agent.conversation_manager"):
        found |= {f"strands_sliding {size} messages": partial(strands, size=size) for size in (40, 100)}
    if _has("pydantic_ai_harness.compaction"):
        found |= {
            f"harness_clear keep {keep}": partial(harness, "ClearToolResults", keep_pairs=keep) for keep in (3, 20)
        }
        for name, kind in (("sliding", "SlidingWindowCompaction"), ("summarize", "SummarizingCompaction")):
            found |= {f"harness_{name} keep {at}": partial(harness, kind, **{f"keep_{of}": n}) for at, of, n in KEPT}
    return found


KEPT: Sequence[tuple[str, str, int]] = (
    ("20 messages", "messages", 20),
    ("25 %", "tokens", UNITS // 4),
    ("45 %", "tokens", UNITS * 45 // 100),
)
"""How much stays as it is: what both packages keep by default, and shares of what the messages may fill."""


def _has(module: str) -> bool:
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


# LangChain


def _langchain_messages(new: Iterable[Entry], known: dict[str, tuple[Place, str]]) -> list[Any]:
    """The messages as LangChain has them, one for each result; `known` says by id which they are."""
    lc = importlib.import_module("langchain_core.messages")
    made = []
    for entry in new:
        text, calls, results = pieces(entry)
        if entry.message.role == "assistant":
            asked = [{"name": each.name, "args": arguments(each), "id": each.id or ""} for each in calls]
            made.append(lc.AIMessage(text, tool_calls=asked, id=f"{entry.number}"))
        elif not results:
            made.append(lc.HumanMessage(text, id=f"{entry.number}"))
        else:
            for at, block in enumerate(entry.message.blocks):
                said = text_of(block)
                identity = f"{entry.number}.{at}"
                call = getattr(block, "call_id", None)
                message = lc.ToolMessage(said, tool_call_id=call) if call else lc.HumanMessage(said)
                made.append(message.model_copy(update={"id": identity}))
                known[identity] = (entry.number, at), said
            continue
        known[f"{entry.number}"] = (entry.number, None), text
    return made


def _langchain_sent(messages: Sequence[Any], known: Mapping[str, tuple[Place, str]]) -> list[Piece]:
    sent: list[Piece] = []
    for each in messages:
        place, text = known.get(each.id, (None, ""))
        sent.append(place if place is not None and each.text == text else Instead(each.text, place))
    return sent


def _langchain_counter(room: Room) -> Callable[[Iterable[Any]], int]:
    def counted(messages: Iterable[Any]) -> int:
        return sum(room.units(_words(each)) for each in messages)

    return counted


def _words(message: Any) -> str:
    calls = getattr(message, "tool_calls", ())
    return message.text if not calls else f"{message.text}{''.join(str(call['args']) for call in calls)}"


def langchain_clear(room: Room, keep: int, at_least: int = 0) -> Peer:
    middleware = importlib.import_module("langchain.agents.middleware")
    edit = middleware.ClearToolUsesEdit(trigger=UNITS * 3 // 4, keep=keep, clear_at_least=at_least)
    messages, known, count = list[Any](), dict[str, tuple[Place, str]](), _langchain_counter(room)

    def take(new: Sequence[Entry]) -> Sequence[Piece]:
        messages.extend(_langchain_messages(new, known))
        edited = list(messages)  # as its middleware does it: each request anew, from the whole conversation
        edit.apply(edited, count_tokens=count)
        return _langchain_sent(edited, known)

    return take


def langchain_summarize(room: Room, keep: Sequence[Any]) -> Peer:
    middleware = importlib.import_module("langchain.agents.middleware")
    fakes = importlib.import_module("langchain_core.language_models.fake_chat_models")
    summarizing = middleware.SummarizationMiddleware(
        fakes.FakeListChatModel(responses=["unused"]),
        trigger=("tokens", UNITS * 3 // 4),
        keep=tuple(keep),
        trim_tokens_to_summarize=UNITS // 10,  # of its default of 4,000 tokens nobody could make more
        token_counter=_langchain_counter(room),
        summarizer=lambda shown: room.summary("\n".join(map(_words, shown))),
    )
    messages, known = list[Any](), dict[str, tuple[Place, str]]()

    def take(new: Sequence[Entry]) -> Sequence[Piece]:
        messages.extend(_langchain_messages(new, known))
        changed = summarizing.before_model({"messages": messages}, None)
        if changed is not None:
            messages[:] = changed["messages"][1:]  # the first one says that all others go
        return _langchain_sent(messages, known)

    return take


# Strands


def strands(room: Room, size: int) -> Peer:
    managers = importlib.import_module("strands.agent.conversation_manager")
    manager = managers.SlidingWindowConversationManager(window_size=size)
    agent: Any = SimpleNamespace(messages=[])
    numbers: dict[int, tuple[int, Any]] = {}

    def take(new: Sequence[Entry]) -> Sequence[Piece]:
        for entry in new:
            text, calls, results = pieces(entry)
            content: list[Any] = [{"text": text}] if text else []
            content += [{"toolUse": {"toolUseId": c.id, "name": c.name, "input": arguments(c)}} for c in calls]
            content += [{"toolResult": {"toolUseId": r.call_id, "content": [{"text": text_of(r)}]}} for r in results]
            message = {"role": "assistant" if entry.message.role == "assistant" else "user", "content": content}
            numbers[id(message)] = entry.number, message  # kept with it, so that no other one gets its id
            agent.messages.append(message)
        manager.apply_management(agent)
        return [(numbers[id(each)][0], None) for each in agent.messages]

    return take


# pydantic-ai-harness


def harness(kind: str, room: Room, **options: Any) -> Peer:
    compaction = importlib.import_module("pydantic_ai_harness.compaction")
    run, models = importlib.import_module("pydantic_ai"), importlib.import_module("pydantic_ai.models")
    said, usage = importlib.import_module("pydantic_ai.messages"), importlib.import_module("pydantic_ai.usage")
    function = importlib.import_module("pydantic_ai.models.function")

    def summarise(shown: list[Any], _: Any) -> Any:
        return said.ModelResponse([said.TextPart(room.summary("\n".join(map(_spoken, shown))))])

    model = function.FunctionModel(summarise)
    step = getattr(compaction, kind)(max_tokens=UNITS * 3 // 4, tokenizer=room.units, **options)
    ctx = run.RunContext(deps=None, model=model, usage=usage.RunUsage(), messages=[])
    loop, known, names = asyncio.new_event_loop(), _Known(), dict[str, str]()

    def take(new: Sequence[Entry]) -> Sequence[Piece]:
        ctx.messages.extend(known.message(entry, names) for entry in new)
        request = models.ModelRequestContext(
            model=model,
            messages=list(ctx.messages),
            model_settings=None,
            model_request_parameters=models.ModelRequestParameters(),
        )
        loop.run_until_complete(step.before_model_request(ctx, request))
        return [piece for each in ctx.messages for piece in known.sent(each)]

    return take


class _Known:
    """The messages of pydantic-ai that stand for ours, and the results in them."""

    def __init__(self) -> None:
        self._whole: dict[int, tuple[int, Any]] = {}
        self._results: dict[str, tuple[Place, str]] = {}

    def message(self, entry: Entry, names: dict[str, str]) -> Any:
        said = importlib.import_module("pydantic_ai.messages")
        text, calls, results = pieces(entry)
        if entry.message.role == "assistant":
            names |= {call.id or "": call.name for call in calls}
            parts = [said.TextPart(text)] if text else []
            parts += [said.ToolCallPart(call.name, arguments(call), call.id or "") for call in calls]
            made = said.ModelResponse(parts)
        else:
            told = []
            for at, block in enumerate(entry.message.blocks):
                if block in results:
                    call = block.call_id or ""  # type: ignore[attr-defined]
                    told.append(said.ToolReturnPart(names.get(call, "tool"), text_of(block), call))
                    self._results[call] = (entry.number, at), text_of(block)
            made = said.ModelRequest([*told, *([said.UserPromptPart(text)] if text else [])])
        self._whole[id(made)] = entry.number, made  # kept with it, so that no other one gets its id
        return made

    def sent(self, message: Any) -> Iterable[Piece]:
        if id(message) in self._whole:
            yield self._whole[id(message)][0], None
            return
        for part in message.parts:
            place, text = self._results.get(getattr(part, "tool_call_id", ""), (None, ""))
            content = str(getattr(part, "content", ""))
            yield place if place is not None and content == text else Instead(content, place)


def _spoken(message: Any) -> str:
    told = [str(getattr(part, "content", "")) for part in message.parts]
    told += [part.args_as_json_str() for part in message.parts if hasattr(part, "args")]
    return "\n".join(told)
