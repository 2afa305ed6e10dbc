"""Confusion: tools that do not exist, arguments wrong again and again, tools nobody can tell apart (D2, D7)."""

import re
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

from .....model.diagnosis import Finding
from .....model.message import ToolDefinition
from .....model.transcript import Offered
from ....text.likeness import STOP, stem
from ..blocks import Call, ReadBlock
from ..contract import Moment, finding, quote
from .neighbours import Mixed, Neighbours

WRONG = 2
ALIKE = 0.6
LEAST_WORDS = 4
LAST_CALLS = 50
_UNKNOWN_TOOL = re.compile(
    r"(?:no such|unknown|invalid|unrecogni[sz]ed|unsupported) (?:tool|function)\b"
    r"|\b(?:tool|function) [`'\"]?[\w.:/-]+[`'\"]? (?:was |is |does )?(?:not found|not exist|not available|unknown)",
    re.IGNORECASE,
)
_WRONG_ARGUMENTS = re.compile(
    r"InputValidationError|validation errors? (?:for|in)|invalid (?:arguments?|parameters?|input schema)\b"
    r"|missing (?:\d+ )?(?:a )?required|required (?:parameter|argument|property|field)s?\b.{0,60}(?:missing"
    r"|not provided)"
    r"|unexpected (?:keyword )?(?:argument|parameter|property)|is a required property|unrecogni[sz]ed (?:key|argument)"
    r"|additional propert(?:y|ies)|does not match (?:the )?schema|\bfield required\b|\binput should be\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


class ConfusionDetector:
    """Finds invented tool names, arguments that are wrong more than once, and overlapping tools both tried."""

    def __init__(self) -> None:
        self._tools: dict[str, ToolDefinition] = {}
        self._wrong: Counter[str] = Counter()
        self._first_wrong: dict[str, ReadBlock] = {}
        self._called: OrderedDict[str, Call] = OrderedDict()
        self._told: set[str] = set()
        self._neighbours = Neighbours()
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        if isinstance(moment.event, Offered) and moment.event.tools is not None:
            self._tools = {str(tool.name): tool for tool in moment.event.tools}
        for block in moment.blocks:
            self._found += (_mixed(moment.turn, each) for each in self._near(block))
            if block.call is None:
                continue
            if block.kind == "call":
                self._call(moment, block, block.call)
            elif block.kind == "result":
                self._result(moment, block, block.call)

    def result(self) -> Iterable[Finding]:
        """The confusions, each once."""
        return self._found

    def _near(self, block: ReadBlock) -> Iterator[Mixed]:
        """What is taken for its neighbour."""
        if block.kind == "call" and block.call is not None:
            yield from self._neighbours.call(block, block.call)
        elif block.kind == "result" and block.call is not None:
            self._neighbours.result(block, block.call)
        elif block.kind == "text" and block.source == "model":
            yield from self._neighbours.model(block)
        elif block.source == "person":
            self._neighbours.person(block)
        elif block.kind != "thinking":
            self._neighbours.other(block)

    def _call(self, moment: Moment, block: ReadBlock, call: Call) -> None:
        if self._tools and call.name not in self._tools:
            return  # an error will tell; a result means that it was offered where the transcript does not show it
        if call.name in self._tools and (why := misfit(call.arguments, self._tools[call.name].schema)):
            self._misfit(moment, block, call, why)
        self._overlap(moment, block, call)

    def _result(self, moment: Moment, block: ReadBlock, call: Call) -> None:
        head = block.text[:600]
        if not block.error:
            return
        if self._tools and call.name not in self._tools and not call.server:
            self._invented(moment, block, call, "no tool of this name was offered")
        elif len(head) < 400 and (_UNKNOWN_TOOL.search(head) or _unknown(call.name, head)):
            self._invented(moment, block, call, "the result says that there is no such tool")
        elif _WRONG_ARGUMENTS.search(head) and f"{call.id} misfit" not in self._told:
            self._misfit(moment, block, call, "the result says that the arguments are wrong")

    def _invented(self, moment: Moment, block: ReadBlock, call: Call, why: str) -> None:
        if call.name in self._told:
            return
        self._told.add(call.name)
        near = get_close_matches(call.name, self._tools, 1, 0.5)
        title = f"The model called {call.name}, and {why}" + (f"; the nearest is {near[0]}" if near else "")
        fix = "Offer fewer tools at once, with names that say what they do; name the nearest in the error."
        disproof = "The tool was offered in a way that the transcript does not show."
        quotes = (quote(block, "the call" if block.kind == "call" else "what came back"),)
        self._found.append(
            finding("confusion", moment.turn, "invented-tool", title, quotes, fix, disproof, "policy", [call])
        )

    def _misfit(self, moment: Moment, block: ReadBlock, call: Call, why: str) -> None:
        if block.kind == "call" and call.id:
            self._told.add(f"{call.id} misfit")
        self._wrong[call.name] += 1
        first = self._first_wrong.setdefault(call.name, block)
        if self._wrong[call.name] != WRONG:
            return
        title = f"{call.name} was called with wrong arguments {WRONG} times: {why}"
        quotes = (quote(first, "the first time"), quote(block, "again"))
        fix = (
            "Say in the error which argument is wrong and what is allowed; add one example of a right call to the tool."
        )
        disproof = "The schema that was sent allows these arguments, so it is the tool that is wrong."
        found = finding(
            "confusion", moment.turn, "wrong-arguments", title, quotes, fix, disproof, "policy", [first.call, call]
        )
        self._found.append(found)

    def _overlap(self, moment: Moment, block: ReadBlock, call: Call) -> None:
        """Two tools described alike, called one after the other with the same arguments."""
        key = values(call)
        before = self._called.get(key) if len(key) > LEAST_WORDS else None
        self._called[key] = call
        if len(self._called) > LAST_CALLS:
            self._called.popitem(last=False)
        if before is None or before.name == call.name or before.round == call.round:
            return  # calls of one response are meant to be different
        if f"{before.name} {call.name}" in self._told:
            return
        one, two = self._tools.get(before.name), self._tools.get(call.name)
        if one is None or two is None or alike(one, two) < ALIKE:
            return
        self._told.update((f"{before.name} {call.name}", f"{call.name} {before.name}"))
        title = f"{before.name} and {call.name} are described alike, and both were called with the same arguments"
        quotes = (
            quote(block, before.name, str(one.description)),
            quote(block, call.name, str(two.description)),
            quote(block, "the second call"),
        )
        fix = "Merge the two tools, or say in each description when to use the other."
        disproof = "The two calls were meant to do different things, and did."
        self._found.append(
            finding(
                "confusion", moment.turn, "overlapping-tools", title, quotes, fix, disproof, "policy", [before, call]
            )
        )


def _unknown(name: str, said: str) -> bool:
    """True where an error says of the very name that was called that there is none."""
    named = rf"['\"`]?{re.escape(name)}['\"`]?"
    says = r"(?:unknown|no such|unrecogni[sz]ed|unsupported|undefined)(?: \w{1,12})?:? "
    return bool(name) and (
        re.search(
            rf"\b{says}{named}(?!\w)|(?<!\w){named} (?:was |is |does )?not (?:found|exist|available|defined)",
            said,
            re.IGNORECASE,
        )
        is not None
    )


def _mixed(turn: int, found: Mixed) -> Finding:
    """The finding of one thing taken for another."""
    title = f"{found.meant} was meant, and {found.used} was used"
    quotes = quote(found.source, "where it comes from"), quote(found.block, "where it is used")
    fix = (
        "Give results of several records one at a time and labelled; check identifiers in code against what was asked."
    )
    disproof = "Both belong together, or a person agreed to the other one in words that name neither."
    calls = [found.source.call, found.block.call]
    return finding("confusion", turn, found.rule, title, quotes, fix, disproof, "state", calls)


def misfit(arguments: object, schema: object) -> str:
    """Why arguments cannot fit a tool's JSON schema: one that is required is missing, or one that is not allowed."""
    if not isinstance(arguments, Mapping) or not isinstance(schema, Mapping):
        return "it takes an object" if isinstance(schema, Mapping) and isinstance(arguments, str | list) else ""
    required, allowed = schema.get("required"), schema.get("properties")
    if isinstance(required, list | tuple) and (missing := [str(name) for name in required if name not in arguments]):
        return f"{', '.join(missing)} is missing"
    if isinstance(allowed, Mapping) and schema.get("additionalProperties") is False:
        return ", ".join(f"there is no {name}" for name in arguments if name not in allowed)
    return ""


def values(call: Call) -> str:
    """The values of a call's arguments without their names: what two tools would have been asked for."""
    return " ".join(sorted(map(str, call.arguments.values()))) if isinstance(call.arguments, Mapping) else call.written


def alike(one: ToolDefinition, two: ToolDefinition) -> float:
    """How much of the words of two tools is common, of 1."""
    left, right = (
        {stem(word.casefold()) for word in _WORD.findall(f"{tool.name} {tool.description or ''}")} - STOP
        for tool in (one, two)
    )
    return len(left & right) / len(left | right) if min(len(left), len(right)) >= LEAST_WORDS else 0.0
