"""Only the newest part stays; what was before it is addressable by its number (F4, F8)."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from ....model.effect import Flow
from ....model.history import Edit, Standing
from ....model.history_policy import Slide
from ..cuts.legal import Cut, cut, first_legal
from ..editing.bound_thinking import WHY, forbidden, thinking_from
from ..editing.counts import weight
from ..editing.edits import noted
from ..editing.triggers import Due, due
from ..editing.user_words import carried_over
from ..record import History
from ..recorded.spans import Spans, joined, spans
from ..summary.result_index import Returned, newest, returned
from ..terms import Terms
from ..view import tokens

NAME = "slide"
INDEX = 0.06
"""The share of the usable window that the index of results left out may take."""
LOOKED = 1_000
"""So many of the newest calls are looked through for it."""


def act(step: Slide, history: History, standing: Standing, terms: Terms) -> Flow[Standing]:
    """The standing in which only the newest part is shown."""
    yield from ()
    need = due(NAME, step.trigger, history, standing, terms)
    return standing if need is None else slid(NAME, need, history, standing, terms)


def slid(name: str, need: Due, history: History, standing: Standing, terms: Terms) -> Standing:
    """The standing cut at the first legal place that frees what is needed, else at the last one there is.

    The last stretch between two legal places always stays. What does not happen, or is not enough, is an edit with its
    rule: `no-legal-cut`, `does-not-fit`, `thinking-append-only`, `thinking-refuse`.
    """
    made = cut(history, standing, _place(need, history, standing))
    freed = _freed(made, history, standing)
    if not made.gone or (freed < need.least and not need.overflows):
        why = f"{need.size} tokens stand and {terms.usable} fit; no legal cut before message {need.before} frees more"
        return _refused(name, "no-legal-cut", why, history, standing) if need.overflows else standing
    if rule := forbidden(history, standing, made.gone[0], terms):
        return _refused(name, rule, WHY[rule].format(made.gone[0]), history, standing)
    after = taken(name, made, history, standing, terms)
    while (short := tokens(history, after, terms.count) - terms.usable) > 0:  # what is left may weigh more in its place
        need = replace(need, free=max(need.free, freed) + short)
        at = max(_place(need, history, standing), first_legal(history, made.at + 1))
        further = cut(history, standing, min(at, need.before, len(history) - 1))
        if further.at == made.at:
            why = f"{short + terms.usable} tokens stay and {terms.usable} fit; what is left must not be parted"
            return _refused(name, "does-not-fit", why, history, after)
        made, after = further, taken(name, further, history, standing, terms)
    return after


def _freed(made: Cut, history: History, standing: Standing) -> int:
    return sum(weight(history, standing, number) for number in made.gone)


def _refused(name: str, rule: str, why: str, history: History, standing: Standing) -> Standing:
    return noted(standing, Edit(name, len(history), refused=rule, why=why))


def taken(name: str, made: Cut, history: History, standing: Standing, terms: Terms, why: str = "") -> Standing:
    """The standing with a cut made: what is gone is dropped, and addressable by its numbers."""
    why = why or f"{len(made.gone)} messages before {made.at}; what was pinned or said by a person stays of them"
    freed = _freed(made, history, standing)
    rewritten = history.weight(made.at, len(history))
    dropped = joined(standing.dropped, spans(made.gone))
    return replace(
        carried_over(history, made, standing, terms),
        dropped=dropped,
        left_out=left_out(history, dropped, terms),
        thinking_from=thinking_from(history, standing, made.gone[0] if made.gone else made.at, terms),
        edits=(*standing.edits, Edit(name, len(history), made.gone, freed, rewritten, why=why)),
    )


def left_out(history: History, dropped: Spans, terms: Terms) -> str:
    """What says which messages are not shown, where the newest results among them stand, and how to read them.

    It is "" where no tool of the request can."""
    if not dropped or terms.recall not in terms.tools:
        return ""
    told = f"Messages {dropped[0][0]}-{dropped[-1][1] - 1} are not all shown; {terms.recall} reads each by its number."
    index = newest(_answered(history, dropped), int(INDEX * terms.usable), terms.count)
    return f"{told} Results by number:\n{index}" if index else told


def _answered(history: History, dropped: Spans) -> Iterator[Returned]:
    """The newest calls whose results are among these messages."""
    for call in islice(reversed(history.pairing.calls.values()), LOOKED):
        number = call.results[-1][0] if call.results else -1
        at = bisect_right(dropped, (number, len(history))) - 1
        each = returned(call.block, number) if at >= 0 and number < dropped[at][1] else None
        if each is not None:
            yield each


def _place(need: Due, history: History, standing: Standing) -> int:
    """The first legal place that frees what is needed; else the last one that leaves something to answer."""
    kept = set(history.turns if history.user_words else history.turns[-1:])
    freed, reached = 0, standing.covered
    last = min(need.before, len(history) - 1)
    for place in history.legal[bisect_right(history.legal, standing.covered) :]:
        if place > last:
            break
        freed += sum(weight(history, standing, number) for number in range(reached, place) if number not in kept)
        reached = place
        if freed >= need.free and reached >= need.reach:
            break
    return reached
