"""A read of what stands in the window already, word for word, gives way to a digest that says where (F7).

Done before the first request that would hold it, it changes nothing that was sent: no cache is written anew, no
thinking loses its seal. One that was sent before gives way only where that is allowed and pays. The first result has to
stand in the window as it was given; where it left the window since, the later one gives its text back. Place this step
behind those that cut, so that it does so in the same request, whose prefix is new anyway.
"""

from collections.abc import Iterator
from dataclasses import replace

from ....model.effect import Flow
from ....model.history import Edit, Standing
from ....model.history_policy import Deduplicate
from ..editing.bound_thinking import WHY, first_changed, forbidden, thinking_from
from ..editing.break_even import rounds_left, weigh
from ..editing.counts import between, stands, stripped_thinking
from ..editing.edits import noted
from ..record import History
from ..recorded.pairing import Place
from ..recorded.tool_results import ToolResult
from ..terms import Terms
from ..view import tokens

NAME = "deduplicate"


def act(step: Deduplicate, history: History, standing: Standing, terms: Terms) -> Flow[Standing]:
    """The standing in which repeated reads are told as digests."""
    yield from ()
    standing = _given_back(history, standing, terms)
    since = history.response_start
    found = {result.place: text for result, text in _repeats(step, history, standing, terms)}
    fresh = {place: text for place, text in found.items() if place[0] >= since}
    if fresh:
        standing = _told(history, standing, terms, fresh)
    old = {place: text for place, text in found.items() if place[0] < since}
    return _weighed(history, standing, terms, old) if old else standing


def source(history: History, standing: Standing, result: ToolResult) -> ToolResult | None:
    """The result before this one that says the same and stands in the window as it was given."""
    by_place = history.tool_results.by_place
    while result.same is not None:
        result = by_place[result.same]
        if result.place not in standing.cleared and stands(result.place, standing):
            return result
    return None


def digest(result: ToolResult, first: Place) -> str:
    """What stands in the place of a repeated read; `first` is where its text stands."""
    what = f"{result.path}: already read" if result.path else f"{result.tool} {result.short}: already answered"
    return f"{what}, unchanged (message {first[0]}, sha256 {result.digest[:12]})"


def _repeats(step: Deduplicate, history: History, standing: Standing, terms: Terms) -> Iterator[tuple[ToolResult, str]]:
    for result in history.tool_results.repeats:
        number, at = result.place
        if result.place in standing.cleared or not stands(result.place, standing) or history.entries[number].pinned:
            continue
        weight = history.entries[number].tokens[at]
        if weight >= step.least and (first := source(history, standing, result)) is not None:
            text = digest(result, first.place)
            if terms.count(text) < weight:
                yield result, text


def _told(history: History, standing: Standing, terms: Terms, texts: dict[Place, str]) -> Standing:
    spared = {
        (number, at): history.entries[number].tokens[at] - terms.count(text) for (number, at), text in texts.items()
    }
    numbers = tuple(sorted({number for number, _ in texts}))
    after = replace(
        standing,
        cleared={**standing.cleared, **texts},
        spared={**standing.spared, **spared},
        thinking_from=thinking_from(history, standing, numbers[0], terms),
    )
    return noted(after, Edit(NAME, len(history), numbers, sum(spared.values()), why="the same text stands before it"))


def _weighed(history: History, standing: Standing, terms: Terms, texts: dict[Place, str]) -> Standing:
    """The standing with digests in what was sent before, if thinking allows that and it pays."""
    first = min(texts)[0]
    if rule := forbidden(history, standing, first, terms):
        return noted(standing, Edit(NAME, len(history), refused=rule, why=WHY[rule].format(first)))
    after = _told(history, standing, terms, texts)
    size = tokens(history, standing, terms.count)
    freed = after.edits[-1].freed + stripped_thinking(history, after) - stripped_thinking(history, standing)
    rewritten = between(history, after, first_changed(history, standing, after, first), history.response_start)
    balance = weigh(freed, rewritten, rounds_left(history, size, freed, terms), terms.prices)
    if not balance.pays and size <= terms.usable:
        edit = Edit(NAME, len(history), (), freed, rewritten, balance.after, "does-not-pay", balance.why)
        return noted(standing, edit)
    done = replace(after.edits[-1], freed=freed, rewritten=rewritten, rounds=balance.after, why=balance.why)
    return replace(after, edits=(*after.edits[:-1], done))


def _given_back(history: History, standing: Standing, terms: Terms) -> Standing:
    """The standing without the digests whose first result left the window."""
    gone = {
        result.place
        for result in history.tool_results.repeats
        if result.place in standing.cleared and stands(result.place, standing) and _lost(history, standing, result)
    }
    if not gone:
        return standing
    numbers = tuple(sorted({number for number, _ in gone}))
    after = replace(
        standing,
        cleared={place: text for place, text in standing.cleared.items() if place not in gone},
        spared={place: tokens for place, tokens in standing.spared.items() if place not in gone},
        thinking_from=thinking_from(history, standing, numbers[0], terms),
    )
    freed = -sum(standing.spared[place] for place in gone)
    return noted(after, Edit(NAME, len(history), numbers, freed, why="the result before it left the window"))


def _lost(history: History, standing: Standing, result: ToolResult) -> bool:
    """Whether an result is told as a digest of one that stands in the window no more."""
    text, by_place, each = standing.cleared[result.place], history.tool_results.by_place, result
    while each.same is not None:
        each = by_place[each.same]
        if text == digest(result, each.place):
            return not stands(each.place, standing)
    return False
