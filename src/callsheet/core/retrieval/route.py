"""The route of a question: answered without evidence, from one search, or from several (B5)."""

import re

from ...model.knowledge_policy import KnowledgePolicy, Route
from ...model.policy import DecisionKind
from ...model.retrieval import Routing
from ..text.words import FILLERS, words
from .needs import needs

_GREETINGS = frozenset(
    "afternoon bye cheers dear evening great hey hi morning nice ok okay sorry thank thanks welcome "
    "danke gruß grüße guten hallo moin morgen tag tschüss abend bitte "
    "cześć dzień dobry dobranoc dziękuję dzięki hej proszę witam wieczór".split()
)
_SUM = re.compile(r"[\s\d.,()=?%+*/^×÷−-]*\d\)*(?:\s*[+*^×÷−]\s*|\s+[/-]\s+)\(*\d[\s\d.,()=?%+*/^×÷−-]*")
"""Digits joined by a dash or a slash alone are a date, a telephone number, a range or an address as well."""
_SUM_WORDS = re.compile(
    r"\b(what|how much|is|are|was|ist|ile|jest|wie ?viel|calculate|compute|plus|minus|times)\b", re.I
)
_COMPARES = re.compile(
    r"\b(compar\w+|versus|vs|difference between|differ|both|respectively|which of|as well as|and also|one or the other|"
    r"vergleich\w*|unterschied\w*|sowohl|beide[nrs]?|sowie|porówna\w*|różnic\w*|oraz|a także|zarówno)\b",
    re.I,
)


def routed(question: str, kind: DecisionKind, policy: KnowledgePolicy) -> Routing:
    """The route of a question for a decision kind: the kind's own, else the setting, else by rule.

    By rule, none is for greetings, mere talk and sums; iterative for questions of several parts, names or things
    compared; everything else is one search.
    """
    if kind.route is not None and kind.route != "auto":
        return Routing(kind.route, f"decision kind {kind.name} says so", "decision")
    if policy.route != "auto" and kind.route is None:
        return Routing(policy.route, "the settings say so", "settings")
    name, why = _by_rule(question)
    return Routing(name, why, "rule")


def _by_rule(question: str) -> tuple[Route, str]:
    if _SUM.fullmatch(_SUM_WORDS.sub(" ", question)):
        return "none", "it is a sum"
    telling = [word for word in words(question) if word not in FILLERS and word not in _GREETINGS]
    if not telling:
        return "none", "no word in it names anything to look for"
    if (compared := _COMPARES.search(question)) is not None:
        return "iterative", f"it asks for several things together ({compared.group().casefold()})"
    asked = needs(question)
    if len(asked) > 1:
        return "iterative", f"it has {len(asked)} parts"
    return "single", "it asks for one thing"
