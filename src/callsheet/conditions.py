"""Conditions for `@tool`: small functions that say what must hold before a call and after it (D1, D3).

The engine evaluates them, not the tool; what they return is data that stands in the contract.
"""

from typing import Any

from .model.tool import Condition


def owned(argument: str, kind: str) -> Condition:
    """Before: the argument is one of the identifiers that trusted state lists under this kind of resource."""
    return Condition("owned", argument, (kind,))


def fact(name: str, *values: str) -> Condition:
    """Before: trusted state has this fact, with one of the values where any are given."""
    return Condition("fact", name, values)


def not_empty(field: str) -> Condition:
    """After: the result's field is there and is neither null nor empty."""
    return Condition("not_empty", field)


def one_of(field: str, *values: Any) -> Condition:
    """After: the result's field is one of these values."""
    return Condition("one_of", field, values)


def between(field: str, low: float, high: float) -> Condition:
    """After: the result's field is a number from `low` to `high`, both included."""
    return Condition("between", field, (low, high))


def same_as_argument(field: str, argument: str | None = None) -> Condition:
    """After: the result's field equals an argument of the call, by default the one of the same name."""
    return Condition("same_as_argument", field, (argument or field,))
