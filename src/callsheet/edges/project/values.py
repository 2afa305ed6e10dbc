"""Run-time values from `values/*.toml`: versioned records, each with the dates it is in force (B1)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ...model.task import Value
from .text import Source, read_source, read_toml
from .validate import validated

_PLACE = re.compile(r"\{\w*\}")


@dataclass(frozen=True, slots=True)
class _Table:
    value: str | int | float | bool
    version: str
    text: str = "{name}: {value}"
    effective: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class DatedValue:
    """A value and the time it is in force: from `effective` (None: always) up to, and not at, `until` (None: open)."""

    value: Value
    effective: datetime | None
    until: datetime | None
    line: int

    def in_force(self, now: datetime) -> bool:
        """True when the value holds at this moment."""
        return (self.effective is None or self.effective <= now) and (self.until is None or now < self.until)


def read_values(folder: Path) -> tuple[DatedValue, ...]:
    """Every version of every value, by name and effective date.

    A table `[limit]` holds one version, an array `[[limit]]` several. `version` may stand once at the top of the file.
    The same name in two files is a Problem, because neither would be the canonical one.
    """
    found: list[DatedValue] = []
    owners: dict[str, str] = {}
    for path in sorted((folder / "values").glob("*.toml")):
        source = read_source(folder, path)
        for dated in values_of(source):
            owner = owners.setdefault(dated.value.name, source.file)
            if owner != source.file:
                why = f"the value {dated.value.name!r} is also in {owner}"
                raise source.problem(dated.line, "duplicate-id", why, "keep it in one file")
            found.append(dated)
    return tuple(sorted(found, key=lambda dated: (dated.value.name, _since(dated), dated.value.version)))


def values_of(source: Source) -> list[DatedValue]:
    """Every version of every value of one file."""
    data = read_toml(source)
    version = data.pop("version", None)
    found: list[DatedValue] = []
    for name, tables in data.items():
        for table in tables if isinstance(tables, list) else [tables]:
            if not isinstance(table, Mapping):
                fix = f'write a table: [{name}] with value = {table!r} and version = "v1"'
                raise source.problem((name,), "invalid-value", f"{name} is not a table", fix)
            found.append(_dated(name, {"version": version, **table}, source))
    return found


def _dated(name: str, table: Mapping[str, Any], source: Source) -> DatedValue:
    if table["version"] is None:
        fix = 'add version = "v1" to it or at the top of the file'
        raise source.problem((name,), "value-without-version", f"the value {name!r} has no version", fix)
    read = validated(_Table, {**table, "version": str(table["version"])}, source, (name,))
    written = str(read.value).lower() if isinstance(read.value, bool) else str(read.value)
    text = read.text.replace("{name}", name.replace("_", " ")).replace("{value}", written)
    if "{value}" not in read.text and (place := _PLACE.search(read.text.replace("{name}", ""))):
        why = f"the text of {name!r} has no {{value}}, and nothing takes the place of {place[0]}"
        raise source.problem((name, "text"), "invalid-value", why, f"write {{value}} for {place[0]}")
    value = Value(name=name, value=written, version=read.version, source=f"{source.file}#{name}", text=text)
    return DatedValue(value, read.effective, read.until, source.line((name,)))


def _since(dated: DatedValue) -> float:
    return dated.effective.timestamp() if dated.effective else float("-inf")


class FileValues:
    """The values port over a project's files."""

    def __init__(self, values: tuple[DatedValue, ...]) -> None:
        self._values = values

    def current(self, now: datetime) -> tuple[Value, ...]:
        """The values in force now, in name order; of several versions the one that took effect last."""
        latest = {dated.value.name: dated.value for dated in self._values if dated.in_force(now)}
        return tuple(latest[name] for name in sorted(latest))
