"""Secrets out of every text before it is assembled, stored or shown (I1, invariant 7)."""

import json
import re
from collections.abc import Mapping
from typing import Any

from .parse_json import parse_json
from .secret_shapes import MARKS, NAME_START, NAMES, PATTERNS

_SECRET_FIELD = re.compile(rf"(?i){NAME_START}{NAMES}$")
MARK = "[redacted:"


def redact(text: str) -> str:
    """The text with every secret replaced by `[redacted:class]`."""
    # A pattern that ignores case takes both of these for an i, and folding takes neither.
    folded = text.replace("İ", "i").replace("ı", "i").casefold()
    suspects: set[str] = set()
    for name, sign, marks in MARKS:
        if name not in suspects and sign in folded and marks(folded):
            suspects.add(name)
    for name, pattern in PATTERNS if suspects else ():
        if name not in suspects:
            continue
        label = r"\1" if pattern.groups else ""
        text = pattern.sub(f"{label}{MARK}{name}]", text)
    return text


def redact_json(text: str) -> str:
    """A JSON text without secrets, also where they are spelled with escapes or stand in JSON inside a string of it.

    It comes back as it was but for its secrets; where an escape hid one, it is written anew.
    """
    if "\\u" not in text and "\\/" not in text:
        return redact(text)
    try:
        value = parse_json(text)
        plain = json.dumps(value, ensure_ascii=False)
        clean = redact(json.dumps(_nested(value), ensure_ascii=False))
    except (ValueError, RecursionError):
        return redact(text)
    return redact(text) if clean == plain else clean


def _nested(value: Any) -> Any:
    """A JSON value with its strings redacted, those that are JSON themselves from the inside."""
    if isinstance(value, str):
        return redact_json(value) if value.lstrip()[:1] in ("{", "[") else redact(value)
    if isinstance(value, dict):
        return {redact(key): _nested(each) for key, each in value.items()}
    return [_nested(each) for each in value] if isinstance(value, list) else value


def redact_value(value: Any) -> Any:
    """A JSON value with every string in it redacted, keys included, and whatever a field named after a secret says."""
    if isinstance(value, str):
        return _nested(value)
    if isinstance(value, Mapping):
        return {redact(str(key)): _field(str(key), each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [redact_value(each) for each in value]
    return value


def _field(name: str, value: Any) -> Any:
    if isinstance(value, str) and value and _SECRET_FIELD.search(name):
        return f"{MARK}password]" if (clean := redact(value)) == value else clean
    return redact_value(value)
