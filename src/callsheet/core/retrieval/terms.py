"""Terms: stemmed words as an index and a question compare them, in each language the index holds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from itertools import chain, islice
from typing import Any

from ..text.words import FILLERS, spelled, words, written
from .language import DEFAULT, STEMMERS

MAX_QUESTION_WORDS = 256
K3 = 3.0
"""What a word weighs that a question says n times: (K3 + 1) n / (K3 + n) times one said once (BM25's third number)."""
LONGEST = 255
"""Letters of a term: what is longer is data that no blank parts, and no database has keys of any length."""
STEMMER = "snowballstemmer"


@dataclass(frozen=True, slots=True)
class Asked:
    """One word of a question: its term in each language, whether it is mere talk, and how often it is said."""

    terms: tuple[str, ...]
    filler: bool
    times: int = 1


@lru_cache(maxsize=200_000)
def stem(word: str, language: str) -> str:
    """The stem of a lower-case word in a language of `STEMMERS`."""
    # A stemmer keeps the word it is at work on, so threads cannot share one; making one is cheap.
    return str(_stemmers().stemmer(STEMMERS[language]).stemWord(word))


@cache
def _stemmers() -> Any:
    return import_module(STEMMER)


def term(word: str, language: str) -> str:
    """What an index holds for a lower-case word: its stem, marked with its language unless that is the usual one.

    What a word is cut to in one language may be quite another word's stem in the next.
    """
    stemmed = stem(word, language)[:LONGEST]
    return stemmed if language == DEFAULT else f"{language}:{stemmed}"


def terms(text: str, language: str) -> list[str]:
    """The terms of a text, in order and with repetitions."""
    return list(chain.from_iterable(_terms(word, language) for word in written(text)))


@lru_cache(maxsize=200_000)
def _terms(word: str, language: str) -> tuple[str, ...]:
    """The terms of one written word: texts say the same words over and over."""
    return tuple(term(each, language) for each in spelled(word))


def asked(text: str, languages: Iterable[str]) -> tuple[Asked, ...]:
    """The distinct words of a question, each with its terms in these languages; at most MAX_QUESTION_WORDS."""
    chosen = tuple(sorted(languages))
    said: dict[tuple[str, ...], list[str]] = {}
    for word in words(text):
        said.setdefault(_in_each(word, chosen), []).append(word)
    some = islice(said.items(), MAX_QUESTION_WORDS)
    return tuple(Asked(stems, same[0] in FILLERS, len(same)) for stems, same in some)


@lru_cache(maxsize=50_000)
def _in_each(word: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(term(word, each) for each in languages)


def weighted(question: Iterable[Asked], filler: float) -> Mapping[str, float]:
    """Each term of a question with its weight; a term that two words share counts as the weightier.

    A word that is said again weighs more, one of mere talk does not.
    """
    weights: dict[str, float] = {}
    for each in question:
        weight = filler if each.filler else (K3 + 1) * each.times / (K3 + each.times)
        for term in each.terms:
            weights[term] = max(weights.get(term, 0.0), weight)
    return weights


def coverage(question: Iterable[Asked], held: Iterable[str], filler: float) -> float:
    """The share of a question's weight whose words stand among these terms, in [0, 1]: it needs no statistics."""
    among = set(held)
    weights = [(filler if each.filler else 1.0, any(term in among for term in each.terms)) for each in question]
    total = sum(weight for weight, _ in weights)
    return sum(weight for weight, stands in weights if stands) / total if total else 0.0
