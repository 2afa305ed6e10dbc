"""Preload or fetch (B6): whether one stable document answers nearly all requests, and what each way costs.

Preloaded, a document stands in the cacheable prefix: each request pays a cached read of it, and the first after the
cache has lapsed pays a write. Fetched, each request pays the plain price of the sections that a search put into it.
With d the document's tokens, f_i what of it request i fetched and o_i what that fetched of others,

    preload = sum(d * (write if lapsed_i else read)) + sum(o_i * input)
    fetch   = sum((f_i + o_i) * input)
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Literal

from ...model.policy import Prices
from ..prices import MILLION

Advice = Literal["preload", "fetch", "too few requests"]
FEWEST = 20
"""Requests below which a share says nothing."""
SHARE = 0.9
"""What one document has to answer more of than this (B6)."""
LIFETIME = timedelta(minutes=5)
"""How long a cached prefix lives after it was last read, at the providers that write caches for a price."""
RISES = 3
"""A preload that rose so often and never fell grows with every exception."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One recorded request whose answer cited knowledge: when, which documents, and tokens of evidence by document.

    `cited` are `document@version`; `fetched` is what a search brought, `preloaded` what stood in the prefix.
    """

    at: datetime
    cited: tuple[str, ...]
    fetched: Mapping[str, int]
    preloaded: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PreloadAdvice:
    """What to do with the document that answers most; costs are per 1,000 requests, in the prices' currency.

    `share` is that of requests answered by it alone and in one version. `sizes` are the tokens of what is preloaded
    now, as they changed; `growing` says that they only ever rose.
    """

    advice: Advice
    why: str
    requests: int
    document_id: str = ""
    share: float = 0.0
    tokens: int = 0
    preload_cost: float | None = None
    fetch_cost: float | None = None
    sizes: tuple[int, ...] = ()
    growing: bool = False


def preload_or_fetch(answered: Sequence[Answered], tokens: Mapping[str, int], prices: Prices) -> PreloadAdvice:
    """The advice for recorded requests, oldest first; `tokens` are the sizes of the documents that can be preloaded."""
    sizes = _sizes(answered)
    told = PreloadAdvice("fetch", "", len(answered), sizes=sizes, growing=_growing(sizes))
    if len(answered) < FEWEST:
        why = f"{len(answered)} requests with a cited answer are on record; {FEWEST} are needed to tell"
        return replace(told, advice="too few requests", why=why)
    document, hits = _most(answered)
    share = hits / len(answered)
    told = replace(told, document_id=document, share=share)
    if document not in tokens:
        why = f"{document} answers {share:.0%}, and is no document of the project's knowledge/ that all may see"
        return replace(told, why=why)
    preload, fetch = (cost * 1_000 / len(answered) for cost in _costs(answered, document, tokens[document], prices))
    told = replace(told, tokens=tokens[document], preload_cost=preload, fetch_cost=fetch)
    if share <= SHARE:
        return replace(told, why=f"requests spread: {document} answers {share:.0%}, not more than {SHARE:.0%}")
    if preload >= fetch:
        return replace(told, why=f"{document} answers {share:.0%}, but all of it costs more than its sections do")
    why = f"{document} answers {share:.0%} in one version; keep the search for the rest"
    return replace(told, advice="preload", why=why)


def _most(answered: Sequence[Answered]) -> tuple[str, int]:
    """The document that alone answered most requests in one version, and how many."""
    alone = Counter(next(iter(found)) for each in answered if len(found := frozenset(each.cited)) == 1)
    if not alone:
        return "no document", 0
    key, hits = min(alone.items(), key=lambda pair: (-pair[1], pair[0]))
    return key.rpartition("@")[0], hits


def _costs(answered: Sequence[Answered], document: str, tokens: int, prices: Prices) -> tuple[float, float]:
    """What preloading a document and what fetching it would have cost over these requests."""
    write = prices.cache_write or prices.input
    before: Answered | None = None
    preload = fetch = 0.0
    for each in answered:
        lapsed = before is None or each.at - before.at > LIFETIME
        others = sum(number for name, number in each.fetched.items() if name != document)
        # One that is preloaded already was not fetched; then what it is cited for would have had to be.
        own = each.fetched.get(document, each.preloaded.get(document, 0))
        preload += tokens * (write if lapsed else prices.cached_read) + others * prices.input
        fetch += (own + others) * prices.input
        before = each
    return preload / MILLION, fetch / MILLION


def _sizes(answered: Sequence[Answered]) -> tuple[int, ...]:
    """The tokens of all that was preloaded, each time they changed."""
    sizes = [sum(each.preloaded.values()) for each in answered if each.preloaded]
    return tuple(size for at, size in enumerate(sizes) if at == 0 or size != sizes[at - 1])


def _growing(sizes: Sequence[int]) -> bool:
    return len(sizes) > RISES and all(one < other for one, other in pairwise(sizes))
