"""Reading provider JSON by tables: what is typed, what a dialect declares beside it, and what nobody knows."""

from collections.abc import Callable, Mapping, Set
from typing import Any, TypeVar

from ...model.message import Block, CacheMark, NativeBlock

Result = TypeVar("Result")


class Drift:
    """Collects the paths of fields and types that a dialect's tables do not list, during one decoding."""

    def __init__(self) -> None:
        self.paths: list[str] = []

    def rest(self, raw: Mapping[str, Any], typed: Set[str], declared: Set[str], path: str) -> dict[str, Any]:
        """What `raw` says beside its typed fields; each field that is not declared is noted, and kept all the same."""
        left = {key: value for key, value in raw.items() if key not in typed}
        self.paths += [f"{path}.{key}" for key in left if key not in declared]
        return left

    def block(self, raw: Any, path: str, read: Callable[[Mapping[str, Any], str], Block]) -> Block:
        """The block `read` makes of `raw`, or the whole of it as a native one where it is none of the dialect's."""
        if not isinstance(raw, Mapping):
            raise ValueError(f"{path} is {type(raw).__name__}, not an object")
        kind = raw.get("type")
        try:
            return read(raw, path)
        except (KeyError, TypeError, ValueError, AttributeError):
            self.paths.append(f"{path}:{kind}")
            return NativeBlock(type=kind if isinstance(kind, str) else "", fields=dict(raw), known=False)


def request_object(raw: Any) -> Mapping[str, Any]:
    """A request's body. ValueError where it is no object."""
    if not isinstance(raw, Mapping):
        raise ValueError(f"a request's body is an object, not {type(raw).__name__}")
    return raw


def typed(raw: Mapping[str, Any], key: str, kind: type[Result]) -> Result:
    """The value of a required field. ValueError where it is missing or of another type."""
    value = raw.get(key)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{key} must be {kind.__name__}, not {type(value).__name__}")
    return value


def optional(raw: Mapping[str, Any], key: str, kind: type[Result]) -> Result | None:
    """The value of a field that may be missing, or None. ValueError where it is of another type, null too."""
    return typed(raw, key, kind) if key in raw else None


def present(**fields: Any) -> dict[str, Any]:
    """The fields whose value is not None: None is how a typed field says that it was not there."""
    return {key: value for key, value in fields.items() if value is not None}


def cache_mark(raw: Any) -> CacheMark:
    """The mark in `cache_control`. ValueError where it is no object with a type."""
    if not isinstance(raw, Mapping) or raw.get("type") != "ephemeral":
        raise ValueError("cache_control is no ephemeral mark")
    ttl = raw.get("ttl", "")
    if not isinstance(ttl, str):
        raise ValueError("cache_control.ttl is no text")
    return CacheMark(ttl, {key: value for key, value in raw.items() if key not in ("type", "ttl")})


def cache_control(mark: CacheMark) -> dict[str, Any]:
    """The mark as `cache_control` says it."""
    return {"type": "ephemeral", **({"ttl": mark.ttl} if mark.ttl else {}), **mark.native}


def given(raw: Any, key: str) -> Any:
    """The value of a field, or None where it is missing. ValueError where `raw` is no object at all."""
    if not isinstance(raw, Mapping):
        raise ValueError(f"this is {type(raw).__name__}, not an object")
    return raw.get(key)
