"""One transcript under one policy: all of its conversations, the sub-agents' too, each replayed on its own."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from ...core.diagnose.tokens.spending import Price, for_an_hour, hourly
from ...core.history.coverage import NotCovered
from ...core.history.policies import POLICIES
from ...edges.models.table import Models, read_table
from ...errors import UsageError
from ...host.counters import choose, prices
from ...model.history import Shown, Standing, View
from ...model.message import Usage
from ...model.policy import Priced
from ...transcripts import reading
from .billing import Bill, Billing
from .gathered import Gathered, gather
from .refetches import Refetches, touched
from .replay import Sent, Setting, replay, setting
from .row import Row, total
from .survival import Surviving
from .timeline import Recorded, recorded

RECORDED = "as recorded"
ROOM = 1.25
"""A window over the prompt that it holds: a fifth of it is the reply's."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A transcript, read and counted: what all policies are replayed with."""

    format: str
    settings: tuple[Setting, ...]
    gathered: tuple[Gathered, ...]
    models: Models
    window_basis: tuple[str, ...]

    @property
    def about(self) -> Mapping[str, object]:
        """What is told of the transcript beside its policies."""
        held = [each.held for each in self.settings]
        return {
            "format": self.format,
            "conversations": len(held),
            "messages": sum(len(each.timeline.entries) for each in held),
            "rounds": sum(len(each.timeline.rounds) for each in held),
            "compactions": sum(len(each.recaps) for each in held),
            "facts": sum(len(each.mentions.facts) for each in self.gathered),
            "uses": sum(len(uses) for each in self.gathered for uses in each.uses),
            "window": max(each.window for each in self.settings),
            "models": sorted({each.model for one in held for each in one.timeline.rounds if each.model}),
            "basis": [*dict.fromkeys(each.conditions.basis for each in self.settings), *self.window_basis],
        }


@lru_cache(1)
def ready(path: Path, window: int | None, tokenizer: str | None) -> Ready:
    """A transcript made ready; the last one is kept, because its policies follow one another.

    UsageError where it cannot be read, or has no answered call of a model.
    """
    count, models = choose(tokenizer).count, read_table()
    with reading(path) as (name, events):
        held = recorded(events, count)
    if not held:
        raise UsageError(f"{path} has no answered call of a model, so there is nothing to replay")
    settings, rests = list[Setting](), dict[str, None]()
    for each in held:
        model = next((call.model for call in reversed(each.timeline.rounds) if call.model), "")
        priced = prices(models)(model)
        room, words = (window, "the window as it was named") if window else _window(each, model, models)
        rests[words] = None
        settings.append(
            setting(
                each,
                count,
                room,
                priced.of(0) if priced else None,
                models.traits(model).binds_thinking if model else False,
            )
        )
    return Ready(name, tuple(settings), tuple(map(gather, held)), models, tuple(rests))


def _window(held: Recorded, model: str, models: Models) -> tuple[int, str]:
    """The window of the conversation's model, at least what was sent to it, and in words what that rests on.

    Where no table has it, it is what the recording shows: no policy is given more room than the session had.
    """
    sent = max((each.usage.prompt for each in held.timeline.rounds if each.usage is not None), default=0)
    sent = sent or held.timeline.system_tokens + held.timeline.tools_tokens + sum(
        e.weight for e in held.timeline.entries
    )
    known = models.limits(model).window or models.limits(model.rpartition("/")[2]).window
    if known is None:
        told = (
            "no table has the model's window: the largest prompt of the recording stands for it, and room for a reply"
        )
        return int(ROOM * sent) + 1, told
    return max(known, sent), "the model's window"


def compared(path: Path, policy: str, window: int | None, tokenizer: str | None) -> Row:
    """The row of a policy, or of the recording itself, over all conversations of a transcript."""
    held = ready(path, window, tokenizer)
    begun = time.perf_counter()
    price = prices(held.models)
    both = zip(held.settings, held.gathered, strict=True)
    try:
        row = total([_row(policy, each, facts, price) for each, facts in both])
    except NotCovered as defect:  # a step lost something: its policy has no row, the others still have theirs
        row = Row(policy, failed=str(defect))
    return replace(row, seconds=round(time.perf_counter() - begun, 3))


def _row(policy: str, with_: Setting, facts: Gathered, price: Price) -> Row:
    """The row of one conversation."""
    billing, surviving = Billing(with_.window, _as_written(price, with_.held)), Surviving(facts)
    files = Refetches(touched(with_.held, with_.conditions.entries))
    recording = policy == RECORDED
    for sent in _as_recorded(with_) if recording else replay(POLICIES[policy], with_):
        due = () if recording else files.due(sent.round.number, sent.round.before, sent.standing)
        billing.take(sent, *due)
        surviving.take(sent)
    kept, bill = surviving.result(), billing.result()
    fates = "".join("01"[fate] for fate in kept.fates)
    return Row(policy, _reported(bill, with_.held) if recording else bill, kept.kinds, kept.alike, fates)


def _as_written(price: Price, held: Recorded) -> Price:
    """The tariffs, a write at what this recording paid for its own: in part, or all, at the price of an hour."""
    reports = [each.usage for each in held.timeline.rounds if each.usage is not None]
    written = sum(each.cache_write for each in reports)
    share = sum(map(for_an_hour, reports)) / written if written else 0.0

    def tariff(model: str) -> Priced | None:
        known = price(model)
        return known if known is None or not share else hourly(known, share)

    return tariff


def _as_recorded(with_: Setting) -> Iterator[Sent]:
    """What the recording agent itself sent: after a compaction its own summary and the turns that it kept."""
    held, told = with_.held, with_.conditions
    for each, condition in zip(held.timeline.rounds, told.rounds, strict=True):
        recap = next((one for one in reversed(held.recaps) if one.place <= each.before), None)
        first = recap.place if recap is not None else 0
        shown = [Shown(message, 0, (), "summary") for message in recap.messages] if recap is not None else []
        shown += [Shown(entry.message, entry.weight, (entry.number,)) for entry in told.entries[first : each.before]]
        tokens = sum(one.tokens for one in shown)
        yield Sent(each, condition, View(tuple(shown), "", 0, tokens), Standing(covered=first), ())


def _reported(bill: Bill, held: Recorded) -> Bill:
    """The bill as the file reports it, to the token; what was counted stands where the file reports nothing."""
    usage = held.usage
    if not usage.prompt:
        return bill
    rounds = [each.usage or Usage() for each in held.timeline.rounds]
    return replace(
        bill,
        input=usage.input,
        cached_read=usage.cached_read,
        cache_write=usage.cache_write,
        output=usage.output,
        largest=max((each.prompt for each in rounds), default=0),
        over_window=0,
    )
