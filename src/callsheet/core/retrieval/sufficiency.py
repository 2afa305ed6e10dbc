"""Whether evidence answers a question or merely touches it, judged by words, without a model (B7).

A section on the question's subject that does not answer it has the subject's words, and lacks those of what is asked of
it. So three things count: how many of the question's words stand nowhere in the section, how much of what the headings
do not say already stands in its text, and whether words that are neighbours in the question stand near each other in
one sentence. Where there are vectors, the likeness of question and section tells most. Weighed by logistic regression
on half of a public set; the figures are those of the other half and of another set (bench/abstention.py, whose --fit
gives these weights).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import exp

from ...model.evidence import Evidence
from ..text.words import words
from .language import language
from .reading import Reading, near, reading
from .spans import sentences
from .terms import stem

NEAR = 3
"""Content words between two that stand near each other."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What each feature weighs in the odds that a section answers a question."""

    missing: float = 0.0
    told: float = 0.0
    together: float = 0.0
    likeness: float = 0.0
    bias: float = 0.0


BY_WORDS = Weights(missing=-0.37, told=1.09, together=0.87, bias=0.04)
WITH_VECTORS = Weights(told=1.6, likeness=11.62, bias=-6.36)


@dataclass(frozen=True, slots=True)
class Features:
    """How a section bears on a question.

    `missing` are the question's content words, as it has them, that stand nowhere in the section or its headings;
    `told` is the share of those that its headings lack which its text has; `together` the share of the question's
    neighbouring words that stand near each other in one sentence. Both shares are in [0, 1]; 1 for a question of mere
    talk, which asks for nothing.
    """

    missing: tuple[str, ...]
    told: float
    together: float


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """How well the best section of a set answers a question, in [0, 1], and the question's words that it lacks."""

    value: float
    missing: tuple[str, ...] = ()


def sufficiency(question: str, evidence: Sequence[Evidence]) -> Sufficiency:
    """How well the best of these sections answers the question; 0 where there is none.

    A section counts by its place in the ranking: its relevance as a share of the best one's. Its likeness to the
    question takes part where it has one.
    """
    most = max((each.relevance for each in evidence), default=0.0)
    judged = []
    for each in evidence:
        found = features(question, f"{each.heading} {each.document_id}", each.text)
        share = each.relevance / most if most else 1.0
        judged.append((share * worth(found, each.scores.likeness), found.missing))
    value, missing = max(judged, key=lambda pair: pair[0], default=(0.0, tuple(dict.fromkeys(words(question)))))
    return Sufficiency(value, missing)


def worth(features: Features, likeness: float | None) -> float:
    """The chance, in [0, 1], that a section with these features and this likeness to the question answers it.

    `likeness` is a centred cosine, None where there are no vectors.
    """
    weights = BY_WORDS if likeness is None else WITH_VECTORS
    odds = (
        weights.bias
        + weights.missing * len(features.missing)
        + weights.told * features.told
        + weights.together * features.together
        + weights.likeness * (likeness or 0.0)
    )
    return 1 / (1 + exp(-odds))


@lru_cache(maxsize=4096)
def features(question: str, about: str, text: str) -> Features:
    """How a section bears on a question; `about` are its headings, and what its document is called."""
    spoken = language(text)
    asked, headed = reading(question, spoken), frozenset(reading(about, spoken).content)
    said = [reading(text[start:end], spoken) for start, end in sentences(text)]
    stands = frozenset(word for each in said for word in each.content)
    rest = [word for word in asked.content if word not in headed]
    told = sum(word in stands for word in rest) / len(rest) if rest else 1.0
    pairs = tuple(pairwise(asked.order))
    together = max((_together(pairs, each) for each in said), default=0.0) if pairs else told
    lacking = frozenset(asked.content) - stands - headed
    missing = (word for word in words(question) if stem(word, spoken) in lacking)
    return Features(tuple(dict.fromkeys(missing)), told, together)


def _together(pairs: Iterable[tuple[str, str]], sentence: Reading) -> float:
    """The share of these pairs whose words stand near each other in a sentence."""
    around = {one: near(sentence.order, one, NEAR) for one, _ in pairs}
    found = [other in around[one] or (one == other and one in sentence.order) for one, other in pairs]
    return sum(found) / len(found)
