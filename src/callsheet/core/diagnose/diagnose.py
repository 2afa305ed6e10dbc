"""From a transcript's events to its diagnosis: every analysis takes each event once (H1, H2, D7, G3, F2)."""

from collections.abc import Iterable

from ...model.diagnosis import Diagnosis
from ...model.transcript import Accounted, Began, Event
from ..history.artifacts.index import ArtifactIndex
from .cache.rounds import CacheRounds
from .patterns.patterns import Patterns
from .session import Counts
from .tokens.buckets import Buckets
from .tokens.spending import Price, no_price
from .tools.catalogue import Tools
from .window import Counting, Windows


def diagnose(source: str, name: str, events: Iterable[Event], counting: Counting, price: Price = no_price) -> Diagnosis:
    """What a transcript in the format `name` shows; `price` gives the tariff of a model by its name."""
    counts, windows, buckets = Counts(), Windows(counting), Buckets(counting, price)
    tools, cache = Tools(windows.definitions), CacheRounds(price)
    files, patterns = ArtifactIndex(), Patterns()
    notes: list[str] = []
    for event in events:
        counts.take(event)
        if isinstance(event, Accounted):
            continue  # every second event; it says nothing of the conversation
        if isinstance(event, Began) and (before := event.facts.get("inherits")):
            notes.append(f"it goes on from session {before}, whose messages are in another file: here they are unseen")
        window, parts = windows.take(event)
        for analysis in (buckets, tools, cache, files, patterns):
            analysis.take(event, window, parts)
    billing, index = buckets.result(), files.result()
    rounds, breaks, alarms = cache.result()
    return Diagnosis(
        source=source,
        format=name,
        records=counts.records,
        turns=counts.turns,
        model_calls=counts.model_calls,
        failed_calls=counts.failed_calls,
        tool_calls=counts.tool_calls,
        tool_results=counts.tool_results,
        usage=billing.usage,
        models=billing.models,
        cost=billing.cost,
        basis=billing.basis,
        buckets=billing.turns,
        billed=billing.billed,
        catalogue=tools.result(),
        rounds=rounds,
        breaks=breaks,
        cache_reported=cache.reported,
        artifacts=index.artifacts,
        refetches=index.refetches,
        findings=(*patterns.result(), *alarms),
        notes=tuple(notes),
    )
