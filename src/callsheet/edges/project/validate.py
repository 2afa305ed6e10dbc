"""Data from TOML and YAML made into frozen dataclasses: types checked strictly, unknown keys refused."""

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args, get_origin, get_type_hints

from .text import Key, Source

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic_core import ErrorDetails

T = TypeVar("T")
_TOLD = 30
"""Names that an error lists; a format has fewer, a collection of documents may have any number."""


def validated(kind: type[T], data: Mapping[str, Any], source: Source, at: Sequence[Key] = (), line: int = 0) -> T:
    """The dataclass `kind` made of `data`; a Problem names the key that is unknown, missing or of the wrong type.

    `at` is the key path of `data` in its file, and `line` its line where the path alone does not tell. A date without a
    time is midnight UTC, and a time without a zone is UTC.
    """
    from pydantic import ValidationError

    _known_keys(kind, data, source, tuple(at), line)
    try:
        text = json.dumps(data, default=_plain, allow_nan=False)
        made: T = _adapter(cast(Any, kind)).validate_json(text, strict=True)
    except (TypeError, OverflowError, RecursionError) as error:
        raise source.problem(
            line or at, "invalid-value", f"it cannot be read ({error})", "write plain values"
        ) from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = (*at, *(part for part in first["loc"] if isinstance(part, str | int)))
        message, fix = _said(first, path)
        raise source.problem(line or path, "invalid-value", message, fix) from None
    except ValueError:
        why, fix = "a number in it is not finite", "write a finite number"
        raise source.problem(line or at, "invalid-value", why, fix) from None
    return made


@lru_cache(maxsize=64)
def _adapter(kind: Any) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def moment(value: date) -> datetime:
    """An aware datetime of a TOML or YAML date or time."""
    if not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def _plain(value: Any) -> Any:
    return moment(value).isoformat() if isinstance(value, date) else str(value)


def dotted(path: Sequence[Key]) -> str:
    """A key path as a person writes it: `decision.diagnose.weights`."""
    return ".".join(str(part) for part in path)


def _said(error: "ErrorDetails", path: Sequence[Key]) -> tuple[str, str]:
    name = dotted(path)
    if error["type"] == "missing":
        return f"{name} is missing", "add it"
    return f"{name} = {error['input']!r} is not valid: {error['msg']}", "change the value"


def _known_keys(kind: Any, data: Any, source: Source, at: tuple[Key, ...], line: int) -> None:
    if get_origin(kind) is not None and not is_dataclass(kind):
        for inner in filter(is_dataclass, get_args(kind)):
            for path, value in _nested(kind, data):
                _known_keys(inner, value, source, (*at, *path), line)
    elif is_dataclass(kind) and isinstance(data, Mapping):
        hints = get_type_hints(kind)
        known = [field.name for field in fields(kind)]
        for key, value in data.items():
            if key not in known:
                raise unknown_key(key, known, source, at, line)
            _known_keys(hints[key], value, source, (*at, key), line)


def _nested(kind: Any, data: Any) -> Iterable[tuple[tuple[Key, ...], Any]]:
    """What a value of such a type holds, each with its path below: of a mapping its values, of a list its elements."""
    if isinstance(data, Mapping) and issubclass(_origin(kind), Mapping):
        return [((key,), value) for key, value in data.items()]
    return [((), each) for each in data] if isinstance(data, list) else [((), data)]


def _origin(kind: Any) -> type:
    origin = get_origin(kind)
    return origin if isinstance(origin, type) else object


def nearest(word: Any, known: Sequence[str], noun: str = "keys") -> str:
    """The way out of a name that does not exist: the nearest one that does, else all of them."""
    near = difflib.get_close_matches(str(word), known, 1)
    if near:
        return f"did you mean {near[0]!r}?"
    more = f" and {len(known) - _TOLD:,} more" if len(known) > _TOLD else ""
    return f"known {noun}: {', '.join(known[:_TOLD]) or 'none'}{more}"


def unknown_key(key: Any, known: Sequence[str], source: Source, at: Sequence[Key], line: int = 0) -> Exception:
    """The error for a key that the format does not know."""
    path = (*at, str(key))
    return source.problem(line or path, "unknown-key", f"{dotted(path)} is not a known key", nearest(key, known))
