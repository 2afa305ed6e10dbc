"""Only the last turns stay; what was before them is addressable by its number (F4, F8)."""

from dataclasses import replace

from ....model.effect import Flow
from ....model.history import Edit, Standing
from ....model.history_policy import Slide
from ..cuts import cut
from ..record import History
from ..spans import joined, spans
from ..terms import Terms


def act(step: Slide, history: History, standing: Standing, terms: Terms) -> Flow[Standing]:
    """The standing in which only the last turns are shown."""
    yield from ()
    turns = [number for number in history.turns if number >= standing.covered]
    if len(turns) <= step.trigger.at:
        return standing
    made = cut(history, standing, turns[-int(step.trigger.to)])
    if not made.gone:
        return standing
    freed = sum(history.entries[number].weight for number in made.gone)
    return replace(
        standing,
        covered=made.at,
        carried=made.carried,
        dropped=joined(standing.dropped, spans(made.gone)),
        unsealed=made.at,
        edits=(*standing.edits, Edit("slide", len(history), made.gone, freed)),
    )
