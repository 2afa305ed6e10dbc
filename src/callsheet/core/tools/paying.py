"""Whether it pays to keep definitions out of requests until a search finds them, run by run, from what is on record."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...model.manifest import ContextManifest
from .finding import FIND_TOOLS

Search = Callable[[str, frozenset[str]], frozenset[str]]
"""The names of the tools that one search for a request brings in, of these."""


@dataclass(frozen=True, slots=True)
class RecordedDecision:
    """One decision on record: its manifest, what was asked, the tools it called, and the tokens it wrote."""

    manifest: ContextManifest
    question: str
    called: tuple[str, ...]
    output: int


@dataclass(frozen=True, slots=True)
class RunSaving:
    """What searching saves in one run, in tokens at the price of uncached input; below 0 it costs more.

    `saved` are definitions that would not stand in its requests, `extra` the decisions that searching takes. `searches`
    counts those, `missed` the called tools that the first search, by the question as it was asked, does not find.
    """

    saved: float
    extra: float
    searches: int
    missed: int

    @property
    def difference(self) -> float:
        """Saved less extra."""
        return self.saved - self.extra


@dataclass(frozen=True, slots=True)
class Worth:
    """What tokens cost beside one of uncached input: one read from a cache, one written; `own` is the search's size."""

    cached: float = 1.0
    output: float = 1.0
    own: int = 0


def run_saving(decisions: Sequence[RecordedDecision], search: Search, worth: Worth) -> RunSaving:
    """What searching would have saved in a run that had its definitions in its requests, in their order.

    One search stands before the first call, and one more for each called tool that it misses; a tool brought in stays.
    A run that called nothing is counted as one that searches all the same. What stands in a later request stood in the
    one before it, and is counted as read from a cache. ValueError for no decisions.
    """
    if not decisions:
        raise ValueError("a run has a decision at least")
    sizes = [{i.item_id: i.token_count for i in each.manifest.items if i.kind == "tool"} for each in decisions]
    offered = frozenset(name.removeprefix("tool/") for each in sizes for name in each) - {FIND_TOOLS}
    called = frozenset(name for each in decisions for name in each.called) & offered
    brought = search(decisions[0].question, offered)
    kept = {f"tool/{name}" for name in (called | brought)}
    away = [sum(size for name, size in each.items() if name not in kept) - worth.own for each in sizes]
    missed = len(called - brought)
    first = decisions[0].manifest
    # A decision that searches reads what the first one reads, less the definitions, and writes about a call.
    reads = first.total_input_tokens - sum(sizes[0].values())
    writes = min((each.output for each in decisions if each.called), default=0)
    searches = 1 + missed
    weighed = sum(tokens * (1.0 if number == 0 else worth.cached) for number, tokens in enumerate(away))
    return RunSaving(weighed, searches * (reads * worth.cached + writes * worth.output), searches, missed)
