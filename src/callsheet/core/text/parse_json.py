"""JSON that someone else wrote: read to a depth that all code behind it can go down to."""

import json
from typing import Any

DEEPEST = 200
"""Levels of nesting that are read. Readers and writers go down by recursion, several frames a level, and Python has a
thousand; no record, request or reply nests half as deep."""


def parse_json(text: str | bytes) -> Any:
    """The JSON value of a text. ValueError where it is none, or is nested deeper than `DEEPEST` levels."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise ValueError(f"nested deeper than {DEEPEST} levels") from None
    if _openings(text) > DEEPEST and deeper(value, DEEPEST):
        raise ValueError(f"nested deeper than {DEEPEST} levels")
    return value


def deeper(value: Any, levels: int) -> bool:
    """Whether lists and objects stand in one another more than this many times."""
    inside = [value] if isinstance(value, dict | list) else []
    for _ in range(levels):
        if not inside:
            return False
        held = (each.values() if isinstance(each, dict) else each for each in inside)
        inside = [each for values in held for each in values if isinstance(each, dict | list)]
    return bool(inside)


def _openings(text: str | bytes) -> int:
    """How often something is opened at most: a text with few openings, as nearly all, need not be walked through."""
    return text.count("[") + text.count("{") if isinstance(text, str) else text.count(b"[") + text.count(b"{")
