"""Where a session's tokens went: per turn and billed over all calls, by bucket, beside what was reported (H1, E4)."""

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ....model.diagnosis import ModelUse, Part, TurnBuckets
from ....model.message import Usage
from ....model.transcript import Called, Ended, Event, Offered, Replaced, Reported, Said
from ..window import BUCKETS, WIDTH, Counting, Window
from .calibration import Calibration, scaled
from .spending import Price, Spending, no_price, total_cost

OPEN = 1_000
"""Responses that may still be reported anew."""
TITLE = 80
NOTHING = (0,) * WIDTH
LISTED = 3


@dataclass(frozen=True, slots=True)
class Billing:
    """What a session was billed for: `turns`, and over all of them `billed` tokens by bucket, usage and cost by model.

    `basis` says in words what the figures rest on.
    """

    turns: tuple[TurnBuckets, ...]
    billed: Mapping[str, int]
    usage: Usage
    models: tuple[ModelUse, ...]
    cost: float | None
    basis: str


@dataclass(slots=True)
class _Prompts:
    """Prompts of one model in one turn: reported tokens, and shown ones by bucket, of calls with a report or none."""

    reported: int = 0
    shown: list[int] = field(default_factory=lambda: [0] * WIDTH)
    alone: list[int] | None = None

    def add(self, shown: Iterable[int], reported: int) -> None:
        if reported:
            self.reported += reported
            self.shown = list(map(int.__add__, self.shown, shown))
        else:
            self.alone = list(map(int.__add__, self.alone or NOTHING, shown))


@dataclass(slots=True)
class _Turn:
    number: int
    record: int
    thread: str
    at: float | None
    title: str = ""
    calls: int = 0
    usage: Usage = Usage()
    prompts: dict[str, _Prompts] = field(default_factory=dict)
    last: tuple[str, tuple[int, ...], int] = ("", NOTHING, 0)
    new: int = 0
    paid: int = 0


@dataclass(slots=True)
class _Thread:
    """One conversation: its turn, how many calls and unbroken stretches it has had, its messages' tokens and turns."""

    persons: int = 0
    turn: _Turn | None = None
    calls: int = 0
    stretch: int = 0
    owners: list[_Turn] = field(default_factory=list)
    tokens: "array[int]" = field(default_factory=lambda: array("q"))
    since: "array[int]" = field(default_factory=lambda: array("q"))
    before: tuple[int, str, int, int] = (-1, "", 0, 0)

    def cut(self, kept: int) -> None:
        """The first `kept` messages stay; what the others were paid for is told to their turns."""
        for at in range(kept, len(self.owners)):
            self.owners[at].paid += self.tokens[at] * (self.calls - self.since[at])
        del self.owners[kept:], self.tokens[kept:], self.since[kept:]


@dataclass(slots=True)
class _Response:
    thread: _Thread
    turn: _Turn
    model: str
    calls: int = 0
    shown: tuple[int, ...] | None = None
    stretch: int = 0
    usage: Usage | None = None
    cost: float | None = None


class Buckets:
    """Folds events into a `Billing`. Counts of whole prompts are exact, and not calibrated; estimates of texts are.

    State: a row for each turn, a few numbers for each message of the windows, and the latest thousand responses, which
    may still be reported anew.
    """

    def __init__(self, counting: Counting, price: Price = no_price) -> None:
        self._counter = counting.name
        self._exact = counting.prompts is not None
        self._spending = Spending(price)
        self._turns: list[_Turn] = []
        self._threads: dict[str, _Thread] = {}
        self._open: dict[tuple[str, str], _Response] = {}
        self._whole: dict[str, tuple[Reported, _Turn]] = {}
        self._reported: set[str] = set()
        self._models: dict[str, Calibration] = {}

    def take(self, event: Event, window: Window, parts: tuple[Part, ...]) -> None:
        """Takes one event in, with its conversation's window after it and the parts that it added."""
        if isinstance(event, Said):
            self._say(event, parts)
        elif isinstance(event, Called):
            self._call(event, window)
        elif isinstance(event, Reported):
            self._report(event)
        elif isinstance(event, Offered):
            self._thread(event).stretch += 1
        elif isinstance(event, Replaced):
            thread = self._thread(event)
            thread.stretch += 1
            thread.cut(event.kept)
        elif isinstance(event, Ended) and event.thread in self._threads:
            self._threads.pop(event.thread).cut(0)

    def _thread(self, event: Event) -> _Thread:
        thread = self._threads.get(event.thread)
        if thread is None:
            thread = self._threads[event.thread] = _Thread()
        return thread

    def _turn(self, thread: _Thread, event: Event) -> _Turn:
        number = max(1, thread.persons)
        if thread.turn is None or thread.turn.number != number:
            thread.turn = _Turn(number, event.record, event.thread, event.at)
            self._turns.append(thread.turn)
        return thread.turn

    def _say(self, event: Said, parts: tuple[Part, ...]) -> None:
        thread = self._thread(event)
        person = event.speaker == "person" and not event.again
        thread.persons += person
        turn = self._turn(thread, event)
        if person and not turn.title:
            turn.title = " ".join(event.message.text[: 4 * TITLE].split())[:TITLE]
            turn.record = event.record if not turn.calls else turn.record
        tokens = 0 if event.again else sum(part.tokens for part in parts)
        turn.new += tokens
        thread.owners.append(turn)
        thread.tokens.append(tokens)
        thread.since.append(thread.calls)

    def _call(self, event: Called, window: Window) -> None:
        thread = self._thread(event)
        turn = self._turn(thread, event)
        if event.error:  # nothing is billed for what failed
            return
        turn.calls += 1
        thread.calls += 1
        response = self._response(thread, turn, event)
        response.calls += 1
        if response.shown is None:  # else its name was used before: it is one response, whose first call stands
            response.shown, response.stretch = tuple(window.prompt().values()), thread.stretch

    def _report(self, event: Reported) -> None:
        thread = self._thread(event)
        if not event.response:
            self._whole[event.thread] = event, self._turn(thread, event)
            return
        response = self._response(thread, self._turn(thread, event), event)
        response.usage, response.cost = event.usage, event.cost
        response.model = event.model or response.model
        self._reported.add(event.thread)

    def _response(self, thread: _Thread, turn: _Turn, event: Called | Reported) -> _Response:
        """The response of this name, which stays open until a thousand others have come."""
        key = event.thread, event.response
        response = self._open.get(key)
        if response is None:
            response = self._open[key] = _Response(thread, turn, event.model)
            if len(self._open) > OPEN:
                self._settle(self._open.pop(next(iter(self._open))))
        return response

    def _settle(self, response: _Response) -> None:
        """Adds a response up, now that nothing more is reported of it."""
        turn, model, usage = response.turn, response.model, response.usage or Usage()
        self._spending.call(model, response.calls)
        if response.usage is not None:
            turn.usage = turn.usage.plus(usage)
            self._spending.report(model, usage, response.cost)
        if response.shown is None:
            if usage.prompt:
                turn.prompts.setdefault(model, _Prompts()).add(NOTHING, usage.prompt)
            return
        turn.prompts.setdefault(model, _Prompts()).add(response.shown, usage.prompt)
        turn.last = model, response.shown, usage.prompt
        if usage.prompt:
            thread, shown = response.thread, sum(response.shown)
            stretch, other, *figures = thread.before
            continues = (stretch, other) == (response.stretch, model)
            before = (figures[0], figures[1]) if continues else None
            self._models.setdefault(model, Calibration()).called(shown, usage.prompt, before)
            thread.before = response.stretch, model, shown, usage.prompt

    def result(self) -> Billing:
        """The billing of all events taken; no event may follow."""
        for response in self._open.values():
            self._settle(response)
        for name, (event, turn) in self._whole.items():
            if name not in self._reported:
                turn.usage = turn.usage.plus(event.usage)
                self._spending.report(event.model or turn.last[0], event.usage, event.cost)
        for thread in self._threads.values():
            thread.cut(0)
        factors = {} if self._exact else {name: found.factor for name, found in self._models.items()}
        turns = tuple(_told(turn, {name: each or 1.0 for name, each in factors.items()}) for turn in self._turns)
        models = self._spending.models()
        billed: dict[str, int] = {}
        usage = Usage()
        for each in turns:
            usage = usage.plus(each.usage)
            for name, tokens in each.billed.items():
                billed[name] = billed.get(name, 0) + tokens
        ordered = {name: billed[name] for name in (*BUCKETS, "unseen") if name in billed}
        return Billing(turns, ordered, usage, models, total_cost(models), self._basis(factors))

    def _basis(self, factors: Mapping[str, float | None]) -> str:
        words = [f"tokens by {self._counter}"]
        if not self._exact:
            words += [self._said_of(name, factors[name]) for name in list(factors)[:LISTED]]
        return "; ".join(filter(None, [*words, self._spending.basis()]))

    def _said_of(self, model: str, factor: float | None) -> str:
        found = self._models[model]
        named = f" for {model}" if len(self._models) > 1 else ""
        rest = f"about {found.rest(factor or 1.0):,} tokens of a usual prompt are reported{named} and not in the file"
        if factor is None:
            return f"not calibrated{named}, because its reports say too little; {rest}"
        growths = f"{found.grown.seen} growths of its prompts, as reported"
        return f"times {factor:.2f}{named}, by {growths}; {rest}"


def _told(turn: _Turn, factors: Mapping[str, float]) -> TurnBuckets:
    """A turn's figures in reported tokens, as far as they are known."""
    billed = [0] * (WIDTH + 1)
    for model, prompts in turn.prompts.items():
        factor = factors.get(model, 1.0)
        shown, unseen = scaled(prompts.shown, factor, prompts.reported)
        alone, _ = scaled(prompts.alone or NOTHING, factor, 0)
        billed = [sum(each) for each in zip(billed, (*shown, unseen), (*alone, 0), strict=True)]
    model, last, reported = turn.last
    factor = factors.get(model, 1.0)
    prompt, unseen = scaled(last, factor, reported)
    return TurnBuckets(
        turn=turn.number,
        record=turn.record,
        calls=turn.calls,
        prompt=_named((*prompt, unseen)),
        billed=_named(billed),
        usage=turn.usage,
        thread=turn.thread,
        at=turn.at,
        title=turn.title,
        new=round(factor * turn.new),
        paid=round(factor * turn.paid),
    )


def _named(tokens: Iterable[int]) -> dict[str, int]:
    return {name: each for name, each in zip((*BUCKETS, "unseen"), tokens, strict=True) if each}
