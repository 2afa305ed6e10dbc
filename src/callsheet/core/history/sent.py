"""How much a stretch of a conversation takes as it stands, and what of it the model has not seen yet."""

from ...model.history import Standing
from .record import History


def between(history: History, standing: Standing, first: int, after: int) -> int:
    """Tokens of the messages from `first` to before `after`, as they are shown; nothing is laid out for it."""
    sums, thought, covered, unsealed = history.sums, history.thought, standing.covered, standing.unsealed
    whole, end = max(first, covered), max(after, covered)
    size = sums[end] - sums[whole] if end > whole else 0
    size -= max(0, thought[min(end, unsealed)] - thought[whole]) if unsealed > whole else 0
    for number in standing.carried:
        if first <= number < min(after, covered):
            size += sums[number + 1] - sums[number]
            size -= thought[number + 1] - thought[number] if number < unsealed else 0
    for (number, _), spared in standing.spared.items():
        if first <= number < after and shown(number, standing):
            size -= spared
    return size


def shown(number: int, standing: Standing) -> bool:
    """Whether a message stands in the window."""
    return number >= standing.covered or number in standing.carried


def unseen(history: History) -> int:
    """The number of the message with which the model's last response began: no result from there on has been seen."""
    last = next((each for each in reversed(history.entries) if each.speaker == "model"), None)
    if last is None:
        return 0
    first = last.number
    if last.response:
        for entry in reversed(history.entries[: last.number]):
            if entry.speaker == "model" and entry.response != last.response:
                break
            first = entry.number if entry.speaker == "model" else first
    return first
