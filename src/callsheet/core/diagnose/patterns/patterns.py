"""The failure patterns of a session: every conversation has its own detectors, which all see the same moments (H2)."""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from json import dumps

from ....model.diagnosis import Finding, Part
from ....model.message import Block, CallBlock, ResultBlock, TextBlock, ThinkingBlock
from ....model.transcript import Accounted, Called, Ended, Event, Offered, Reported, Said
from ...text.blocks import text_of
from ..window import Window
from .blocks import Call, ReadBlock, Source
from .clash.clash import ClashDetector
from .confusion.confusion import ConfusionDetector
from .contract import Detector, Moment
from .distraction.distraction import DistractionDetector
from .distraction.old_tasks import OldTasksDetector
from .grounding import Grounding
from .lost_obligation.lost_obligation import LostObligationDetector
from .poisoning.assumed_names import RefutedDetector
from .poisoning.claims import ClaimsDetector
from .poisoning.errands import ErrandsDetector
from .poisoning.followed_orders import PoisoningDetector
from .poisoning.wrong_facts import WrongFactsDetector
from .position_loss.answers import AnswersDetector
from .position_loss.denials import DenialsDetector
from .position_loss.given_values import PositionLossDetector
from .position_loss.known_commands import KnownCommandsDetector
from .position_loss.lists import DemandsDetector
from .position_loss.plans import PlansDetector
from .position_loss.signatures import SignaturesDetector
from .stall.idling import IdlingDetector
from .stall.loop import LoopDetector
from .stall.remedies import RemediesDetector
from .stall.stall import StallDetector

DETECTORS: tuple[Callable[[], Detector], ...] = (
    PoisoningDetector,
    WrongFactsDetector,
    ClaimsDetector,
    ErrandsDetector,
    RefutedDetector,
    DistractionDetector,
    OldTasksDetector,
    ConfusionDetector,
    ClashDetector,
    PositionLossDetector,
    DemandsDetector,
    DenialsDetector,
    AnswersDetector,
    SignaturesDetector,
    KnownCommandsDetector,
    PlansDetector,
    LoopDetector,
    StallDetector,
    IdlingDetector,
    RemediesDetector,
    LostObligationDetector,
)
OPEN_CALLS = 500
LONGEST_WRITTEN = 2_000
_ERROR = re.compile(
    r"\W*(?:\w*error\b|\w+ error(?:: | -?\d| code\b)|fatal\b|failed\b|exception\b|traceback\b|invalid\b|unknown \w"
    r"|wrong\b|incorrect\b|"
    r"(?:ba|z)?sh: |<tool_use_error>|no such |permission denied|(?:\w+ )?not found\b)"
)
"""How the result of an error begins, in small letters."""
_ERRORS = ("command not found", "traceback (most recent call last)", "no such file or directory")
_ABSENT = ("not found", "does not exist", "not available")
"""How the first line of an error ends, where it says what is not there."""


class Patterns:
    """The analysis of all failure patterns; `take` every event with its window and new parts, then `result`."""

    def __init__(self, detectors: Sequence[Callable[[], Detector]] = DETECTORS) -> None:
        self._detectors = detectors
        self._threads: dict[str, _Conversation] = {}
        self._found: list[Finding] = []

    def take(self, event: Event, window: Window, parts: tuple[Part, ...]) -> None:
        """Takes the next event, the window of its conversation after it, and what it added to that."""
        if isinstance(event, Accounted | Reported):
            return  # every second event; no pattern asks for them
        conversation = self._threads.get(event.thread)
        if conversation is None:
            conversation = self._threads[event.thread] = _Conversation([make() for make in self._detectors])
        conversation.take(event, window, parts)
        if isinstance(event, Ended):
            self._found += self._threads.pop(event.thread).result(event.thread)

    def result(self) -> tuple[Finding, ...]:
        """All findings, in the order of the conversations and their turns."""
        for name in list(self._threads):
            self._found += self._threads.pop(name).result(name)
        return tuple(self._found)


class _Conversation:
    """One conversation: its turns and rounds, the calls that wait for a result, and its detectors."""

    def __init__(self, detectors: Sequence[Detector]) -> None:
        self._detectors = detectors
        self._turn = 0
        self._round = 0
        self._calls: OrderedDict[str, Call] = OrderedDict()
        self._grounding = Grounding()
        self._latest: Call | None = None

    def take(self, event: Event, window: Window, parts: tuple[Part, ...]) -> None:
        if isinstance(event, Called):
            self._round += 1
        blocks: tuple[ReadBlock, ...] = ()
        if isinstance(event, Said) and not event.again:
            self._turn += event.speaker == "person"
            blocks = tuple(self._blocks(event, window.messages - 1, parts))
        elif isinstance(event, Offered) and event.system is not None:
            texts = (text_of(block) for message in event.system for block in message.blocks)
            blocks = tuple(ReadBlock("text", "system", text, event.record) for text in texts)
        tokens = sum(window.tokens().values()) if blocks else 0
        moment = Moment(event, max(self._turn, 1), self._round, tokens, self._grounding, blocks)
        for detector in self._detectors:
            detector.take(moment)
        for block in blocks:
            if block.source != "model":
                self._grounding.hear(block.reading)

    def result(self, thread: str) -> list[Finding]:
        found = [each for detector in self._detectors for each in detector.result()]
        found.sort(key=lambda each: each.turn)
        return [_in_thread(each, thread) for each in found]

    def _blocks(self, event: Said, number: int, parts: tuple[Part, ...]) -> Iterator[ReadBlock]:
        for at, block in enumerate(event.message.blocks):
            tokens = parts[at].tokens if at < len(parts) else 0
            if isinstance(block, CallBlock):
                call = self._called(block, event.record)
                yield ReadBlock("call", "model", call.text, event.record, number, call, tokens=tokens)
            elif isinstance(block, ResultBlock):
                text = text_of(block)
                answered = self._calls.pop(block.call_id or "", None) or self._latest
                error = failed(text, block.is_error, event.facts.get("exit_code"))
                yield ReadBlock("result", "tool", text, event.record, number, answered, error, tokens)
            elif isinstance(block, TextBlock | ThinkingBlock):
                kind = event.facts.get("kinds", {}).get(at)
                yield self._text(event, block, number, kind if kind in ("evidence", "memory") else None, tokens)

    def _text(self, event: Said, block: Block, number: int, kind: Source | None, tokens: int) -> ReadBlock:
        source = kind or ("system" if event.message.role in ("system", "developer") else event.speaker)
        text = text_of(block)
        if source == "tool":
            # In a format without calls of its own an observation answers what the model wrote last.
            return ReadBlock("result", source, text, event.record, number, self._latest, failed(text), tokens)
        thinking = isinstance(block, ThinkingBlock)
        if source == "model" and not thinking:
            self._latest = Call("", "", None, text, event.record, self._round, text)
        return ReadBlock("thinking" if thinking else "text", source, text, event.record, number, tokens=tokens)

    def _called(self, block: CallBlock, record: int) -> Call:
        if block.arguments is None:
            written = block.written or ""
        else:
            written = dumps(block.arguments, ensure_ascii=False, sort_keys=True, default=str)
        call = self._latest = Call(
            block.id or "",
            block.name,
            block.arguments,
            _bounded(written),
            record,
            self._round,
            text_of(block),
            block.server,
        )
        if block.id and not block.server:
            self._calls[block.id] = call
            if len(self._calls) > OPEN_CALLS:
                self._calls.popitem(last=False)
        return call


def _bounded(written: str) -> str:
    """The same for the same arguments, in every process, and never long: many calls are kept."""
    if len(written) <= LONGEST_WRITTEN:
        return written
    digest = blake2b(written.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{written[:LONGEST_WRITTEN]} {digest}"


def failed(text: str, told: bool | None = None, exit_code: object = None) -> bool:
    """True for a result that is an error: it is marked as one, the command failed, or its beginning says so."""
    if told is not None or isinstance(exit_code, int):
        return bool(told) or bool(exit_code)
    begins = text[:200].lower()
    if _ERROR.match(begins) is not None or any(sign in begins for sign in _ERRORS):
        return True
    return len(begins) < 200 and begins.split("\n", 1)[0].rstrip(" .!").endswith(_ABSENT)


def _in_thread(found: Finding, thread: str) -> Finding:
    return found if not thread else replace(found, thread=thread)
