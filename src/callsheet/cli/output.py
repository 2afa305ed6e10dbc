"""How results leave: one JSON document on stdout, or plain text for a person. Notes go to stderr."""

import dataclasses
import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from enum import Enum
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .group import EXIT_FAILED, Settings

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What foreign text must not send to a terminal: escape sequences could rewrite what a person reads, and changes of the
writing direction its order."""

HALVES = re.compile(r"[\ud800-\udfff]")
"""Halves of characters: JSON can hold one alone, UTF-8 cannot, so it can be neither printed nor stored."""

PIPED_COLUMNS, LABEL_COLUMNS = 160, 12
PIECES = 10_000
"""Of a JSON document, a few bytes each, that are written at a time."""


def plain(value: Any) -> Any:
    """A value as JSON knows it: nouns become objects, moments ISO 8601, bytes text; rendered fragments are left out.

    What every reader of JSON must take: half a character becomes the replacement character, a number that is none null.
    """
    if value is None or type(value) is int:
        return value  # what most values are
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, str):
        return value if value.isascii() else HALVES.sub("\N{REPLACEMENT CHARACTER}", value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: plain(getattr(value, name)) for name in _fields(type(value))}
    if isinstance(value, Mapping):
        return {plain(str(key)): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(inner) for inner in (sorted(value) if isinstance(value, set | frozenset) else value)]
    return _scalar(value)


@cache
def _fields(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind) if field.name != "fragment")


def _scalar(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return plain(str(value)) if isinstance(value, Path) else value


def emit(settings: Settings, document: Any, human: Callable[[Console, Any], None]) -> None:
    """Prints a document: as JSON where `--json` was given, else the way `human` writes it."""
    document = plain(document)
    if settings.json:
        # Some pieces at a time: all those of a long session's report take many times the room of its text.
        pieces = json.JSONEncoder(ensure_ascii=False, indent=2).iterencode(document)
        while written := "".join(islice(pieces, PIECES)):
            sys.stdout.write(written)
        sys.stdout.write("\n")
    else:
        width = None if sys.stdout.isatty() else PIPED_COLUMNS
        human(Console(width=width, highlight=False, emoji=False, markup=False, soft_wrap=True), document)


def fail_unless(good: bool) -> None:
    """Leaves with exit code 1, that of a failed check, unless the check was good."""
    if not good:
        click.get_current_context().exit(EXIT_FAILED)


def note(text: str) -> None:
    """Says something to the person at the terminal, beside the result."""
    print(CONTROL.sub("\N{REPLACEMENT CHARACTER}", text), file=sys.stderr)


def pairs(console: Console, rows: Iterable[tuple[str, Any]]) -> None:
    """Prints `name  value` lines; empty values are left out, lists take a line per entry."""
    filled = [(name, value) for name, value in rows if value not in (None, "", [], {})]
    width = max([LABEL_COLUMNS, *(len(name) for name, _ in filled)])
    for name, value in filled:
        entries = value if isinstance(value, list) else [value]
        for index, entry in enumerate(entries):
            label = Text(f"{name if index == 0 else '':<{width}} ", style="bold")
            console.print(label.append(shown(entry), style="not bold"))


def table(console: Console, columns: Iterable[str], rows: Iterable[Iterable[Any]], title: str = "") -> None:
    """Prints a plain table; nothing at all where it has no rows."""
    listed = [[shown(cell) for cell in row] for row in rows]
    if not listed:
        return
    made = Table(
        title=title or None, title_justify="left", box=None, pad_edge=False, header_style="bold", title_style="bold"
    )
    for column in columns:
        made.add_column(column, overflow="fold")
    for row in listed:
        made.add_row(*map(Text, row))
    if console.is_terminal:
        console.print(made, soft_wrap=False)
        return
    with console.capture() as written:
        console.print(made, soft_wrap=False)
    # Rich fills the last column up; in a pipe or a file those blanks are somebody's noise.
    for line in written.get().splitlines():
        console.print(Text(line.rstrip()), soft_wrap=True)


def shown(value: Any) -> str:
    """A value as a person reads it: numbers short, objects as `name=value`, nothing as a dash."""
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{shown(key)}={shown(inner)}" for key, inner in value.items())
    return (
        ", ".join(map(shown, value))
        if isinstance(value, list)
        else CONTROL.sub("\N{REPLACEMENT CHARACTER}", str(value))
    )
