"""Under which conditions each round of a recording was sent, so that every policy is billed under the same (G3).

A policy's messages are counted here. What was reported beyond them (system text, tools, the provider's own frame) is
the round's overhead, the same for all policies; so is what the cache did: how much of an unbroken prefix was really
read, how much of the rest was written. So the policy that changes nothing is billed what was reported, to the token, as
long as the recording agent changed nothing either.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ...core.diagnose.cache.terms import FIVE_MINUTES, lifetime, provider_of, reports_cache
from ...core.diagnose.tokens.calibration import Calibration
from ...core.history.terms import Count
from ...model.history import Entry, Round
from ...model.message import Usage
from .timeline import Recap, Recorded


@dataclass(frozen=True, slots=True)
class Condition:
    """The conditions of one round: tokens that every policy pays beside its messages, and what the cache did.

    `scale` makes the file's messages fit into what was reported, where an estimate says more. `reach` is the share of
    an unbroken prefix that was read, above 1 where another run had written more; `warm` what was read in the first
    round. `plain` are the tokens that were neither read nor written; None: all that is not read.
    """

    overhead: int
    scale: float = 1.0
    reach: float = 1.0
    warm: int = 0
    plain: int | None = None


@dataclass(frozen=True, slots=True)
class Conditions:
    """A conversation as it is replayed: its messages, weighed as reports suggest, and each round's conditions.

    `count` weighs a text in the same way. `basis` says in words what the figures rest on.
    """

    entries: tuple[Entry, ...]
    count: Count
    rounds: tuple[Condition, ...]
    basis: str


def conditions(held: Recorded, count: Count, whole: Callable[[Sequence[Entry], Count], Sequence[int]]) -> Conditions:
    """The conditions of a recorded conversation; `whole` gives the tokens that the whole history has in each round."""
    factor = _factor(held)
    weighed = _Weighed(count, factor or 1.0)
    entries = tuple(
        replace(each, tokens=tuple(round(weighed.factor * tokens) for tokens in each.tokens))
        for each in held.timeline.entries
    )
    sent = tuple(_sent(held, whole(entries, weighed), weighed.factor))
    rounds = tuple(_rounds(held, sent, weighed.factor))
    return Conditions(entries, weighed, rounds, _basis(held, factor))


@dataclass(frozen=True, slots=True)
class _Weighed:
    """Counts a text, times a factor."""

    base: Count
    factor: float

    def __call__(self, text: str) -> int:
        return round(self.factor * self.base(text))


def _factor(held: Recorded) -> float | None:
    """Reported tokens to one that is counted, over the rounds that only added to the one before."""
    found, before = Calibration(), None
    for each, shown, continues in zip(held.timeline.rounds, held.shown, held.continues, strict=True):
        prompt = each.usage.prompt if each.usage is not None else 0
        if prompt:
            found.called(shown, prompt, before if continues else None)
        before = (shown, prompt) if prompt else None
    return found.factor


def _sent(held: Recorded, whole: Sequence[int], factor: float) -> Iterator[int]:
    """The tokens of messages in each prompt as it was really sent: the whole history, less what was compacted away."""
    sums = [0]
    for entry in held.timeline.entries:
        sums.append(sums[-1] + entry.weight)
    for each, shown, tokens in zip(held.timeline.rounds, held.shown, whole, strict=True):
        yield max(0, tokens + round(factor * (shown - sums[each.before])))


def _rounds(held: Recorded, sent: Sequence[int], factor: float) -> Iterator[Condition]:
    before: Round | None = None
    known = any(each.usage is not None and reports_cache(each.usage) for each in held.timeline.rounds)
    writes = any(each.usage is not None and each.usage.cache_write for each in held.timeline.rounds)
    fixed = round(factor * (held.timeline.system_tokens + held.timeline.tools_tokens))
    for each, shown in zip(held.timeline.rounds, sent, strict=True):
        usage = each.usage
        if usage is None or not usage.prompt:
            writer = writes or provider_of(each.model) == "anthropic"
            yield Condition(fixed, 1.0, _by_time(each, before), plain=0 if writer else None)
        else:
            scale = min(1.0, usage.prompt / shown) if shown else 1.0
            yield Condition(
                overhead=usage.prompt - round(scale * shown),
                scale=scale,
                reach=_reach(each, usage, before, held.recaps) if known else 0.0,
                warm=usage.cached_read if before is None else 0,
                plain=usage.input if writes else None,
            )
        before = each


def _reach(each: Round, usage: Usage, before: Round | None, recaps: Sequence[Recap]) -> float:
    """How much of a prefix was read, as reported; as time allows where the recording agent broke its own prefix."""
    compacted = any(before is None or before.before < recap.place <= each.before for recap in recaps)
    if before is None or before.usage is None or not before.usage.prompt or compacted:
        return _by_time(each, before)
    return usage.cached_read / before.usage.prompt


def _by_time(each: Round, before: Round | None) -> float:
    """1 where the entries of the round before are still kept, and its model was the same, else 0."""
    if before is None or (each.model and before.model and each.model != before.model):
        return 0.0
    if each.at is None or before.at is None:
        return 1.0
    kept = lifetime(None, before.usage) if before.usage is not None else FIVE_MINUTES
    return float(each.at - before.at <= kept)


def _basis(held: Recorded, factor: float | None) -> str:
    reported = sum(each.usage is not None and each.usage.prompt > 0 for each in held.timeline.rounds)
    if not reported:
        told = "only a conversation's usage as a whole is in the file" if held.whole else "no usage in the file"
        return f"{told}: counted tokens, and a cache that keeps every prefix for five minutes"
    calibrated = f"counted tokens times {factor:.2f}" if factor else "counted tokens"
    return f"{reported} of {len(held.timeline.rounds)} rounds as reported; {calibrated}"
