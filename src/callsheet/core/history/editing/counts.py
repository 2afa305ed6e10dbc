"""How much a stretch of a conversation takes as it stands."""

from ....model.history import Standing
from ..record import History


def between(history: History, standing: Standing, first: int, after: int) -> int:
    """Tokens of the messages from `first` to before `after`, as they are shown; nothing is laid out for it."""
    sums, covered = history.tokens_before, standing.covered
    whole, end = max(first, covered), max(after, covered)
    size = sums[end] - sums[whole] if end > whole else 0
    size += sum(sums[n + 1] - sums[n] for n in standing.carried if first <= n < min(after, covered))
    spared = standing.spared.items()
    size -= sum(tokens for (n, _), tokens in spared if first <= n < after and shown(n, standing))
    return size - stripped_thinking(history, standing, first, after)


def weight(history: History, standing: Standing, number: int) -> int:
    """Tokens of one message as it is shown: without what was cleared in it, and without thinking that is left out."""
    size = history.weight(number, number + 1)
    if number < standing.thinking_from:
        size -= history.thinking_before[number + 1] - history.thinking_before[number]
    if standing.spared:
        size -= sum(standing.spared.get((number, at), 0) for at in range(len(history.entries[number].tokens)))
    return size


def stripped_thinking(history: History, standing: Standing, first: int = 0, after: int | None = None) -> int:
    """Tokens of the thinking that is left out of these messages, because its seal would not hold."""
    thought, covered = history.thinking_before, standing.covered
    end = min(len(history) if after is None else after, standing.thinking_from)
    whole = max(first, covered)
    tokens = thought[end] - thought[whole] if end > whole else 0
    return tokens + sum(thought[n + 1] - thought[n] for n in standing.carried if first <= n < min(end, covered))


def shown(number: int, standing: Standing) -> bool:
    """Whether a message stands in the window."""
    return number >= standing.covered or number in standing.carried


def stands(place: tuple[int, int], standing: Standing) -> bool:
    """Whether a result stands in the window, as it was given or told by a placeholder."""
    return shown(place[0], standing) and place not in standing.parted
