"""The route of a question: answered without evidence, from one search, or from several (B5)."""

import re

from ...model.knowledge_policy import KnowledgePolicy, Route
from ...model.policy import DecisionKind
from ...model.retrieval import Routing, SearchPlan
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


def routed(question: str, kind: DecisionKind, policy: KnowledgePolicy, plan: SearchPlan | None = None) -> Routing:
    """The route of a question for a decision kind: the kind's own, else the setting, else the model's plan or the rule.

    A plan without queries is no plan where the kind must cite.
    By rule, none is for greetings, mere talk and sums; iterative for questions of several parts, names or things
    compared; everything else is one search.
    """
    chosen = kind.route or policy.route
    if chosen != "auto" and chosen != "model":
        if kind.route is None:
            return Routing(chosen, "the settings say so", "settings")
        return Routing(chosen, f"decision kind {kind.name} says so", "decision")
    name, why = _by_rule(question)
    if chosen == "auto" or plan is None:
        return Routing(name, why, "rule")
    if plan.failed or (kind.cite and not plan.asks):
        failed = plan.failed or "it wants nothing to be looked up, and an answer has to cite"
        return Routing(name, f"{why}; the model made no plan in {plan.request_id}: {failed}", "rule")
    return Routing(*_planned(plan), "model")


def _planned(plan: SearchPlan) -> tuple[Route, str]:
    if not plan.asks:
        return "none", f"nothing is to be looked up ({plan.request_id})"
    if not plan.queries:
        return "single", f"the question itself is to be looked up ({plan.request_id})"
    return "iterative", f"{len(plan.queries)} things are to be looked up ({plan.request_id})"


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
