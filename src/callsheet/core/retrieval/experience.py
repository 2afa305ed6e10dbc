"""Experience: what answered questions like this one before goes further up among what a search found.

It comes from labelled questions, or from what earlier answers to the same subject cited. It never adds a section that
the search did not find, and it holds no text of a document.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log, prod, sqrt

from ...model.evidence import Evidence
from ..text.words import FILLERS, words
from .language import language
from .terms import stem

NEAREST = 8
"""Earlier questions that are listened to: those most like the question."""


@dataclass(frozen=True, slots=True)
class Past:
    """An earlier question, and the ids of the documents that answered it."""

    question: str
    documents: frozenset[str]


class Experience:
    """Earlier questions, read once; `prior` may be asked any number of times."""

    def __init__(self, past: Iterable[Past]) -> None:
        self._past = [(each, _terms(each.question)) for each in past]
        held = Counter(term for _, terms in self._past for term in terms)
        self._idf = {term: log(1 + len(self._past) / number) for term, number in held.items()}

    def prior(self, question: str, without: str | None = None) -> Mapping[str, float]:
        """How likely each document is to answer a question, in [0, 1], by the earlier ones nearest to it.

        Nearness is the cosine of the words, weighed by how rare they are among the earlier questions; a document that
        answered several near ones counts as if each spoke for it on its own (noisy or). `without` is a question that is
        not listened to.
        """
        asked = _terms(question)
        heard = [(self._nearness(asked, terms), past) for past, terms in self._past if past.question != without]
        heard.sort(key=lambda pair: -pair[0])
        speaking: dict[str, list[float]] = {}
        for nearness, past in heard[:NEAREST]:
            for document in past.documents if nearness > 0 else ():
                speaking.setdefault(document, []).append(nearness)
        return {document: 1 - prod(1 - each for each in told) for document, told in speaking.items()}

    def _nearness(self, one: frozenset[str], other: frozenset[str]) -> float:
        common = self._weight(one & other)
        return min(1.0, common / sqrt(self._weight(one) * self._weight(other))) if common else 0.0

    def _weight(self, terms: frozenset[str]) -> float:
        unheard = log(1 + len(self._past))
        return sum(self._idf.get(term, unheard) ** 2 for term in terms)


def preferred(found: Sequence[Evidence], prior: Mapping[str, float], weight: float) -> list[Evidence]:
    """What was found in the order of its share of the best relevance plus the weighed prior of its document.

    The best keeps the relevance that the best had, and the others their shares of it, so that relevance still says how
    good all of it is. Ranks are left to whoever serves it.
    """
    best = max((each.relevance for each in found), default=0.0)
    if not best or not weight:
        return list(found)
    scored = [(each.relevance / best + weight * prior.get(each.document_id, 0.0), each) for each in found]
    most = max(score for score, _ in scored)
    scored.sort(key=lambda pair: -pair[0])  # stable: equals stay in the order they had
    return [replace(each, relevance=round(best * score / most, 6)) for score, each in scored]


def _terms(question: str) -> frozenset[str]:
    spoken = language(question)
    return frozenset(stem(word, spoken) for word in words(question) if word not in FILLERS)
