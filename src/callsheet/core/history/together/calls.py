"""A call stays with its results, however many came and in whatever order, and with all messages between."""

from collections.abc import Iterator

from ..record import History


def spans(history: History) -> Iterator[tuple[int, int]]:
    """From the message of a call to that of its last result."""
    for call_id, (number, _) in history.calls.items():
        results = history.results.get(call_id, ())
        if results:
            yield number, max(at for at, _ in results)
