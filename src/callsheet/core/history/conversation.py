"""One conversation under one policy: what is new is added, the steps act, and the view is what is sent."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ...model.effect import Flow
from ...model.history import Entry, Standing, View
from ...model.history_policy import Clear, Compact, Deduplicate, HistoryPolicy, Notes, Pin, Scope, Slide, Step
from .coverage import check
from .record import History
from .steps import clear, compact, deduplicate, notes, pin, scope, slide
from .terms import Terms
from .view import view

Act = Callable[[Any, History, Standing, Terms], Flow[Standing]]
ACTS: Mapping[type[Any], Act] = {
    Clear: clear.act,
    Deduplicate: deduplicate.act,
    Compact: compact.act,
    Slide: slide.act,
    Pin: pin.act,
    Notes: notes.act,
    Scope: scope.act,
}


class Conversation:
    """A conversation that only grows, and how it stands under a policy.

    A step is a function of its settings, the history, the standing and the terms of the request; it gives the standing
    that follows, or the same one where there is nothing to do. Only a changed standing is laid out anew, so a round
    costs what is new in it.
    """

    def __init__(self, policy: HistoryPolicy) -> None:
        self.policy = policy
        self.history = History(user_words=policy.user_words)
        self.standing = Standing()

    def add(self, entry: Entry) -> None:
        """Takes one more message in."""
        self.history.add(entry)

    def prepare(self, terms: Terms) -> Flow[View]:
        """The view for a request under these terms; asks for summaries where a step needs one."""
        if terms.thinking != self.policy.thinking:
            terms = replace(terms, thinking=self.policy.thinking)
        standing = self.standing
        for step in self.policy.steps:
            before = standing
            standing = yield from _act(step, self.history, before, terms)
            check(self.history, before, standing)
        self.standing = standing
        return view(self.history, standing, terms.count)


def _act(step: Step, history: History, standing: Standing, terms: Terms) -> Flow[Standing]:
    return (yield from ACTS[type(step)](step, history, standing, terms))
