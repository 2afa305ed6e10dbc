"""The tool catalogue of a session: what definitions cost, which tools were called, were never, or do not exist (D7)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ....model.diagnosis import Catalogue, Part, ToolUse, Wording
from ....model.message import CallBlock, ResultBlock, ToolDefinition
from ....model.transcript import Called, Ended, Event, Offered, Said
from ...text.blocks import text_of
from ..definitions import Definitions, is_one_sentence
from ..window import Window
from .arguments import refused
from .names import is_no_such_tool, nearest

OPEN = 1_000
"""Calls that may still be answered."""


@dataclass(slots=True)
class _Tool:
    offered: bool = False
    definition: int = 0
    short: int = 0
    billed: int = 0
    saves: int = 0
    calls: int = 0
    errors: int = 0
    wrong: int = 0
    unknown: int = 0
    call_tokens: int = 0
    result_tokens: int = 0


@dataclass(slots=True)
class _Length:
    tools: set[str] = field(default_factory=set)
    calls: int = 0
    wrong: int = 0
    wrong_tokens: int = 0

    @property
    def told(self) -> Wording:
        return Wording(len(self.tools), self.calls, self.wrong, self.wrong_tokens)


@dataclass(slots=True)
class _Thread:
    """The tools a conversation offers, by name, and how many calls of the model were sent with them so far."""

    tools: Mapping[str, ToolDefinition] | None = None
    said: tuple[ToolDefinition, ...] = ()
    calls: int = 0


@dataclass(slots=True)
class _Call:
    """A call that waits for its result; the cost of a wrong one grows by it."""

    tool: _Tool
    length: _Length | None
    wrong: bool


class Tools:
    """Folds events into a `Catalogue`; `definitions` counts them as the windows do. State: a row for each tool.

    What a definition costs is counted by its own text, in the tokens of the windows, and not by what a template puts
    around all of them.
    """

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self._tools: dict[str, _Tool] = {}
        self._threads: dict[str, _Thread] = {}
        self._open: dict[tuple[str, str], _Call] = {}
        self._short, self._long = _Length(), _Length()
        self._wrong = _Length()
        self._offered = False

    def take(self, event: Event, window: Window, parts: tuple[Part, ...]) -> None:
        """Takes one event in, with its conversation's window after it and the parts that it added."""
        if isinstance(event, Said):
            if not event.again:
                self._say(event, window, parts)
        elif isinstance(event, Called):
            self._thread(event).calls += not event.error
        elif isinstance(event, Offered):
            if event.tools is not None:
                self._offer(self._thread(event), event.tools)
        elif isinstance(event, Ended) and event.thread in self._threads:
            self._bill(self._threads.pop(event.thread))

    def _thread(self, event: Event) -> _Thread:
        return self._threads.setdefault(event.thread, _Thread())

    def _tool(self, name: str) -> _Tool:
        return self._tools.setdefault(name, _Tool())

    def _offer(self, thread: _Thread, tools: tuple[ToolDefinition, ...]) -> None:
        self._offered = True
        if tools == thread.said and thread.tools is not None:
            return
        self._bill(thread)
        thread.said = tools
        thread.tools = {_name(each): each for each in tools}
        for name, each in thread.tools.items():
            tool = self._tool(name)
            tool.offered = True
            tool.definition, tool.short = self._definitions.tool(each), self._definitions.short(each)
            (self._short if is_one_sentence(each) else self._long).tools.add(name)

    def _bill(self, thread: _Thread) -> None:
        """Bills the tools that were offered until now to the calls that were sent with them."""
        for each in thread.said if thread.calls else ():
            tool = self._tool(_name(each))
            tokens = self._definitions.tool(each)
            tool.billed += thread.calls * tokens
            tool.saves += thread.calls * (tokens - self._definitions.short(each))
        thread.calls = 0

    def _say(self, event: Said, window: Window, parts: tuple[Part, ...]) -> None:
        thread = self._thread(event)
        for block, part in zip(event.message.blocks, parts, strict=True):
            if isinstance(block, CallBlock):
                self._call(event, thread, block, part, window)
            elif isinstance(block, ResultBlock):
                self._answer(event, block, part, window)

    def _call(self, event: Said, thread: _Thread, block: CallBlock, part: Part, window: Window) -> None:
        tool = self._tool(block.name)
        tool.calls += 1
        tool.call_tokens += part.tokens
        offered = thread.tools.get(block.name) if thread.tools is not None and not block.server else None
        unknown = thread.tools is not None and offered is None and not block.server
        tool.unknown += unknown
        length = None if offered is None else self._short if is_one_sentence(offered) else self._long
        wrong = unknown or (offered is not None and _is_wrong(block, offered))
        tool.wrong += wrong
        if length is not None:
            length.calls += 1
        if wrong:
            # The model reads the whole window once more to call again.
            self._cost(length, sum(window.tokens().values()))
            for each in filter(None, (length, self._wrong)):
                each.wrong += 1
        if block.id:
            self._open[event.thread, block.id] = _Call(tool, length, wrong)
            if len(self._open) > OPEN:
                del self._open[next(iter(self._open))]

    def _cost(self, length: _Length | None, tokens: int) -> None:
        for each in filter(None, (length, self._wrong)):
            each.wrong_tokens += tokens

    def _answer(self, event: Said, block: ResultBlock, part: Part, window: Window) -> None:
        call = self._open.pop((event.thread, block.call_id or ""), None)
        if call is None and block.name:
            call = _Call(self._tool(block.name), None, False)
        if call is None:
            return
        call.tool.result_tokens += part.tokens
        call.tool.errors += bool(block.is_error)
        if call.wrong:
            self._cost(call.length, part.tokens)
        elif not call.tool.offered and block.is_error is not False and is_no_such_tool(text_of(block)):
            call.tool.unknown += 1
            call.tool.wrong += 1
            self._wrong.wrong += 1
            self._cost(None, sum(window.tokens().values()))

    def result(self) -> Catalogue:
        """The catalogue of all events taken; no event may follow."""
        for thread in self._threads.values():
            self._bill(thread)
        invented = sorted(name for name, tool in self._tools.items() if tool.unknown and not tool.offered)
        real = [name for name in self._tools if name not in invented]
        rows = [self._row(name, tool, real if name in invented else ()) for name, tool in self._tools.items()]
        unused = [name for name, tool in self._tools.items() if tool.offered and not tool.calls]
        return Catalogue(
            tools=tuple(sorted(rows, key=lambda row: (-(row.billed or 0), -row.calls, row.name))),
            unused=tuple(unused),
            unused_billed=sum(self._tools[name].billed for name in unused) if self._offered else None,
            invented=tuple(invented),
            short_saves=sum(tool.saves for tool in self._tools.values()) if self._offered else None,
            wrong_calls=self._wrong.wrong,
            wrong_tokens=self._wrong.wrong_tokens,
            one_sentence=self._short.told,
            longer=self._long.told,
            notes=tuple(self._notes()),
        )

    def _row(self, name: str, tool: _Tool, real: Iterable[str]) -> ToolUse:
        known = tool.offered
        return ToolUse(
            name=name,
            offered=known if self._offered else None,
            definition=tool.definition if known else None,
            short=tool.short if known else None,
            billed=tool.billed if known else None,
            calls=tool.calls,
            errors=tool.errors,
            call_tokens=tool.call_tokens,
            result_tokens=tool.result_tokens,
            nearest=nearest(name, real),
            wrong=tool.wrong,
        )

    def _notes(self) -> Iterable[str]:
        if not self._offered:
            yield (
                "the file holds no tool definitions: what they cost, which were never called and what shorter words "
                "would save cannot be said; the tools are those that were called"
            )
        elif not self._short.calls or not self._long.calls:
            yield (
                "what shorter descriptions cost in wrong calls cannot be measured here, because tools described in one "
                "sentence and tools described in more were not both called"
            )


def _name(tool: ToolDefinition) -> str:
    return str(tool.name) or tool.type


def _is_wrong(block: CallBlock, tool: ToolDefinition) -> bool:
    if tool.type or block.type == "custom":
        return False
    return bool(refused(block.arguments, tool.schema))
