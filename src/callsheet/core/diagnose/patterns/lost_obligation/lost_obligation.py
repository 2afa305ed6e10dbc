"""Lost obligation: something promised, asked for or left open that never came."""

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator

from .....model.diagnosis import Finding, Quote
from .....model.transcript import Offered, Replaced
from ..blocks import Call, ReadBlock
from ..contract import Moment, finding, quote
from .duties import Duties, Owed, content

OPEN = 200
ROUNDS_AFTER = 3
SHORT = 120
_APPROVAL = re.compile(
    r"\b(?:shall i|should i|do you (?:want me to|approve|confirm|agree)|would you like me to|may i"
    r"|is it ok(?:ay)? (?:if|to)|please (?:confirm|approve)"
    r"|waiting for (?:your )?(?:approval|confirmation)|awaiting (?:your )?(?:approval|confirmation))\b",
    re.IGNORECASE,
)
_ASKING = ("shall i", "should i", "do you ", "would you like me to", "may i", "is it ok", "please ", "waiting ")
_ASKS = re.compile(
    rf"\?|\bplease (?:provide|tell|specify|choose|select|share)\b|\blet me know\b|{_APPROVAL.pattern}", re.IGNORECASE
)
_OFFER = re.compile(r"[^.!?\n]*\b(?:anything|something) (?:else|more)\b[^.!?\n]*\?", re.IGNORECASE)
"""The offer that ends an answer: no question on the matter."""
_DONE = re.compile(
    r"\b(?:all (?:done|set|tasks)|done\b|complete[d]?|finished|everything (?:is|has)|ready|fixed|implemented"
    r"|resolved|successful(?:ly)?|works|committed)\b",
    re.IGNORECASE,
)
_YES = re.compile(
    r"\W*(?:yes|yep|yeah|ok(?:ay)?|sure|go ahead|please do|do it|approved?|confirmed|i (?:approve|confirm|agree)"
    r"|proceed)\b",
    re.IGNORECASE,
)
_READS = re.compile(
    r"read|get|list|search|find|grep|glob|view|show|fetch|look|check|think|status|ls\b|calculate", re.IGNORECASE
)
_TODO_TOOLS = re.compile(r"todo|update_plan|task_?(?:list|tracker)|write_plan", re.IGNORECASE)
_OPEN_STATES = frozenset("pending in_progress todo open not_started".split())
_FIX = "Keep open items in the task state, outside the conversation, and check them before the last answer."
_OWED: dict[Owed, tuple[str, str]] = {
    "asked": ("asked for", "What was asked for never came"),
    "promised": ("promised", "What was promised never came"),
    "return": ("promised", "The model was to come back to something and never did"),
    "restore": ("to be put back", "What was changed for a moment was never put back"),
    "question": ("asked beside", "A side question was never taken up"),
}


class LostObligationDetector:
    """Finds calls without a result, requests and promises that nothing later takes up, and TODOs open at the end."""

    def __init__(self) -> None:
        self._calls: OrderedDict[str, tuple[ReadBlock, int]] = OrderedDict()
        self._duties = Duties()
        self._tools: frozenset[str] | None = None
        self._answered: frozenset[str] = frozenset()
        self._todo: tuple[ReadBlock, tuple[str, ...]] | None = None
        self._calling = False
        self._last: ReadBlock | None = None
        self._approval: tuple[ReadBlock, str] | None = None
        self._granted: tuple[ReadBlock, str, ReadBlock, int] | None = None
        self._turn = self._round = 0
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        self._turn, self._round = moment.turn, moment.round
        if isinstance(moment.event, Replaced):
            self._replaced(moment.event)
        elif isinstance(moment.event, Offered) and moment.event.tools:
            self._tools = frozenset(str(tool.name) for tool in moment.event.tools)
            self._duties.tools = self._tools
        for block in moment.blocks:
            if block.kind == "call" and block.call is not None:
                self._call(moment, block, block.call)
            elif block.kind == "result" and block.call is not None:
                self._calls.pop(block.call.id, None)
                if len(self._answered) < OPEN:
                    self._answered |= {block.call.name}
                self._granted = None
            elif block.kind == "text" and block.source == "model":
                self._model(moment, block)
            elif block.kind == "text" and block.source == "person":
                self._person(moment, block)

    def result(self) -> Iterable[Finding]:
        """What was still open when the conversation ended."""
        return [*self._found, *self._never_used(), *self._unanswered(), *self._undone(), *self._open_todos()]

    def _replaced(self, event: Replaced) -> None:
        if event.change == "rewind":
            self._calls.clear()
            self._duties.cut(event.kept)
        elif event.change == "new-conversation":
            self._calls.clear()
            self._duties.open.clear()
        else:
            self._duties.cut(None)

    def _call(self, moment: Moment, block: ReadBlock, call: Call) -> None:
        self._calling = True
        if call.id and not call.server and (self._tools is None or call.name in self._tools | self._answered):
            self._calls[call.id] = (block.brief, moment.round)
            if len(self._calls) > OPEN:
                self._calls.popitem(last=False)
        if _TODO_TOOLS.search(call.name):
            if todos := tuple(open_todos(call.arguments)):
                self._todo = (block, todos)
            elif isinstance(call.arguments, dict) and call.arguments:
                self._todo = None
        self._approved(moment, block, call)
        self._duties.progress(block.reading, call, reads=_READS.search(call.name) is not None)

    def _approved(self, moment: Moment, block: ReadBlock, call: Call) -> None:
        """What was asked has its answer, or is done without one."""
        asked, granted = self._approval, self._granted
        self._approval = self._granted = None
        if asked is None or granted is not None or _READS.search(call.name) or "ask" in call.name.casefold():
            return
        title = f"The model asked for approval and called {call.name} before anybody answered"
        quotes = (Quote(asked[0].record, asked[1], "the question"), quote(block, "what was done"))
        fix = "End the turn at the question; let code, not the model, hold the call back until the approval is there."
        disproof = "The question was about something else than this call."
        self._found.append(
            finding("lost-obligation", moment.turn, "approval-skipped", title, quotes, fix, disproof, "policy", [call])
        )

    def _never_used(self) -> Iterator[Finding]:
        """An approval that was given, and no call came of it."""
        if self._granted is None or self._last is None or self._round <= self._granted[3]:
            return
        asked, said, yes, _ = self._granted
        if self._last.message < yes.message or _ASKS.search(_OFFER.sub("", self._last.text[-500:])):
            return  # not answered yet, or answered by another question
        title = "An approval was given, and nothing was done with it"
        quotes = (
            Quote(asked.record, said, "the question"),
            quote(yes, "the approval"),
            quote(self._last, "what came of it", self._last.text[-300:]),
        )
        disproof = "What was approved needed no call, or is done elsewhere."
        yield finding("lost-obligation", self._turn, "approval-unused", title, quotes, _FIX, disproof, "state")

    def _model(self, moment: Moment, block: ReadBlock) -> None:
        self._duties.progress(block.reading)
        self._duties.promised(moment, block)
        self._last = block
        self._calling = False
        small = block.head.lower()
        for sentence in block.reading.sentences if any(sign in small for sign in _ASKING) else ():
            if _APPROVAL.search(sentence) and sentence.endswith(("?", ".", ")")):
                self._approval = (block, sentence)

    def _person(self, moment: Moment, block: ReadBlock) -> None:
        self._found += self._never_used()
        agreed = self._approval is not None and len(block.text) < SHORT and _YES.match(block.text)
        self._granted = (*self._approval, block, moment.round) if self._approval and agreed else None
        self._approval = None
        self._duties.asked(moment, block)

    def _unanswered(self) -> Iterator[Finding]:
        for block, at in self._calls.values():
            if self._round <= at or block.call is None:
                continue
            title = f"A call of {block.call.name} never got a result, and the session went on"
            fix = "Answer every call, also one that was interrupted or refused, before the next model call."
            disproof = "The result stands in another file, or the call was the provider's own."
            quotes = (quote(block, "the call"),)
            yield finding(
                "lost-obligation", self._turn, "unanswered-call", title, quotes, fix, disproof, "state", [block.call]
            )

    def _undone(self) -> Iterator[Finding]:
        for duty in self._duties.open:
            after = 1 if duty.deed is not None or duty.rule in ("question", "return", "restore") else ROUNDS_AFTER
            if duty.met or self._round - duty.round < (1 if duty.names and not self._calling else after):
                continue
            if (duty.rule == "restore" and not duty.acted) or (duty.rule == "return" and self._turn == duty.turn):
                continue
            lost = "; a compaction came between" if duty.cut else ""
            quotes = [Quote(duty.block.record, duty.said, _OWED[duty.rule][0])]
            if self._last is not None:
                quotes.append(quote(self._last, "the last answer", self._last.text[-300:]))
            disproof = "It was done under another name, or taken back."
            title = f"{_OWED[duty.rule][1]}{lost}"
            yield finding("lost-obligation", duty.turn, duty.rule, title, quotes, _FIX, disproof, "state")

    def _open_todos(self) -> Iterator[Finding]:
        if self._todo is None or self._last is None:
            return
        block, todos = self._todo
        ending = self._last.text[-1000:]
        if self._last.message <= block.message or _ASKS.search(ending[-500:]) or self._calling:
            return
        said = "says it is done" if _DONE.search(ending) else "ends the turn without a word of them"
        if any(content(todo) <= content(ending) for todo in todos):
            return
        title = f"{len(todos)} of the plan's items are still open, and the last answer {said}"
        quotes = (*(Quote(block.record, each, "open") for each in todos[:5]), quote(self._last, "the last answer"))
        disproof = "The items were done, and only the list was not brought up to date."
        yield finding("lost-obligation", self._turn, "open-todo", title, quotes, _FIX, disproof, "state", [block.call])


def open_todos(arguments: object) -> Iterator[str]:
    """The texts of a plan's items that are not done."""
    if not isinstance(arguments, dict):
        return
    for items in arguments.values():
        for item in items if isinstance(items, list) else ():
            if isinstance(item, dict) and str(item.get("status", "")).casefold() in _OPEN_STATES:
                yield next((str(item[key]) for key in ("content", "step", "title", "task") if item.get(key)), "")
