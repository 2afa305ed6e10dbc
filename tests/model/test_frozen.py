"""A noun behaves as the standard frozen dataclass of the same fields does; only its making is another."""

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.model.frozen import dataclass

from ..source import PACKAGE

Decorator = Callable[..., Any]


def made(decorator: Decorator) -> tuple[Any, Any, Any]:
    """The same three classes under one of the two decorators."""

    @decorator(frozen=True, slots=True)
    class Point:
        """A place."""

        x: int
        y: float = 0.5
        tags: Mapping[str, int] = field(default_factory=dict)
        quiet: str = field(default="", repr=False, compare=False)

    @decorator(frozen=True, slots=True)
    class Deep(Point):
        """A place under the ground."""

        depth: int = 0

        def __post_init__(self) -> None:
            object.__setattr__(self, "depth", abs(self.depth))

    @decorator(frozen=True, slots=True, kw_only=True)
    class Named:
        """A name alone."""

        name: str | None = None

    return Point, Deep, Named


OURS, THEIRS = made(dataclass), made(dataclasses.dataclass)


@dataclass(frozen=True, slots=True)
class Kept:
    """A noun that pickle finds by its name."""

    name: str
    parts: tuple[int, ...] = ()


def told(value: Any) -> tuple[str, dict[str, Any], tuple[str, ...]]:
    return repr(value).rpartition(".")[2], dataclasses.asdict(value), type(value).__match_args__


@given(st.integers(), st.floats(), st.text(), st.integers())
def test_values_read_show_and_revise_as_the_standard_ones(x: int, y: float, quiet: str, depth: int) -> None:
    for ours, theirs, given_ in (
        (OURS[0], THEIRS[0], {"x": x, "y": y, "quiet": quiet}),
        (OURS[1], THEIRS[1], {"x": x, "tags": {quiet: x}, "depth": depth}),
        (OURS[2], THEIRS[2], {"name": quiet}),
        (OURS[2], THEIRS[2], {}),
    ):
        one, other = ours(**given_), theirs(**given_)
        assert told(one) == told(other) or y != y
        if "x" in given_:
            assert told(dataclasses.replace(one, x=depth, y=1.0)) == told(dataclasses.replace(other, x=depth, y=1.0))


@given(st.integers(0, 1), st.integers(0, 1), st.sampled_from(["", "a"]), st.sampled_from(["", "a"]))
def test_equality_and_hash_go_by_the_compared_fields(x: int, other: int, quiet: str, loud: str) -> None:
    for point, _, named in (OURS, THEIRS):
        assert (point(x, quiet=quiet) == point(other, quiet=loud)) is (x == other)
        assert (named(name=quiet) == named(name=loud)) is (quiet == loud)
        assert hash(named(name=quiet)) == hash(named(name=quiet))
    assert OURS[0](1) != THEIRS[0](1) and OURS[0](1) != OURS[1](1)


def test_each_value_has_a_default_of_its_own() -> None:
    first, second = OURS[0](1), OURS[0](1)
    assert first.tags == second.tags == {} and first.tags is not second.tags


def test_the_signature_is_that_of_the_standard_one() -> None:
    for ours, theirs in zip(OURS, THEIRS, strict=True):
        shown = {name: (each.kind, each.annotation) for name, each in inspect.signature(ours).parameters.items()}
        standard = {name: (each.kind, each.annotation) for name, each in inspect.signature(theirs).parameters.items()}
        assert shown == standard


@pytest.mark.parametrize("name", ["name", "unknown"])
def test_nothing_is_set_or_deleted_afterwards(name: str) -> None:
    kept = Kept("a")
    with pytest.raises(FrozenInstanceError, match=name):
        setattr(kept, name, "b")
    with pytest.raises(FrozenInstanceError, match=name):
        delattr(kept, name)
    assert kept == Kept("a") and not hasattr(kept, "__dict__")


@given(st.text(), st.lists(st.integers()).map(tuple))
def test_a_copy_and_a_pickle_are_equal(name: str, parts: tuple[int, ...]) -> None:
    kept = Kept(name, parts)
    assert copy.copy(kept) == copy.deepcopy(kept) == pickle.loads(pickle.dumps(kept)) == kept


def test_an_argument_too_few_or_too_many_is_named() -> None:
    with pytest.raises(TypeError, match=r"Kept\.__init__\(\) missing 1 required positional argument: 'name'"):
        Kept()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="colour"):
        Kept("a", colour="red")  # type: ignore[call-arg]


def test_every_noun_is_made_by_it() -> None:
    users = [path for path in (PACKAGE / "model").glob("*.py") if "@dataclass" in path.read_text(encoding="utf-8")]
    assert len(users) > 15
    for path in users:
        assert "from .frozen import dataclass\n" in path.read_text(encoding="utf-8"), path
