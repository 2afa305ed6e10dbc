"""From a transcript's events to its diagnosis: every analysis takes each event once (H1, H2, D7, G3, F2)."""

from collections.abc import Iterable

from ...model.diagnosis import Diagnosis
from ...model.transcript import Ended, Event
from .session import Counts, UsageTotals
from .window import Count, Window


def diagnose(source: str, name: str, events: Iterable[Event], count: Count) -> Diagnosis:
    """What a transcript in the format `name` shows; `count` gives the tokens of a text."""
    counts, totals = Counts(), UsageTotals()
    windows: dict[str, Window] = {}
    for event in events:
        counts.take(event)
        totals.take(event)
        window = windows.setdefault(event.thread, Window(count))
        window.take(event)
        if isinstance(event, Ended):
            del windows[event.thread]
    return Diagnosis(
        source=source,
        format=name,
        records=counts.records,
        turns=counts.turns,
        model_calls=counts.model_calls,
        tool_calls=counts.tool_calls,
        tool_results=counts.tool_results,
        usage=totals.usage,
    )
