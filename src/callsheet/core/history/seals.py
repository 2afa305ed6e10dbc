"""Which thinking is left out once something before it was changed: a model that seals it would refuse it."""

from ...model.history import Standing
from .record import History
from .terms import Terms


def unsealed(history: History, standing: Standing, terms: Terms) -> int:
    """The number before which thinking is left out from now on: all of it so far, where the model seals it.

    A block that stands behind the last message changes what came before all later thinking, as much as an edit does.
    """
    return len(history) if terms.binds_thinking else standing.unsealed
