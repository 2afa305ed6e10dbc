"""An iterative search, round by round: what is still open after what was found, and how it is asked differently (B7).

Two failures are kept out. The same words asked again, in another order or with other words of talk, are refused: the
next round drops words, or takes up names and keys that the evidence brought. And a hit that only grazes the question is
no end: a part counts as answered once one section holds most of its words, or is enough like it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...model.evidence import Evidence
from ...model.retrieval import QueryMade
from .needs import names, needs, telling
from .terms import Asked, asked, coverage, stem, term, terms

COVERED = 0.75
"""The share of a part's words that one section must hold for the part to be answered."""
LIKE = 0.6
"""The centred cosine that counts as much."""
BEST = 3
"""So many sections of a search say how far it answers."""
TAKEN_UP = 3
"""Names of the evidence that one query takes up."""
MOST_IN_ROUND = 8
BEARING = 10
"""Sections of the first search that show what the collection is about."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A query that a round is going to ask, for which part of the question, and why so."""

    query: str
    need: str
    why: str


@dataclass(frozen=True, slots=True)
class Trail:
    """An iterative search under way: the question's parts, the searches made, and the best found for each query.

    `most` is how many queries it may make in all, `most_tokens` how much evidence it may find (0: any number), and
    `tokens` how much it found, each section once.
    """

    question: str
    language: str
    most: int
    needs: tuple[str, ...]
    most_tokens: int = 0
    tokens: int = 0
    searches: tuple[QueryMade, ...] = ()
    found: Mapping[str, tuple[Evidence, ...]] = field(default_factory=dict)

    def after(
        self, number: int, wanted: Sequence[Wanted], results: Sequence[tuple[Evidence, ...]], tokens: int = 0
    ) -> "Trail":
        """The trail after one more round, its queries with what each found; `tokens` are those of all found so far."""
        known = {each.evidence_id for found in self.found.values() for each in found}
        made, found = list(self.searches), dict(self.found)
        for each, evidence in zip(wanted, results, strict=True):
            new = tuple(one.evidence_id for one in evidence if one.evidence_id not in known)
            known.update(new)
            made.append(QueryMade(number, each.query, each.why, len(evidence), new))
            found[each.query] = evidence
        return replace(self, searches=tuple(made), found=found, tokens=tokens)


def trail(question: str, language: str, most: int, plan: Iterable[str] = (), most_tokens: int = 0) -> Trail:
    """A trail that is to begin: the parts are those of a plan that somebody made, else of the question's own text."""
    parts = tuple(dict.fromkeys(each.strip() for each in plan if telling(each))) or needs(question)
    return Trail(question, language, most, parts or (question,), most_tokens)


def next_round(so_far: Trail) -> tuple[tuple[Wanted, ...], str]:
    """The queries of the next round, or none and the reason why the search ends."""
    left = so_far.most - len(so_far.searches)
    open_needs = sorted(
        (need for need in so_far.needs if not _answered(so_far, need)), key=lambda need: -_bearing(so_far, need)
    )
    if not open_needs:
        return (), f"every part is answered ({len(so_far.needs)})"
    if left <= 0:
        return (), f"the limit of {so_far.most} searches; {len(open_needs)} of {len(so_far.needs)} parts are open"
    if 0 < so_far.most_tokens <= so_far.tokens:
        found = f"the limit of {so_far.most_tokens} tokens of evidence, with {so_far.tokens} found"
        return (), f"{found}; {len(open_needs)} of {len(so_far.needs)} parts are open"
    used = {_sense(each.query, so_far.language) for each in so_far.searches}
    wanted: list[Wanted] = []
    for need in open_needs:
        fresh = next((each for each in _ways(so_far, need) if _sense(each.query, so_far.language) not in used), None)
        if fresh is not None and len(wanted) < min(left, MOST_IN_ROUND):
            used.add(_sense(fresh.query, so_far.language))
            wanted.append(fresh)
    if wanted:
        return tuple(wanted), ""
    return (
        (),
        f"stalled: nothing is left but to repeat a query; {len(open_needs)} of {len(so_far.needs)} parts are open",
    )


def left_open(begun: Trail) -> float:
    """The share of what is asked for, in words, that none of the best few sections found so far holds.

    Further searches count by it: where one section has all the words, what they bring stands behind.
    """
    question = asked(" ".join(dict.fromkeys((begun.question, *begun.needs))), (begun.language,))
    found = begun.found.get(begun.question, ())[:BEST]
    return 1.0 - max((_held(begun, question, each) for each in found), default=0.0)


def _held(so_far: Trail, question: Iterable[Asked], each: Evidence) -> float:
    return coverage(question, terms(f"{each.heading} {each.text}", so_far.language), 0.0)


def _answered(so_far: Trail, need: str) -> bool:
    question = asked(need, (so_far.language,))
    return any(
        _held(so_far, question, each) >= COVERED or (each.scores.likeness or 0.0) >= LIKE
        for each in _best_for(so_far, need)
    )


def _bearing(so_far: Trail, need: str) -> int:
    """How many of a part's words the evidence so far speaks of: what the collection is about is asked for first."""
    evidence = so_far.found.get(so_far.question, ())[:BEARING]
    held = {term for each in evidence for term in terms(f"{each.heading} {each.text}", so_far.language)}
    return sum(stem(word, so_far.language) in held for word in telling(need))


def _best_for(so_far: Trail, need: str) -> tuple[Evidence, ...]:
    """The best few of what a part's own searches found, else of the question's."""
    own = [found[:BEST] for query, found in so_far.found.items() if query == need or need in query]
    return tuple(each for found in own for each in found) or so_far.found.get(so_far.question, ())[:BEST]


def _ways(so_far: Trail, need: str) -> Iterable[Wanted]:
    """Ways to ask for a part, from its own words on; each is another strategy, not another try."""
    yield Wanted(need, need, "a part of the question that nothing found so far answers")
    best = _best_for(so_far, need)
    brought = _brought(so_far, best)
    if brought:
        yield Wanted(f"{need} {' '.join(brought)}", need, f"taking up what the evidence names: {', '.join(brought)}")
    held = {term for each in best for term in terms(f"{each.heading} {each.text}", so_far.language)}
    missing = [word for word in sorted(telling(need)) if term(word, so_far.language) not in held]
    if missing:
        yield Wanted(" ".join(missing), need, "only the words that no evidence holds")
        if brought:
            yield Wanted(" ".join((*brought, *missing)), need, "what the evidence names, with the words it lacks")
    for name in brought:
        yield Wanted(name, need, f"what the evidence names: {name}")


def _brought(so_far: Trail, best: Iterable[Evidence]) -> tuple[str, ...]:
    """Names that the evidence brings and the question does not have, the first ones first."""
    known = telling(so_far.question)
    found = dict.fromkeys(name for each in best for name in names(each.text) if telling(name) - known)
    return tuple(found)[:TAKEN_UP]


def _sense(query: str, language: str) -> frozenset[str]:
    """What a query asks, whatever the order of its words and whatever talk stands around them."""
    return frozenset(stem(word, language) for word in telling(query)) or frozenset((query,))
