"""Idling: the model is at work and nothing is done. It only thinks, only plans, or says the same over again (B7)."""

import re
from collections import deque
from collections.abc import Iterable

from .....model.diagnosis import Finding
from .....model.transcript import Called, Replaced, Said
from ....text.likeness import READ, likeness, telling_words
from ..blocks import Call, ReadBlock
from ..contract import Moment, finding, quote, quote_call

EMPTY_ROUNDS = 3
PLANS = 3
SAME_PLANS = 3
SAME_ANSWERS = 3
WITHIN = 6
ALIKE = 0.75
ALIKE_PLANS = 0.5
ALIKE_ANSWERS = 0.75
LEAST_WORDS = 8
SHARED = 6
_PLANNING = re.compile(r"todo|(?:^|_)plan(?:$|_|ning)|update_?plan|sequential_?thinking|^think$", re.IGNORECASE)
_DONE = re.compile(r"\b(?:completed|done)\b", re.IGNORECASE)
_STEP = re.compile(
    r"\b(?:first(?:ly)?|then|next|after (?:that|this|which)|afterwards?|finally|lastly|second(?:ly)?|third(?:ly)?"
    r"|step \d|once (?:that|this|it)|followed by)\b",
    re.IGNORECASE,
)
_INTENT = re.compile(
    r"\b(?:plan|approach|strategy|next steps?|i(?:['’]ll| will| am going to|['’]m going to| need to| want to| would)"
    r"|let me|let['’]s|we(?:['’]ll| will| need to| should)|going to)\b",
    re.IGNORECASE,
)
_GO = re.compile(
    r"^\W*(?:yes|yep|yeah|ok(?:ay)?|sure|sounds good|looks good|lgtm|great|perfect|fine|agreed|approved|right"
    r"|please)?\W*"
    r"(?:please|just|now|then|so|and|thanks?|that works|you can|you may)?\W*(?:(?:please|just|now)\W+)?"
    r"(?:go (?:ahead|on|for it)|do (?:it|that|so|this)|proceed|continue|start|begin|carry on"
    r"|get (?:going|started|on with it)"
    r"|make it so|implement it|run it|yes|ok(?:ay)?|sounds good|approved|lgtm|looks good)\b",
    re.IGNORECASE,
)
_BUT = re.compile(
    r"\?|\b(?:also|but|instead|if|could|can you|what|how|different|other|only|except|wait)\b", re.IGNORECASE
)
CONSENT = 8
AGREED = 2
SHORT = 400
_CHANGES = re.compile(
    r"edit|write|patch|replace|insert|create|update|delete|send|book|submit|commit|cancel", re.IGNORECASE
)
STEPS = 2
_FIX = "Ask for the next action in every round, and end the run when a round brings neither a call nor an answer."


class IdlingDetector:
    """Finds rounds without a call or an answer, plans that are only written again, and messages that repeat."""

    def __init__(self) -> None:
        self._silent: deque[ReadBlock] = deque(maxlen=EMPTY_ROUNDS)
        self._now: ReadBlock | None = None
        self._acted = True
        self._plans: list[Call] = []
        self._finished = 0
        self._intents: deque[tuple[frozenset[str], ReadBlock]] = deque(maxlen=WITHIN)
        self._answer: ReadBlock | None = None
        self._answers: deque[tuple[frozenset[str], ReadBlock]] = deque(maxlen=WITHIN)
        self._consent: ReadBlock | None = None
        self._unheard: list[ReadBlock] = []
        self._told_idle = self._told_plans = self._told_on = False
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        if isinstance(moment.event, Called):
            self._round()
        elif isinstance(moment.event, Replaced):
            self._silent.clear()
            self._acted = True
            self._answers.clear()
        elif isinstance(moment.event, Said):
            for block in moment.blocks:
                self._piece(moment, block)

    def result(self) -> Iterable[Finding]:
        """The idlings, each once."""
        return self._found

    def _piece(self, moment: Moment, block: ReadBlock) -> None:
        if block.source == "person":
            self._person(moment, block)
        elif block.kind == "result":
            self._acted = True
        elif block.kind == "call" and block.call is not None:
            self._acted = True
            self._answer = self._consent = None
            self._unheard.clear()
            self._told_on = False
            self._answers.clear()  # something was done: the next answer may tell of it in the same form
            self._call(moment, block.call)
        elif block.source == "model" and block.text.strip():
            self._says(moment, block)

    def _person(self, moment: Moment, block: ReadBlock) -> None:
        answer, self._answer = self._answer, None
        if answer is not None:
            self._answered(moment, answer)
            self._agreed(moment, answer)
        self._consent = block if _consents(block.text) else None
        self._silent.clear()
        self._acted = True
        self._plans.clear()
        self._intents.clear()
        self._told_idle = self._told_plans = False

    def _agreed(self, moment: Moment, answer: ReadBlock) -> None:
        """A person had said yes, and what came was one more announcement."""
        if self._consent is None or len(answer.text) > SHORT or "?" in answer.text:
            self._unheard.clear()
            self._told_on = False
            return
        self._unheard += [self._consent, answer]
        announced = sum(_INTENT.search(each.text[:READ]) is not None for each in self._unheard[1::2])
        # Words alone do not tell an announcement from an answer: where one is not told by them, one more is needed.
        times = len(self._unheard) // 2
        if self._told_on or not announced or times < AGREED + (announced < times):
            return
        self._told_on = True
        title = f"{times} times a person said to go on, and the model only said again what it would do"
        quotes = [
            quote(each, "announced again" if each.source == "model" else "told to go on") for each in self._unheard
        ]
        disproof = "It lacked something that only the person could give, and had asked for it."
        self._found.append(finding("stall", moment.turn, "told-to-go-on", title, quotes, _FIX, disproof, "state"))

    def _round(self) -> None:
        """A model call begins: the one before it either did something, or it was one of those that did not."""
        if self._acted:
            self._silent.clear()
            self._told_idle = False
        elif self._now is not None:
            self._silent.append(self._now)
        self._acted, self._now = False, None

    def _says(self, moment: Moment, block: ReadBlock) -> None:
        if block.kind == "text":
            self._answer = block
            self._intent(moment, block)
        self._now = block
        silent = [*self._silent, block]
        if self._acted or len(silent) < EMPTY_ROUNDS or self._told_idle:
            return
        self._told_idle = True
        title = f"{len(silent)} model calls in a row brought neither a tool call nor an answer to anybody"
        quotes = [quote(each, "what it said instead") for each in silent]
        disproof = "The provider cut the answers off, or calls were made that the file does not show."
        self._found.append(finding("stall", moment.turn, "only-words", title, quotes, _FIX, disproof, "state"))

    def _call(self, moment: Moment, call: Call) -> None:
        if not _PLANNING.search(call.name):
            self._plans.clear()
            self._told_plans = False
            if _CHANGES.search(call.name):
                self._intents.clear()
            return
        finished = len(_DONE.findall(call.written))
        if finished > self._finished:
            self._plans.clear()
        self._finished = finished
        self._plans.append(call)
        if len(self._plans) < PLANS or self._told_plans:
            return
        self._told_plans = True
        title = f"{len(self._plans)} times in a row the plan was written again, with nothing done in between"
        quotes = [quote_call(each, "the plan") for each in self._plans]
        fix = "Write the plan once; let the next call be its first open step."
        disproof = "Between them something was done or learnt that the plan had to take in."
        self._found.append(
            finding("stall", moment.turn, "plan-again", title, quotes, fix, disproof, "state", self._plans)
        )

    def _intent(self, moment: Moment, block: ReadBlock) -> None:
        words = telling_words(block.text, SHARED)
        if not words or not _INTENT.search(block.text[:READ]):
            return
        planned = len(_STEP.findall(block.text[:READ])) >= STEPS
        same = [each for other, each in self._intents if likeness(words, other) >= (ALIKE_PLANS if planned else ALIKE)]
        self._intents.append((words, block))
        if len(same) + 1 < SAME_PLANS:
            return
        self._intents.clear()
        title = f"The model says {len(same) + 1} times, in nearly the same words, what it is going to do"
        quotes = [quote(each, "what it is going to do") for each in (*same, block)]
        disproof = "Each time another part of it was done, and the words are a form that it fills in."
        self._found.append(finding("stall", moment.turn, "intent-again", title, quotes, _FIX, disproof, "state"))

    def _answered(self, moment: Moment, block: ReadBlock) -> None:
        words = telling_words(block.text, LEAST_WORDS)
        same = [
            each
            for other, each in self._answers
            if (words and likeness(words, other) >= ALIKE_ANSWERS) or each.text == block.text
        ]
        self._answers.append((words, block))
        if len(same) + 1 < SAME_ANSWERS:
            return
        self._answers.clear()
        title = f"{len(same) + 1} answers to a person are nearly the same"
        quotes = [quote(each, "the answer") for each in (*same, block)]
        fix = "After the second equal answer say what is missing, offer another way, or hand over to somebody."
        disproof = "The person asked for the same each time, or a rule leaves no other answer."
        self._found.append(finding("stall", moment.turn, "answer-again", title, quotes, fix, disproof, "state"))


def _consents(text: str) -> bool:
    return len(text.split()) <= CONSENT and _GO.search(text) is not None and _BUT.search(text) is None
