"""Run-time values frozen into instruction text: what equals a value of `values/`, and what looks like one (B1)."""

import re
from collections.abc import Iterator, Sequence

from .values import DatedValue

_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:[.,\u00a0 ]\d{3})*(?:[.,]\d+)?(?![\w-])")
_CURRENCY = r"(?:EUR|USD|GBP|CHF|PLN|euros?|dollars?|złotych|zł|€|\$|£)"
_UNIT = r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|requests?|tokens?|keys?|tries|attempts)"
_PATTERNS = (
    ("an amount of money", re.compile(rf"{_CURRENCY}\s?\d[\d.,]*|\b\d[\d.,]*\s?{_CURRENCY}(?!\w)", re.IGNORECASE)),
    ("a percentage", re.compile(r"\b\d+(?:[.,]\d+)?\s?(?:%|percent\b|per cent\b)", re.IGNORECASE)),
    ("a date", re.compile(r"\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}\.\d{1,2}\.\d{4}\b|\b\d{1,2}/\d{1,2}/\d{4}\b")),
    ("a limit", re.compile(rf"\b\d+\s{_UNIT}\b|\blimit(?:ed)?\s(?:is|of|to)\s\d+", re.IGNORECASE)),
)


def frozen_in(line: str, values: Sequence[DatedValue]) -> Iterator[tuple[str, str, str]]:
    """Rule, message and fix for each frozen value in a line of instruction text.

    A number counts as equal to a value from two digits on, because a single digit says too little; a value in words,
    amounts and units always does.
    """
    spoken: set[str] = set()
    for dated in values:
        value = dated.value
        found = _occurrence(line, value.value)
        if found and value.name not in spoken:
            spoken.add(value.name)
            fix = f"leave it out, it is rendered from {value.source} next to the question"
            yield "frozen-value", f"{found!r} is the run-time value {value.name!r}", fix
    for what, pattern in _PATTERNS:
        match = pattern.search(line)
        if match and not any(_occurrence(match.group(), dated.value.value) for dated in values):
            fix = "move it into values/*.toml with a version"
            yield "frozen-pattern", f"{match.group()!r} looks like {what} that changes at run time", fix


def _occurrence(line: str, value: str) -> str:
    """How the line writes this value, empty where it does not."""
    whole = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", line, re.IGNORECASE)
    if whole and not (value.isdecimal() and len(value) < 2):
        return whole.group()
    numbers = {_plain(found) for found in _NUMBER.findall(value) if len(_plain(found)) > 1}
    return next((found for found in _NUMBER.findall(line) if _plain(found) in numbers), "")


def _plain(number: str) -> str:
    """A number without thousands separators and with a point: `1,000.50` and `1 000,50` are `1000.50`."""
    grouped = re.sub(r"[.,\u00a0 ](?=\d{3}(?!\d))", "", number)
    return grouped.replace(",", ".")
