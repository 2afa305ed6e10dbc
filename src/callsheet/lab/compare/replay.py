"""A recorded conversation, sent once more under a policy: the same messages, byte for byte, round after round (F8)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...core.history.conversation import Conversation
from ...core.history.summary.by_rule import draft
from ...core.history.terms import Count, Terms
from ...drive import drive
from ...model.effect import Effect
from ...model.history import Drafted, Edit, Entry, Round, Standing, Summarise, View
from ...model.history_policy import HistoryPolicy
from ...model.policy import Prices
from .conditions import Condition, Conditions, conditions
from .timeline import Recorded

Summarises = Callable[[Summarise], Drafted]
FULL = HistoryPolicy()
ROOMY = 1 << 60
"""A window that nothing fills."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What a policy sends in one round: the view, how the conversation stands, and the edits that led to it."""

    round: Round
    condition: Condition
    view: View
    standing: Standing
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """What all policies are replayed with: the window in tokens, the recorded conversation and its conditions."""

    held: Recorded
    conditions: Conditions
    window: int
    prices: Prices | None = None
    binds_thinking: bool = False


def setting(
    held: Recorded, count: Count, window: int, prices: Prices | None = None, binds_thinking: bool = False
) -> Setting:
    """What a recorded conversation is replayed with, all of its policies alike."""

    def whole(entries: Sequence[Entry], weighed: Count) -> Sequence[int]:
        terms = Terms(ROOMY, weighed)
        return [view.tokens for _, view in _views(FULL, entries, held.timeline.rounds, lambda _: terms, draft)]

    return Setting(held, conditions(held, count, whole), window, prices, binds_thinking)


def replay(policy: HistoryPolicy, with_: Setting, summarise: Summarises = draft) -> Iterator[Sent]:
    """What a policy sends in each recorded round. UsageError where the window is too small for the overhead alone."""
    held, told = with_.held, with_.conditions

    def terms(number: int) -> Terms:
        return Terms(
            with_.window,
            told.count,
            reserve=policy.reserve,
            overhead=told.rounds[number].overhead,
            tools=frozenset(held.timeline.tools),
            prices=with_.prices,
            binds_thinking=with_.binds_thinking,
        )

    passed, views = 0, _views(policy, told.entries, held.timeline.rounds, terms, summarise)
    for each, condition, (conversation, view) in zip(held.timeline.rounds, told.rounds, views, strict=True):
        standing = conversation.standing
        yield Sent(each, condition, view, standing, standing.edits[passed:])
        passed = len(standing.edits)


def _views(
    policy: HistoryPolicy,
    entries: Sequence[Entry],
    rounds: Sequence[Round],
    terms: Callable[[int], Terms],
    summarise: Summarises,
) -> Iterator[tuple[Conversation, View]]:
    def perform(effect: Effect[Any]) -> Any:
        assert isinstance(effect, Summarise), "a policy asks for nothing but summaries"
        return summarise(effect)

    conversation, added = Conversation(policy), 0
    for each in rounds:
        for entry in entries[added : each.before]:
            conversation.add(entry)
        added = max(added, each.before)
        yield conversation, drive(conversation.prepare(terms(each.number)), perform)


def shared(before: View, now: View) -> int:
    """How many messages two views have in common from the first on."""
    common = 0
    for one, other in zip(before.shown, now.shown, strict=False):
        if one.message is not other.message and one.message != other.message:
            break
        common += 1
    return common
