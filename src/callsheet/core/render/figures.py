"""Reading a provider's figures: what no count of tokens can be is read as 0."""

from collections.abc import Mapping
from typing import Any

MOST_TOKENS = 10**12
"""More than any one call can have used; a figure beyond it is a mistake of the server's."""
MOST_FIGURES, MOST_CHARACTERS, DEEPEST = 32, 64, 3


def counted(figures: Mapping[str, Any], *keys: str) -> int:
    """The first of these figures that is there and a count of tokens, else 0."""
    for key in keys:
        value = figures.get(key)
        if type(value) is int and 0 <= value <= MOST_TOKENS:
            return value
    return 0


def uncached(prompt: int, cached: int, written: int) -> int:
    """Tokens of a prompt, counted whole, that were neither read from a cache nor written to one.

    A server may write what it reads at once, and count it as both: the two then exceed the prompt.
    """
    both = cached + written
    return max(0, prompt - (both if both <= prompt else max(cached, written)))


def figures(raw: Any) -> dict[str, Any]:
    """A provider's own figures, numbers alone: a usage report is no place for words of a server's."""
    kept = _numbers(raw, DEEPEST)
    return kept if isinstance(kept, dict) else {}


def _numbers(value: Any, depth: int) -> Any:
    """The numbers in a value, in the shape they came in; None where it holds none."""
    if isinstance(value, int | float):
        return value if 0 <= value <= MOST_TOKENS else None
    if isinstance(value, Mapping) and depth and len(value) <= MOST_FIGURES:
        inner = {key: _numbers(each, depth - 1) for key, each in value.items() if len(key) <= MOST_CHARACTERS}
        return {key: each for key, each in inner.items() if each not in (None, {}, [])}
    if isinstance(value, list) and depth and len(value) <= MOST_FIGURES:
        return [each for each in (_numbers(one, depth - 1) for one in value) if each and isinstance(each, dict)]
    return None
