"""Only the last turns stay; what was before them is addressable by its number (F4, F8)."""

from dataclasses import replace

from ....model.effect import Flow
from ....model.history import Edit, Standing
from ....model.history_policy import Slide
from ..cuts import kept_before, last_legal
from ..record import History
from ..terms import Terms


def act(step: Slide, history: History, standing: Standing, terms: Terms) -> Flow[Standing]:
    """The standing in which only the last turns are shown."""
    yield from ()
    turns = [number for number in history.turns if number >= standing.covered]
    if len(turns) <= step.trigger.at:
        return standing
    cut = last_legal(history, turns[-int(step.trigger.to)])
    if cut <= standing.covered:
        return standing
    carried = standing.carried | kept_before(history, cut)
    gone = frozenset(range(standing.covered, cut)) - carried
    freed = sum(history.entries[number].weight for number in gone)
    edit = Edit("slide", len(history), tuple(sorted(gone)), freed)
    return replace(
        standing,
        covered=cut,
        carried=carried,
        dropped=standing.dropped | gone,
        unsealed=cut,
        edits=(*standing.edits, edit),
    )
