"""A session told line by line, and what the patterns find in it."""

from collections.abc import Iterator
from typing import Any

from callsheet.core.diagnose.patterns.patterns import Patterns
from callsheet.core.diagnose.window import Window
from callsheet.model.diagnosis import Finding
from callsheet.model.message import CallBlock, Message, ResultBlock, TextBlock, ToolDefinition
from callsheet.model.transcript import Called, Ended, Event, Offered, Replaced, Said, Speaker

Ask = tuple[str, dict[str, Any]]


def user(text: str, speaker: Speaker = "person") -> Event:
    """A person's message, or another's in the same role."""
    return Said(record=0, message=Message("user", (TextBlock(text=text),)), speaker=speaker)


def model(text: str = "", *asks: Ask) -> Event:
    """A model's response: what it says and the calls it makes; ids are given as the story is told."""
    calls = tuple(CallBlock(id="?", name=name, arguments=arguments) for name, arguments in asks)
    texts = (TextBlock(text=text),) if text else ()
    return Said(record=0, message=Message("assistant", (*texts, *calls)), speaker="model", response="?")


def tool(text: str, error: bool | None = None) -> Event:
    """The result of the oldest call that has none."""
    block = ResultBlock(call_id="?", blocks=(TextBlock(text=text),), is_error=error)
    return Said(record=0, message=Message("tool", (block,)), speaker="tool")


def step(name: str, arguments: dict[str, Any], result: str, error: bool | None = None) -> list[Event]:
    """A call and its result."""
    return [model("", (name, arguments)), tool(result, error)]


def offered(*tools: ToolDefinition, system: str = "") -> Event:
    """What stands before the messages."""
    messages = (Message("system", (TextBlock(text=system),)),) if system else None
    return Offered(record=0, tools=tools or None, system=messages)


def compacted(summary: str) -> list[Event]:
    """A compaction and its summary."""
    return [Replaced(record=0, change="compaction"), user(summary, "summary")]


def numbered(events: list[Event]) -> Iterator[Event]:
    """The events with records, ids, and a model call before each response."""
    waiting: list[str] = []
    for record, event in enumerate(events):
        if not isinstance(event, Said):
            yield type(event)(**{**_fields(event), "record": record})
            continue
        blocks: list[Any] = []
        for at, block in enumerate(event.message.blocks):
            if isinstance(block, CallBlock):
                waiting.append(f"call-{record}-{at}")
                block = CallBlock(id=waiting[-1], name=block.name, arguments=block.arguments)
            elif isinstance(block, ResultBlock):
                block = ResultBlock(call_id=waiting.pop(0), blocks=block.blocks, is_error=block.is_error)
            blocks.append(block)
        if event.speaker == "model":
            yield Called(record=record, response=str(record))
        yield Said(
            record=record,
            message=Message(event.message.role, tuple(blocks)),
            speaker=event.speaker,
            response=str(record) if event.speaker == "model" else "",
        )
    yield Ended(record=len(events))


def findings(*told: Event | list[Event]) -> tuple[Finding, ...]:
    """What the patterns find in a story."""
    events: list[Event] = []
    for each in told:
        events += each if isinstance(each, list) else [each]
    patterns, window = Patterns(), Window(lambda text: (len(text) + 3) // 4)
    for event in numbered(events):
        patterns.take(event, window, window.take(event))
    return patterns.result()


def rules(*told: Event | list[Event]) -> list[str]:
    """The patterns and rules of what is found."""
    return [f"{each.pattern}: {each.rule}" for each in findings(*told)]


def _fields(event: Event) -> dict[str, Any]:
    return {name: getattr(event, name) for name in type(event).__dataclass_fields__}
