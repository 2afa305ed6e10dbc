"""`tools search --pays`: whether keeping definitions out until a search finds them pays on the traffic on record."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from math import ceil
from typing import Any

from rich.console import Console

from ..core.documents.convert import listed
from ..core.sources.tools import tool_item
from ..core.tools.finding import CONTRACT, FIND_TOOLS, MOST
from ..core.tools.paying import RecordedDecision, RunSaving, Search, Worth, run_saving
from ..host.knowledge.tool_search import ToolSearch
from ..host.wiring import known_model, open_counter, own_weights
from ..lab.stats import paired_interval
from ..model.policy import Prices
from ..model.tool import ToolContract
from ..ports import StoredRequest
from .group import Settings
from .output import emit
from .session import opened
from .tool_catalogue import RECORDED

LEAST = 2
"""Runs without which there is no interval."""


def judged(settings: Settings) -> None:
    """Prints whether searching would have paid."""
    with opened(settings) as (host, ctx), ExitStack() as closing:
        profile = known_model(host.folder)
        counter = open_counter(profile, own_weights(host.folder))
        worth = worth_of(profile.prices, counter.count(tool_item(CONTRACT).text))
        search = searching({each.name: each for each in host.folder.contracts()}, closing)
        runs = list(by_run(host.recent(ctx, RECORDED)))
        savings = [run_saving(each, search, worth) for each in runs]
    emit(settings, {**verdict(savings), "basis": counter.name, "priced": profile.prices is not None}, _print)


def worth_of(prices: Prices | None, own: int) -> Worth:
    """What cached and written tokens cost beside uncached ones; alike where no prices are known."""
    if prices is None or not prices.input:
        return Worth(own=own)
    return Worth(prices.cached_read / prices.input, prices.output / prices.input, own)


def by_run(requests: Iterable[StoredRequest]) -> Iterable[tuple[RecordedDecision, ...]]:
    """The decisions of each run that is whole, carried definitions and did not search, in their order."""
    runs: defaultdict[str, list[StoredRequest]] = defaultdict(list)
    for each in requests:
        runs[each.task.run_id].append(each)
    for found in runs.values():
        found.sort(key=lambda each: each.task.number)
        carried = any(item.kind == "tool" for each in found for item in each.manifest.items)
        searched = any(FIND_TOOLS in each.manifest.offered for each in found)
        if carried and not searched and found[0].task.number == 1:
            yield tuple(_decision(each) for each in found)


def _decision(request: StoredRequest) -> RecordedDecision:
    calls = request.step.calls if request.step is not None else ()
    usage = request.step.usage if request.step is not None else None
    called = tuple(each.call.tool for each in calls)
    return RecordedDecision(request.manifest, request.task.question, called, usage.output if usage is not None else 0)


def searching(contracts: dict[str, ToolContract], closing: ExitStack) -> Search:
    """A search over the tools that a run was offered, an index for each set of them."""
    opened_: dict[frozenset[str], ToolSearch] = {}

    def search(question: str, offered: frozenset[str]) -> frozenset[str]:
        known = sorted(offered & contracts.keys())
        if not known or not question:
            return frozenset()
        if offered not in opened_:
            opened_[offered] = closing.enter_context(ToolSearch(listed(contracts[name]) for name in known))
        grants = tuple({scope for name in known if (scope := contracts[name].scope)})
        return frozenset(each.name for each in opened_[offered].search(question, MOST, grants))

    return search


def verdict(savings: Sequence[RunSaving]) -> dict[str, Any]:
    """The verdict with its figures; undecided with fewer than two runs."""
    told = {
        "runs": len(savings),
        "unused_tokens": round(sum(each.saved for each in savings)),
        "searches": sum(each.searches for each in savings),
        "missed": sum(each.missed for each in savings),
    }
    if len(savings) < LEAST:
        return {"verdict": "undecided", **told, "difference": None, "low": None, "high": None, "needed": None}
    mean, low, high = paired_interval([each.difference for each in savings])
    decided = "pays" if low > 0 else "does not pay" if high < 0 else "undecided"
    # The interval narrows with the root of the number of runs.
    needed = ceil(len(savings) * (max(high - mean, mean - low) / abs(mean)) ** 2) if mean and low <= 0 <= high else None
    return {"verdict": decided, **told, "difference": mean, "low": low, "high": high, "needed": needed}


def _print(console: Console, document: dict[str, Any]) -> None:
    console.print(f"{document['verdict']}: {document['runs']} runs on record that had their definitions in the request")
    if document["difference"] is None:
        return
    console.print(
        f"a run saves {document['difference']:,.0f} tokens of input [{document['low']:,.0f}, {document['high']:,.0f}], "
        f"searches taken off: {document['searches']}, {document['missed']} of them for tools that the first misses"
    )
    if document["needed"]:
        console.print(f"some {document['needed']:,} runs would settle a difference of this size")
