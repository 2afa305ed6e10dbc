"""The decorator of the nouns: a frozen dataclass, defined in a tenth of the standard one's time.

`dataclasses` writes and compiles the source of six methods for each class, which for a hundred nouns is half of what
the core costs at every start. Of the six only `__init__` has to be compiled; the others need a class's field names and
nothing else. A value made, compared, hashed, shown, copied or pickled is what the standard decorator gives.
"""

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import MISSING, FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - type checkers know how to read this one
else:

    def dataclass(*, frozen: bool, slots: bool, kw_only: bool = False) -> Callable[[type], type]:
        """The class as a dataclass, frozen and with slots: a noun is nothing else."""
        assert frozen and slots
        fields_and_slots = dataclasses.dataclass(slots=True, kw_only=kw_only, init=False, repr=False, eq=False)
        return lambda kind: _noun(fields_and_slots(kind))


def _noun(kind: Any) -> Any:
    fields = dataclasses.fields(kind)
    assert all(each.init and each.hash is None for each in fields), "no noun needs such a field, so none is made here"
    compared = _values(each.name for each in fields if each.compare)
    slots = tuple(getattr(kind, each.name) for each in fields)

    def equal(self: Any, other: Any) -> Any:
        return compared(self) == compared(other) if other.__class__ is self.__class__ else NotImplemented

    def state(self: Any) -> list[Any]:
        return [slot.__get__(self) for slot in slots]

    def restore(self: Any, values: list[Any]) -> None:
        for slot, value in zip(slots, values, strict=True):
            slot.__set__(self, value)

    kind.__init__ = _initializer(kind, fields)
    kind.__eq__, kind.__hash__ = equal, lambda self: hash(compared(self))
    kind.__getstate__, kind.__setstate__ = state, restore
    kind.__repr__, kind.__setattr__, kind.__delattr__ = _shown, _frozen, _frozen
    return kind


def _values(names: Iterable[str]) -> Callable[[Any], tuple[Any, ...]]:
    """What reads these fields of a noun as a tuple, also where they are fewer than two."""
    listed = tuple(names)
    return attrgetter(*listed) if len(listed) > 1 else lambda noun: tuple([getattr(noun, name) for name in listed])


def _initializer(kind: Any, fields: tuple[dataclasses.Field[Any], ...]) -> Any:
    """`__init__`, which fills the slots past the class's own `__setattr__`."""
    scope: dict[str, Any] = {"MISSING": MISSING}
    parameters: dict[bool, list[str]] = {False: ["self"], True: []}
    body = []
    for each in fields:
        name, given = each.name, each.name
        scope[f"__set_{name}"] = getattr(kind, name).__set__
        if each.default_factory is not MISSING:
            scope[f"__make_{name}"] = each.default_factory
            given = f"__make_{name}() if {name} is MISSING else {name}"
        scope[f"__default_{name}"] = each.default
        optional = each.default is not MISSING or given != name
        parameters[bool(each.kw_only)].append(f"{name}=__default_{name}" if optional else name)
        body.append(f"__set_{name}(self, {given})")
    if hasattr(kind, "__post_init__"):
        body.append("self.__post_init__()")
    listed = ", ".join([*parameters[False], *(["*", *parameters[True]] if parameters[True] else [])])
    exec(f"def __init__({listed}):\n " + "\n ".join(body or ["pass"]), scope)
    made = scope["__init__"]
    made.__annotations__ = {**{each.name: each.type for each in fields}, "return": None}
    made.__qualname__, made.__module__ = f"{kind.__qualname__}.__init__", kind.__module__
    return made


@recursive_repr()
def _shown(self: Any) -> str:
    shown = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in dataclasses.fields(self) if each.repr)
    return f"{type(self).__qualname__}({shown})"


def _frozen(self: Any, name: str, *value: Any) -> None:
    raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")
