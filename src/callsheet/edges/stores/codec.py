"""JSON of the nouns that gives back equal values, whatever a model or a tool put into them.

Written here and not with a validator, because a journal must hold what was really said: JSON from outside can carry
lone surrogates and NaN, which validators refuse or change. Fields that stand at their default are left out, so content
keeps its hash when a noun gains a field. Each noun carries its type's name under `$`, so a union is never guessed.
"""

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from ...errors import StoreError
from ...model.item import ContextItem

TYPE = "$"
REFERENCE = "#"

DAMAGE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, zlib.error)
"""What reading bytes that callsheet did not write runs into."""

Shortened = Mapping[type, Callable[[Any], Mapping[str, Any]]]
Resolve = Callable[[Mapping[str, Any]], ContextItem]
Build = Callable[[Any, Resolve | None], Any]


def described(value: Any, omit: frozenset[str] = frozenset()) -> dict[str, Any]:
    """The noun's type and its fields that differ from their defaults, without those in `omit`."""
    kind: Any = type(value)
    return {TYPE: kind.__name__, **differing(value, _names(kind, omit))}


def differing(value: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Those of these fields of a noun that differ from their defaults."""
    kind: Any = type(value)
    read, defaults = _reading(kind, names)
    return {
        name: held
        for name, held, default in zip(names, read(value), defaults, strict=True)
        if held is not default and held != default
    }


@lru_cache(256)
def _names(kind: Any, omit: frozenset[str]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.name not in omit)


@lru_cache(256)
def _reading(kind: Any, names: tuple[str, ...]) -> tuple[Callable[[Any], Iterable[Any]], tuple[Any, ...]]:
    """What reads these fields of a noun of this kind, and their defaults."""
    known = {field.name: field for field in fields(kind)}
    factories = ((known[name].default, known[name].default_factory) for name in names)
    defaults = tuple(default if make is MISSING else make() for default, make in factories)
    return attrgetter(*names) if len(names) > 1 else lambda noun: [getattr(noun, name) for name in names], defaults


def encode(value: Any, shortened: Shortened | None = None) -> bytes:
    """The value as UTF-8 JSON without blanks; `shortened` says of a kind of noun what stands in the place of each."""
    short = shortened or {}

    def plain(held: Any) -> Any:
        if (shorten := short.get(type(held))) is not None:
            return shorten(held)
        if is_dataclass(held) and not isinstance(held, type):
            return described(held)
        if isinstance(held, datetime):
            return held.isoformat()
        if isinstance(held, bytes):
            return b64encode(held).decode()
        if isinstance(held, Mapping):
            return dict(held)
        raise TypeError(
            f"a {type(held).__name__} cannot be journalled; a value in the record is JSON or one of our nouns"
        )

    text = json.dumps(value, default=plain, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def decode(hint: Any, data: bytes, resolve: Resolve | None = None) -> Any:
    """The value of this type that was encoded; `resolve` turns a reference back into its item."""
    try:
        return _builder(hint)(json.loads(data.decode("utf-8", "surrogatepass")), resolve)
    except DAMAGE as error:
        raise damaged(error) from error


class Damaged(StoreError):
    """Content that cannot be read back; the database adds in which file it lies."""


def damaged(error: Exception) -> Damaged:
    """The exception that says so of content which is not what callsheet wrote."""
    said = f"{type(error).__name__}: {str(error)[:80]}"
    return Damaged(f"its content is damaged ({said}); restore the store from a backup")


def moment(text: str) -> datetime:
    """The moment that was stored as text."""
    try:
        return datetime.fromisoformat(text)
    except DAMAGE as error:
        raise damaged(error) from error


def _same(value: Any, resolve: Resolve | None) -> Any:
    return value


def _moment(value: Any, resolve: Resolve | None) -> Any:
    return datetime.fromisoformat(value)


def _bytes(value: Any, resolve: Resolve | None) -> Any:
    return b64decode(value)


@lru_cache(1024)
def _builder(hint: Any) -> Build:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _union(arguments)
    if origin is tuple:
        return _tuple(arguments)
    if origin is not None and origin is not Literal and issubclass(origin, Mapping):
        return _mapping(arguments[1])
    if _is_noun(hint):
        return _noun(hint)
    return {datetime: _moment, bytes: _bytes}.get(hint, _same)


def _tuple(arguments: tuple[Any, ...]) -> Build:
    if len(arguments) == 2 and arguments[1] is ...:
        each = _builder(arguments[0])
        return lambda value, resolve: tuple(each(held, resolve) for held in value)
    builders = tuple(_builder(argument) for argument in arguments)
    return lambda value, resolve: tuple(build(held, resolve) for build, held in zip(builders, value, strict=True))


def _mapping(argument: Any) -> Build:
    each = _builder(argument)
    return lambda value, resolve: {key: each(held, resolve) for key, held in value.items()}


def _union(arguments: tuple[Any, ...]) -> Build:
    nouns: dict[str, Build] = {kind.__name__: _builder(kind) for kind in arguments if _is_noun(kind)}
    others = [_builder(kind) for kind in arguments if kind is not NoneType and not _is_noun(kind)]

    def build(value: Any, resolve: Resolve | None) -> Any:
        if value is None:
            return None
        if nouns and isinstance(value, dict) and value.get(TYPE) in nouns:
            return nouns[value[TYPE]](value, resolve)
        return others[0](value, resolve)

    return build


def _is_noun(hint: Any) -> bool:
    return isinstance(hint, type) and is_dataclass(hint)


@lru_cache(256)
def _field_builders(kind: Any) -> dict[str, Build]:
    return {name: _builder(hint) for name, hint in get_type_hints(kind).items()}


def _noun(kind: Any) -> Build:
    def build(value: Any, resolve: Resolve | None) -> Any:
        if resolve is not None and kind is ContextItem and REFERENCE in value:
            return resolve(value)
        known = _field_builders(kind)
        made = {
            name: held if (build := known[name]) is _same else build(held, resolve)
            for name, held in value.items()
            if name in known
        }
        return kind(**made)

    return build
