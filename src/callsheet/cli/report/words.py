"""Words and figures that the text and the tables of a report share."""

from collections.abc import Mapping
from typing import Any

from ..output import shown

Shape = Mapping[str, Any]


def number(value: float | None) -> str:
    """A whole number with its thousands apart; a dash where there is none."""
    return "-" if value is None else f"{round(value):,}"


def percent(part: float, whole: float) -> str:
    """A share in whole per cent; what is there but rounds to nothing is "<1 %"."""
    if not whole:
        return "-"
    share = 100 * part / whole
    return "<1 %" if 0 < share < 0.5 else f"{share:.0f} %"


def several(count: int, noun: str) -> str:
    """A count with its noun, in the plural where it needs one."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def label(name: str) -> str:
    """A name of the document as a person reads it."""
    return name.replace("_", " ")


def prompt_tokens(usage: Shape) -> int:
    """Tokens of the prompts of a usage, cached or not."""
    return int(usage["input"]) + int(usage["cached_read"]) + int(usage["cache_write"])


def cached(report: Shape, tokens: int) -> str:
    """Tokens read from a cache or written to one; a dash where the report does not know them."""
    return number(tokens if report["cache"]["reported"] else None)


def cached_share(report: Shape, usage: Shape) -> str:
    """How much of a usage's prompts was read from the cache; a dash where the report does not know it."""
    return percent(usage["cached_read"], prompt_tokens(usage)) if report["cache"]["reported"] else "-"


def place(thing: Shape) -> str:
    """Where a finding, a fix or a round is: its turn, and its conversation where that is not the main one."""
    return f"turn {thing['turn']:,}" + (f" of {shown(thing['thread'])}" if thing["thread"] else "")
