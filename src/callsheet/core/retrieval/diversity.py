"""Diversity: of sections that say the same, the best one first and the others behind what is new."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from ..text.likeness import likeness


def diversified(scores: Sequence[float], terms: Sequence[AbstractSet[str]], weight: float, number: int) -> list[int]:
    """The places of `number` sections in the order of their worth beside those before them, best first.

    A section's worth is its share of the best score less `weight` times its likeness to the most alike of those chosen
    before it (maximal marginal relevance: Carbonell and Goldstein, SIGIR 1998); likeness is the share of terms that
    two have in common (Jaccard). Equals keep their order; weight 0 is the order of the scores.
    """
    top = max(scores, default=0.0) or 1.0
    left = list(range(len(scores)))
    alike = [0.0] * len(scores)
    chosen: list[int] = []
    while left and len(chosen) < number:
        best = max(left, key=lambda place: (round(scores[place] / top - weight * alike[place], 9), -place))
        left.remove(best)
        chosen.append(best)
        for place in left:
            alike[place] = max(alike[place], likeness(terms[best], terms[place]))
    return chosen
