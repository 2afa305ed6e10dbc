"""Where the value of an argument with authority comes from, every element of it (I1, invariant 5)."""

from collections.abc import Iterable, Set
from datetime import date
from typing import Any

from .leaves import leaves
from .lending import Lending
from .matching import Sought, named_at


def untraced(
    value: Any, trusted: Iterable[str], declared: Set[str] = frozenset(), today: date | None = None
) -> tuple[str, ...]:
    """The parts of an argument that stand in no trusted text; every element of a list or object must stand there.

    A key of an object is a part as well, unless the tool's schema declares it.
    """
    return loose(Sought("", today), value, Lending(tuple(trusted)), declared)


def loose(about: Sought, value: Any, lent: Lending, declared: Set[str] = frozenset()) -> tuple[str, ...]:
    """The parts of an argument that nothing lends authority to; `about` says of which argument and on what day."""
    return tuple(
        leaf
        for leaf in leaves(value, declared)
        if not lent.entered(about, leaf)
        and not any(named_at(about._replace(value=leaf), text) is not None for text in lent.texts)
    )
