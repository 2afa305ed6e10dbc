"""The table of models: `table.toml`, and before it a project's own `models.toml`, looked up by a model's name."""

import difflib
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ...errors import ProjectError
from ...model.policy import ModelTraits, Priced, Prices

TABLE = Path(__file__).with_name("table.toml")
FILE = "models.toml"
WILD = re.compile(r"[*?]|\[[^\]]*\]")
PRICES: Mapping[str, type] = {"input": float, "cached_read": float, "cache_write": float, "output": float}
TRAITS: Mapping[str, type] = {each.name: type(each.default) for each in fields(ModelTraits)}
LIMITS: Mapping[str, type] = {"window": int, "max_output": int}


@dataclass(frozen=True, slots=True)
class Limits:
    """Tokens a model reads and writes at most; None where no vendor's page says it."""

    window: int | None = None
    max_output: int | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One [[model]] of a table: the patterns of the names it is about, and what it says of them."""

    match: tuple[str, ...]
    traits: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    priced: Priced | None = None
    own: bool = False

    def fits(self, name: str) -> tuple[bool, bool, int] | None:
        """How well it fits a name: a project's own first, then a name in full, then the longer pattern."""
        found = [each for each in self.match if fnmatchcase(name, each)]
        return max(((self.own, not WILD.search(each), len(WILD.sub("", each))) for each in found), default=None)


@dataclass(frozen=True, slots=True)
class Models:
    """What is documented of models. A name is what the provider calls the model; a router's own names are not read."""

    entries: tuple[Entry, ...]

    def traits(self, name: str) -> ModelTraits:
        """The traits, each from the most specific entry that states it; those of an unknown model are the safe ones."""
        return ModelTraits(**{key: value for entry in self._about(name) for key, value in entry.traits.items()})

    def limits(self, name: str) -> Limits:
        """Window and longest output in tokens."""
        return Limits(**{key: value for entry in self._about(name) for key, value in entry.limits.items()})

    def prices(self, name: str) -> Prices | None:
        """The prices of a short prompt; None where they are not known."""
        priced = self.priced(name)
        return priced.of(0) if priced else None

    def priced(self, name: str) -> Priced | None:
        """The prices of prompts of any length, with their date and source; None where they are not known."""
        return next((entry.priced for entry in reversed(self._about(name)) if entry.priced), None)

    def _about(self, name: str) -> list[Entry]:
        """The entries that fit a name, the most specific last."""
        fitting = [(fit, entry) for entry in self.entries if (fit := entry.fits(name)) is not None]
        return [entry for _, entry in sorted(fitting, key=lambda pair: pair[0])]


def read_table(own: Path | None = None) -> Models:
    """The table, with a project folder's own `models.toml` before it where there is one.

    ProjectError names file, key, rule and way out.
    """
    path = own / FILE if own is not None else None
    added = _read(path, True) if path is not None and path.exists() else ()
    return Models((*_read(TABLE, False), *added))


def _read(path: Path, own: bool) -> tuple[Entry, ...]:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise _problem("missing-file", f"cannot be read ({error.strerror})", "make it a readable file") from None
    except (ValueError, RecursionError) as error:
        raise _problem("malformed-file", f"not TOML: {error}", "mend the syntax there") from None
    _checked(data, {"model": list}, "", ())
    return tuple(_entry(raw, f"model[{at}]", own) for at, raw in enumerate(data.get("model", ())))


def _problem(rule: str, message: str, fix: str) -> ProjectError:
    return ProjectError(f"{FILE}: {message}; {fix} [{rule}]")


def _entry(raw: Any, at: str, own: bool) -> Entry:
    tables = {"traits": dict, "limits": dict, "prices": dict}
    said = _checked(raw, {"match": list, **tables}, at, ("match",))
    match = said["match"]
    if not match or not all(isinstance(each, str) and each for each in match):
        raise _problem("invalid-value", f"{at}.match = {match!r} is no list of names", 'write match = ["gpt-6-*"]')
    traits = _checked(said.get("traits", {}), TRAITS, f"{at}.traits", ())
    limits = _checked(said.get("limits", {}), LIMITS, f"{at}.limits", ())
    return Entry(
        tuple(match), traits, limits, _priced(said["prices"], f"{at}.prices") if "prices" in said else None, own
    )


def _priced(raw: Any, at: str) -> Priced:
    types = {**PRICES, "currency": str, "as_of": date, "source": str, "long": dict}
    said = _checked(raw, types, at, ("input", "output", "currency", "as_of", "source"))
    prices = _each(said)
    found = Priced(Prices(**prices, currency=said["currency"]), said["as_of"], said["source"])
    if "long" not in said:
        return found
    stated = [key for key in PRICES if key in said]
    long = _checked(said["long"], {**PRICES, "above": int}, f"{at}.long", ("above", *stated))
    more = Prices(**_each(long), currency=said["currency"])
    return Priced(found.prices, found.as_of, found.source, more, long["above"])


def _each(said: Mapping[str, Any]) -> dict[str, float]:
    """The prices as they stand; without one of its own, what is read from the cache or written to it is plain input."""
    plain = float(said["input"])
    return {key: float(said.get(key, plain)) for key in PRICES}


def _checked(raw: Any, types: Mapping[str, type], at: str, required: tuple[str, ...]) -> Mapping[str, Any]:
    """The table itself, once its keys are known, their values of the right type, and none that is required missing."""
    if not isinstance(raw, Mapping):
        raise _problem("invalid-value", f"{at} is no table", f"write it as [{at}]")
    for key, value in raw.items():
        named = f"{at}.{key}" if at else key
        if key not in types:
            near = difflib.get_close_matches(key, types, 1)
            fix = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(types)}"
            raise _problem("unknown-key", f"{named} is not a known key", fix)
        if not _is(value, types[key]):
            fix = f"give {NAMES[types[key]]}"
            raise _problem("invalid-value", f"{named} = {value!r} is not {NAMES[types[key]]}", fix)
    for key in required:
        if key not in raw:
            raise _problem("invalid-value", f"{at}.{key} is missing", "add it")
    return raw


NAMES: Mapping[type, str] = {
    bool: "true or false",
    int: "a number of 0 or more, without a fraction",
    float: "a finite number of 0 or more",
    str: "text",
    date: "a date, like 2026-11-30",
    list: "a list",
    dict: "a table",
}


def _is(value: Any, kind: type) -> bool:
    if kind in (int, float):
        fits = type(value) is int or (kind is float and type(value) is float)
        return fits and math.isfinite(value) and value >= 0
    return type(value) is kind
