"""Lost obligation: something promised, asked for or left open that never came."""

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ....model.diagnosis import Finding, Quote
from ....model.transcript import Replaced
from .contract import Call, Moment, Piece, finding, quote, telling
from .facts import STOP, sentences, stem

OPEN = 200
ROUNDS_AFTER = 3
ENOUGH = 0.5
SHORT = 120
LONG = 400
LEAST = 2
_VERB = (
    r"(?:add|update|fix|write|create|run|delete|remove|rename|document|test|check|verify|send|report|refund"
    r"|cancel|notify|tell"
    r"|include|mention|clean|revert|bump|publish|deploy|commit|change|confirm|email|call|book|summari[sz]e|list"
    r"|explain|move|close|follow up|prepare|provide|share|look into|investigate|open|file|submit|implement"
    r"|refactor|handle|address|restore|re-?run|schedule|double.check|validate|review|install|refresh|mark|log"
    r"|record|note)"
)
_PROMISE = re.compile(
    r"\bI(?:'ll| will|’ll|'m going to| am going to)\s+"
    r"(?:(?:also|then|later|afterwards|finally|come back (?:to|and))\s+)*"
    r"(?!(?:also|then|later|finally|be|have|need|let|know|wait|now|try|see|look at|start|begin|continue|proceed|go|keep"
    r"|use|take|not|never|first|just|assist|help|make sure|do|get|compare|find)\b)[a-z]{3,}"
    rf"|\bTODO\b:?\s+\w+|\b(?:I|we) still (?:need|have) to {_VERB}\b",
    re.IGNORECASE,
)
_SIGNS = (
    *("i'll", "i will", "i’ll", "going to", "todo", "still "),
    *("shall i", "should i", "do you ", "would you like me to", "may i", "is it ok", "please ", "waiting "),
)
"""What promises and questions for an approval begin with: texts without any are read no further."""
_LATER = re.compile(
    r"\b(?:later|afterwards?|at the end|once (?:that|this|it|the)\b|when (?:that|this|it|i)\b|after (?:that|this"
    r"|the)\b|then|also|finally"
    r"|in a moment|next|before (?:we|i) finish|come back|as soon as|shortly|by the end|tomorrow|TODO|still)",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"(?:\b(?P<strong>don[’']t forget to|do not forget to|remember to|at the end,?"
    r"|(?:when|once) (?:you[’']re|you are|it[’']s|it is|that[’']s|that is|this is|everything is|all is) (?:done"
    r"|finished|ready|through|complete|in place),?"
    r"|as (?:a|the) last step,?|before you (?:finish|end|stop),?)"
    r"|\bmake sure (?:to|that you|you)|\bbe sure to|^(?:finally|afterwards|after that|also|and|lastly),?)"
    rf"\s+(?:please\s+|also\s+)*{_VERB}\b",
    re.IGNORECASE,
)
_FILE = re.compile(
    r"(?:^|[,;]|\band|\bthen|\bplease|\balso)\s*(?:please\s+|also\s+|then\s+)*(?:add|update|write|create|document"
    r"|rename|bump|adjust|extend|mention|note|record)\b"
    r"[^,;.\n]{0,60}?\b(?:in|to|into|the|file)?\s*[`\"']?([\w./-]*\w\.(?:md|txt|py|js|ts|tsx|json|ya?ml|toml|rst"
    r"|cfg|go|rs|java|rb|sh|sql|html|css))\b",
    re.IGNORECASE,
)
_APPROVAL = re.compile(
    r"\b(?:shall i|should i|do you (?:want me to|approve|confirm|agree)|would you like me to|may i"
    r"|is it ok(?:ay)? (?:if|to)|please (?:confirm|approve)"
    r"|waiting for (?:your )?(?:approval|confirmation)|awaiting (?:your )?(?:approval|confirmation))\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    rf"\?|\bplease (?:provide|tell|specify|choose|select|share)\b|\blet me know\b|{_APPROVAL.pattern}", re.IGNORECASE
)
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
_WORD = re.compile(r"[^\W\d_]{3,}|[\w./-]*[/_.]\w[\w./-]*")
_FIX = "Keep open items in the task state, outside the conversation, and check them before the last answer."


@dataclass(slots=True)
class _Duty:
    """Something to be done: its sentence, its words, and those of them seen since."""

    rule: str
    piece: Piece
    said: str
    turn: int
    round: int
    words: frozenset[str]
    names: frozenset[str]
    seen: set[str] = field(default_factory=set)
    cut: bool = False

    @property
    def met(self) -> bool:
        """True where what it names, or most of its words, occurred in what the model did or said."""
        if self.names:
            return bool(self.names & self.seen)
        return len(self.words & self.seen) >= max(LEAST, ENOUGH * len(self.words))


class LostObligationDetector:
    """Finds calls without a result, requests and promises that nothing later takes up, and TODOs open at the end."""

    def __init__(self) -> None:
        self._calls: OrderedDict[str, tuple[Piece, int]] = OrderedDict()
        self._duties: list[_Duty] = []
        self._todo: tuple[Piece, tuple[str, ...]] | None = None
        self._last: Piece | None = None
        self._approval: tuple[Piece, str] | None = None
        self._granted: tuple[Piece, str, Piece, int] | None = None
        self._turn = self._round = 0
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        self._turn, self._round = moment.turn, moment.round
        if isinstance(moment.event, Replaced):
            self._replaced(moment.event)
        for piece in moment.pieces:
            if piece.kind == "call" and piece.call is not None:
                self._call(moment, piece, piece.call)
            elif piece.kind == "result" and piece.call is not None:
                self._calls.pop(piece.call.id, None)
            elif piece.kind == "text" and piece.source == "model":
                self._model(moment, piece)
            elif piece.kind == "text" and piece.source == "person":
                self._person(moment, piece)

    def result(self) -> Iterable[Finding]:
        """What was still open when the conversation ended."""
        return [*self._found, *self._never_used(), *self._unanswered(), *self._undone(), *self._open_todos()]

    def _replaced(self, event: Replaced) -> None:
        if event.change == "rewind":
            self._calls.clear()
            self._duties = [duty for duty in self._duties if duty.piece.message < event.kept]
        elif event.change == "new-conversation":
            self._calls.clear()
            self._duties.clear()
        else:
            for duty in self._duties:
                duty.cut = True

    def _call(self, moment: Moment, piece: Piece, call: Call) -> None:
        if call.id:
            self._calls[call.id] = (piece, moment.round)
            if len(self._calls) > OPEN:
                self._calls.popitem(last=False)
        if _TODO_TOOLS.search(call.name):
            if todos := tuple(open_todos(call.arguments)):
                self._todo = (piece, todos)
            elif isinstance(call.arguments, dict) and call.arguments:
                self._todo = None
        self._approved(moment, piece, call)
        self._progress(piece.text, moment.round)

    def _approved(self, moment: Moment, piece: Piece, call: Call) -> None:
        """What was asked has its answer, or is done without one."""
        asked, granted = self._approval, self._granted
        self._approval = self._granted = None
        if asked is None or granted is not None or _READS.search(call.name) or "ask" in call.name.casefold():
            return
        title = f"The model asked for approval and called {call.name} before anybody answered"
        quotes = (Quote(asked[0].record, asked[1], "the question"), quote(piece, "what was done"))
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
        if self._last.record < yes.record or _ASKS.search(self._last.text[-500:]):
            return  # not answered yet, or answered by another question
        title = "An approval was given, and nothing was done with it"
        quotes = (
            Quote(asked.record, said, "the question"),
            quote(yes, "the approval"),
            quote(self._last, "what came of it", self._last.text[-300:]),
        )
        disproof = "What was approved needed no call, or is done elsewhere."
        yield finding("lost-obligation", self._turn, "approval-unused", title, quotes, _FIX, disproof, "state")

    def _model(self, moment: Moment, piece: Piece) -> None:
        self._progress(piece.head, moment.round)
        self._last = piece
        small = piece.head.lower()
        for sentence in sentences(piece.head) if any(sign in small for sign in _SIGNS) else ():
            if _APPROVAL.search(sentence) and sentence.endswith(("?", ".", ")")):
                self._approval = (piece, sentence)
            if _PROMISE.search(sentence) and _LATER.search(sentence) and "?" not in sentence:
                self._owe("promised", moment, piece, sentence)

    def _person(self, moment: Moment, piece: Piece) -> None:
        self._found += self._never_used()
        agreed = self._approval is not None and len(piece.text) < SHORT and _YES.match(piece.text)
        self._granted = (*self._approval, piece, moment.round) if self._approval and agreed else None
        self._approval = None
        for sentence in sentences(piece.head):
            if "?" in sentence:
                continue
            if _REQUEST.search(sentence):
                self._owe("asked", moment, piece, sentence)
            elif _FILE.search(sentence):
                self._files(moment, piece, sentence)

    def _owe(self, rule: str, moment: Moment, piece: Piece, sentence: str) -> None:
        found = (_PROMISE if rule == "promised" else _REQUEST).search(sentence)
        object_ = sentence[found.start() :] if found else sentence
        names = frozenset(telling(object_))
        words = frozenset(_words(object_)) - {"will", "going", "forget", "remember", "sure", "make", "end", "done"}
        strong = rule == "promised" or (found is not None and found["strong"])
        if (names or (strong and len(words) > LEAST)) and len(self._duties) < OPEN and len(sentence) < LONG:
            self._duties.append(_Duty(rule, piece, sentence, moment.turn, moment.round, words, names))

    def _files(self, moment: Moment, piece: Piece, sentence: str) -> None:
        """Files that a request names as what is to be changed: each is a duty of its own."""
        for found in _FILE.finditer(sentence):
            names = frozenset(telling(found[1]))
            if names and len(self._duties) < OPEN and len(sentence) < LONG:
                self._duties.append(_Duty("asked", piece, sentence, moment.turn, moment.round, frozenset(), names))

    def _progress(self, text: str, at: int) -> None:
        waiting = [duty for duty in self._duties if not duty.met]
        if not waiting:
            self._duties = waiting
            return
        words = set(_words(text[:20_000]))
        names = telling(text) | {part for name in telling(text) for part in name.split("/")}
        for duty in waiting:
            duty.seen |= words & duty.words
            duty.seen |= {name for name in duty.names if name in names or name.rsplit("/", 1)[-1] in names}
        self._duties = waiting

    def _unanswered(self) -> Iterator[Finding]:
        for piece, at in self._calls.values():
            if self._round <= at or piece.call is None:
                continue
            title = f"A call of {piece.call.name} never got a result, and the session went on"
            fix = "Answer every call, also one that was interrupted or refused, before the next model call."
            disproof = "The result stands in another file, or the call was the provider's own."
            quotes = (quote(piece, "the call"),)
            yield finding(
                "lost-obligation", self._turn, "unanswered-call", title, quotes, fix, disproof, "state", [piece.call]
            )

    def _undone(self) -> Iterator[Finding]:
        for duty in self._duties:
            if duty.met or self._round - duty.round < ROUNDS_AFTER:
                continue
            what = "promised" if duty.rule == "promised" else "asked for"
            lost = "; a compaction came between" if duty.cut else ""
            title = f"What was {what} never came{lost}"
            quotes = [Quote(duty.piece.record, duty.said, what)]
            if self._last is not None:
                quotes.append(quote(self._last, "the last answer", self._last.text[-300:]))
            disproof = "It was done under another name, or taken back."
            yield finding("lost-obligation", duty.turn, duty.rule, title, quotes, _FIX, disproof, "state")

    def _open_todos(self) -> Iterator[Finding]:
        if self._todo is None or self._last is None or not _DONE.search(self._last.text[-1000:]):
            return
        piece, todos = self._todo
        if self._last.record <= piece.record:
            return
        title = f"{len(todos)} of the plan's items are still open, and the last answer says it is done"
        quotes = (*(Quote(piece.record, each, "open") for each in todos[:5]), quote(self._last, "the last answer"))
        disproof = "The items were done, and only the list was not brought up to date."
        yield finding("lost-obligation", self._turn, "open-todo", title, quotes, _FIX, disproof, "state", [piece.call])


def open_todos(arguments: object) -> Iterator[str]:
    """The texts of a plan's items that are not done."""
    if not isinstance(arguments, dict):
        return
    for items in arguments.values():
        for item in items if isinstance(items, list) else ():
            if isinstance(item, dict) and str(item.get("status", "")).casefold() in _OPEN_STATES:
                yield next((str(item[key]) for key in ("content", "step", "title", "task") if item.get(key)), "")


def _words(text: str) -> Iterator[str]:
    for word in _WORD.findall(text.casefold()):
        if word not in STOP:
            yield stem(word)
