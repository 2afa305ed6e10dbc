"""Pseudo-relevance feedback: the words that the best sections share join the question (RM3)."""

from collections.abc import Mapping, Sequence

Section = tuple[float, Sequence[str], Sequence[int]]
"""One of the best: its score, its terms, and how often each of them stands in it."""


def expanded(weights: Mapping[str, float], best: Sequence[Section], terms: int, original: float) -> Mapping[str, float]:
    """The question's weights after feedback, their sum 1: `original` of it its own, the rest that of the new terms.

    The weight of a term is its share of each of the best sections, weighed by that section's score (RM3: Abdul-Jaleel
    et al., UMass at TREC 2004).
    """
    total = sum(weights.values()) or 1.0
    model: dict[str, float] = {}
    before = model.get
    for score, held, frequencies in best:
        share = score / (sum(frequencies) or 1)
        for term, frequency in zip(held, frequencies, strict=True):
            model[term] = before(term, 0.0) + share * frequency
    # Sorting the weights alone is quick: what is less than the last of the best needs no closer look.
    border = min(sorted(model.values(), reverse=True)[:terms], default=0.0)
    candidates = [(-weight, term) for term, weight in model.items() if weight >= border]
    chosen = [(term, -weight) for weight, term in sorted(candidates)[:terms]]
    whole = sum(weight for _, weight in chosen)
    if not whole:
        return weights
    mixed = {term: original * weight / total for term, weight in weights.items()}
    for term, weight in chosen:
        mixed[term] = mixed.get(term, 0.0) + (1 - original) * weight / whole
    return mixed
