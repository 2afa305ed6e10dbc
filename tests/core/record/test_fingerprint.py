"""A policy's fingerprint: equal for equal policies, different as soon as any setting differs."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from types import MappingProxyType
from typing import Any

import pytest

from callsheet.core.history.policies import POLICIES
from callsheet.core.record.fingerprint import fingerprint
from callsheet.model.history_policy import Clear, HistoryPolicy
from callsheet.model.policy import Example, Policy

from ..world import CHECK, policy

EXAMPLE = Example("pair", "change", "v3", "q", "r", "w", "y")
PLAIN = policy(examples=(EXAMPLE,))


def other(value: Any) -> Any:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, str):
        return value + "x"
    return (*value, "x") if isinstance(value, tuple) else "x"


def variants(value: Any) -> Iterator[tuple[str, Any]]:
    """(path, value) for every way to change one field of a noun, at any depth."""
    if is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            if each.name not in ("fragment", "fingerprint"):
                for path, changed in variants(getattr(value, each.name)):
                    yield f"{each.name}.{path}", replace(value, **{each.name: changed})
    elif isinstance(value, dict):
        yield "new", {**value, "new": next(iter(value.values()), 1)}
        for key in value:
            for path, changed in variants(value[key]):
                yield f"{key}.{path}", {**value, key: changed}
    elif isinstance(value, tuple) and value:
        yield "shorter", value[:-1]
        for path, changed in variants(value[0]):
            yield f"0.{path}", (changed, *value[1:])
    else:
        yield "", other(value)


VARIANTS = dict(variants(PLAIN))


def test_any_setting_that_differs_gives_another_fingerprint() -> None:
    assert len(VARIANTS) > 100
    same = [path for path, changed in VARIANTS.items() if fingerprint(changed) == fingerprint(PLAIN)]
    assert same == []
    assert len({fingerprint(each) for each in VARIANTS.values()}) == len({repr(each) for each in VARIANTS.values()})


def test_equal_policies_have_equal_fingerprints_whatever_the_order_of_their_tables() -> None:
    turned = dict(reversed(PLAIN.project.decisions.items()))
    schema = dict(reversed(CHECK.input_schema.items()))
    again = policy(examples=(EXAMPLE,), tools=(replace(CHECK, input_schema=schema), *contracts()[1:]))
    again = replace(again, project=replace(again.project, decisions=MappingProxyType(turned)))
    assert fingerprint(again) == fingerprint(PLAIN)


def contracts() -> list[Any]:
    return list(PLAIN.project.contracts().values())


@pytest.mark.parametrize(("one", "two"), [(("a\x1fb",), ("a", "b")), (("1",), (1,)), ((None,), ("None",))])
def test_values_that_only_look_alike_differ(one: Any, two: Any) -> None:
    def held(values: Any) -> Policy:
        return replace(PLAIN, gate=replace(PLAIN.gate, confirm_effects=values))

    assert fingerprint(held(one)) != fingerprint(held(two))


def test_a_fingerprint_that_was_taken_is_not_taken_again() -> None:
    taken = replace(PLAIN, fingerprint=fingerprint(PLAIN))
    assert fingerprint(taken) == taken.fingerprint == fingerprint(PLAIN)


def test_two_texts_are_told_apart_from_the_same_letters_cut_elsewhere() -> None:
    one, two = ({"a": 11},), ({"a1": 1},)
    held = [replace(PLAIN, gate=replace(PLAIN.gate, confirm_effects=each)) for each in (one, two)]
    assert fingerprint(held[0]) != fingerprint(held[1])


def test_every_policy_on_history_has_a_fingerprint_of_its_own_and_keeps_it() -> None:
    told = {name: fingerprint(replace(PLAIN, history=each)) for name, each in POLICIES.items()}
    assert len(set(told.values())) == len(POLICIES)
    assert told == {name: fingerprint(replace(PLAIN, history=replace(each))) for name, each in POLICIES.items()}
    clear = Clear(keep=4)
    assert fingerprint(replace(PLAIN, history=HistoryPolicy("p", (clear,)))) != fingerprint(
        replace(PLAIN, history=HistoryPolicy("p", (replace(clear, keep=5),)))
    )
