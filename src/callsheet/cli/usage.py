"""What a model call used, as JSON."""

from typing import Any

from ..model.message import Usage


def usage_json(usage: Usage | None) -> dict[str, Any] | None:
    """Tokens of input (uncached), cached input and output; None where no call was made."""
    if usage is None:
        return None
    names = ("input", "cached_read", "cache_write", "output")
    return {name: getattr(usage, name) for name in names}
