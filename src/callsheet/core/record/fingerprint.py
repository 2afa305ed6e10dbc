"""A policy's fingerprint: one hash over its settings and its fixed items."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from typing import Any

from ...model.item import Fragment
from ...model.policy import Policy


def fingerprint(policy: Policy) -> str:
    """The same for equal policies and different for different ones, in every process and on every machine.

    A policy that carries its fingerprint is not read again: whoever changes a setting of one sets it to "" as well.
    """
    return policy.fingerprint or settings_fingerprint(policy)


def settings_fingerprint(settings: object) -> str:
    """The same for any frozen value of a policy, such as the ranking that a figure was reached with."""
    whole = blake2b(digest_size=16)
    for part in _parts(settings):
        data = part.encode("utf-8", "surrogatepass")
        whole.update(len(data).to_bytes(8, "big") + data)
    return "b2:" + whole.hexdigest()


def _parts(value: Any) -> Iterator[str]:
    if isinstance(value, Fragment):
        return  # made of the item's text and the model's counter, which are here already
    if is_dataclass(value) and not isinstance(value, type):
        yield type(value).__name__
        for each in fields(value):
            yield each.name
            yield from _parts(getattr(value, each.name))
    elif isinstance(value, Mapping):
        yield f"object of {len(value)}"
        for key in sorted(value):
            yield key
            yield from _parts(value[key])
    elif isinstance(value, (list, tuple)):
        yield f"list of {len(value)}"
        for each in value:
            yield from _parts(each)
    else:
        yield repr(value)
