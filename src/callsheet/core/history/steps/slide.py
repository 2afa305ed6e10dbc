"""Only the newest part stays; what was before it is addressable by its number (F4, F8)."""

from dataclasses import replace

from ....model.effect import Flow
from ....model.history import Edit, Standing
from ....model.history_policy import Slide
from ..cuts import kept_before, places
from ..record import History
from ..seals import unsealed
from ..terms import Terms
from ..triggers import Due, due
from ..user_words import pastes

NAME = "slide"


def act(step: Slide, history: History, standing: Standing, terms: Terms) -> Flow[Standing]:
    """The standing in which only the newest part is shown."""
    yield from ()
    need = due(NAME, step.trigger, history, standing, terms)
    return standing if need is None else slid(NAME, need, history, standing, terms)


def slid(name: str, need: Due, history: History, standing: Standing, terms: Terms) -> Standing:
    """The standing cut at the first legal place that frees what is needed, else at the last one there is.

    The last stretch between two legal places always stays. Where nothing can be freed the edit says so, once.
    """
    at, freed = _place(need, history, standing, terms)
    if not freed or freed < need.least:
        why = f"{need.size} tokens stand and {terms.usable} fit; no legal cut before message {need.before} frees more"
        last = standing.edits[-1] if standing.edits else None
        if not need.overflows or (last is not None and last.refused and last.step == name):
            return standing
        edit = Edit(name, len(history), refused="no-legal-cut", why=why)
        return replace(standing, edits=(*standing.edits, edit))
    return cut(name, at, history, standing, terms)


def cut(name: str, at: int, history: History, standing: Standing, terms: Terms) -> Standing:
    """The standing cut before message `at`: what every window keeps is carried over the cut, the rest is dropped."""
    carried = standing.carried | kept_before(history, at, terms.user_words)
    gone = frozenset(range(standing.covered, at)) - carried
    freed = sum(history.entries[number].weight for number in gone)
    cleared, spared = dict(standing.cleared), dict(standing.spared)
    for (number, block), text in pastes(history, carried, standing, terms).items():
        cleared[number, block] = text
        spared[number, block] = history.entries[number].tokens[block] - terms.count(text)
    edit = Edit(
        *(name, len(history), tuple(sorted(gone)), freed),
        rewritten=history.sums[-1] - history.sums[at],
        why=f"messages before {at} are addressable by their numbers; what stays of them was pinned or said by a person",
    )
    return replace(
        standing,
        covered=at,
        carried=carried,
        cleared=cleared,
        spared=spared,
        dropped=standing.dropped | gone,
        unsealed=unsealed(history, standing, terms),
        edits=(*standing.edits, edit),
    )


def _place(need: Due, history: History, standing: Standing, terms: Terms) -> tuple[int, int]:
    """The place to cut at, and the tokens that this takes out of the window."""
    kept = kept_before(history, need.before, terms.user_words)
    at, freed, reached = 0, 0, standing.covered
    last = min(need.before, len(history) - 1)
    for place in sorted(each for each in places(history) if standing.covered < each <= last):
        freed += sum(history.entries[number].weight for number in range(reached, place) if number not in kept)
        at, reached = place, place
        if freed >= need.free:
            break
    return at, freed
