"""Both spellings of a field: the API says `thoughtSignature` and understands `thought_signature` as well.

What was spelled the second way is noted beside the other fields, so that it is written back as it came. Keys that begin
with a colon are such notes; the API has no field of that kind, and none is ever sent.
"""

import re
from collections.abc import Mapping, Set
from typing import Any

SNAKE = ":snake"
"""The note: which fields, by their usual names, were spelled with underscores."""
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def snake(name: str) -> str:
    """The field's name with underscores."""
    return HUMP.sub("_", name).lower()


def unsnaked(raw: Mapping[str, Any], names: Set[str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The object with these fields under their usual names, and which of them were spelled the other way.

    ValueError where a field is there in both spellings.
    """
    usual = {snake(name): name for name in names}
    found = tuple(usual[key] for key in raw if key in usual and usual[key] != key)
    if any(name in raw for name in found):
        raise ValueError(f"{found} are said twice, in both spellings")
    return {usual.get(key, key): value for key, value in raw.items()}, found


def note(*found: tuple[str, ...]) -> dict[str, Any]:
    """The note of what was spelled with underscores, empty where nothing was."""
    names = tuple(name for each in found for name in each)
    return {SNAKE: names} if names else {}


def spelled(fields: Mapping[str, Any], native: Mapping[str, Any]) -> dict[str, Any]:
    """The object as its note says it was spelled, without any notes."""
    noted = native.get(SNAKE, ())
    return {snake(key) if key in noted else key: value for key, value in fields.items() if not key.startswith(":")}


def either(raw: Mapping[str, Any], name: str) -> str | None:
    """The spelling under which a field is there, or None."""
    return next((key for key in (name, snake(name)) if key in raw), None)
