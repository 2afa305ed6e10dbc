"""A policy's fingerprint: one hash over its settings and the digests of its fixed items."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from typing import Any

from ..model.item import ContextItem
from ..model.policy import Policy

SEPARATOR = b"\x1f"


def fingerprint(policy: Policy) -> str:
    """The same for equal policies and different for different ones, in every process and on every machine."""
    if policy.fingerprint:
        return policy.fingerprint
    whole = blake2b(digest_size=16)
    for part in _parts(policy):
        whole.update(part.encode() + SEPARATOR)
    return "b2:" + whole.hexdigest()


def _parts(value: Any) -> Iterator[str]:
    if isinstance(value, ContextItem):
        yield from (value.item_id, value.source, str(value.version), str(value.scope), value.text, repr(value.record))
    elif is_dataclass(value) and not isinstance(value, type):
        yield type(value).__name__
        for each in fields(value):
            yield each.name
            yield from _parts(getattr(value, each.name))
    elif isinstance(value, dict):
        for key in sorted(value):
            yield key
            yield from _parts(value[key])
    elif isinstance(value, tuple):
        yield str(len(value))
        for each in value:
            yield from _parts(each)
    else:
        yield repr(value)
