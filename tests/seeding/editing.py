"""What an edit does to the units of a transcript, whatever its format.

    replace: {record, old, new}       every text of the record that holds `old`, wherever the format repeats it
    append:  {record, text}           at the end of the record's main text
    insert:  {after, steps}           new steps after a record; `after` is a record's number or a tag
    repeat:  {records: [a, b], times} copies of records, with ids of their own, after b
    drop:    {records: [a, b]}        the records are gone

`tag` on an edit or a step names what it made. A step is one of

    {person: text}  {harness: text}  {model: text}  {summary: text}
    {call: name, input: {...}, say: text, result: text, error: true}
    {times: n, steps: [...], vary: [...]}     `@` stands for the n-th of `vary`, `#` for n

A text may be {from: file, chars: [a, b]}: it is read from another file, so that it needs not stand here.
"""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Step = Mapping[str, Any]


@dataclass(slots=True)
class Unit:
    """One record of a transcript, or one message of a conversation on a line: its value, and where it comes from."""

    value: Any
    origin: int | None = None
    tags: set[str] = field(default_factory=set)
    kind: str = ""
    copied: int = 0


Make = Callable[[Step, Sequence[Unit]], list[Unit]]
"""Turns one plain step into units of a format; it is given the units before it."""


def edited(units: list[Unit], edits: Sequence[Mapping[str, Any]], make: Make, data: Path) -> list[Unit]:
    """The units after all edits."""
    for edit in edits:
        ((name, what),) = ((key, value) for key, value in edit.items() if key != "tag")
        units = EDITS[name](units, resolved(what, data), make, edit.get("tag", ""))
    return units


def at(units: Sequence[Unit], address: int | str) -> int:
    """Where the last unit of an address stands."""
    for index in range(len(units) - 1, -1, -1):
        if (units[index].origin == address and not units[index].copied) or address in units[index].tags:
            return index
    raise LookupError(f"there is no record or tag {address!r}")


def replace(units: list[Unit], what: Any, make: Make, tag: str) -> list[Unit]:
    unit = units[at(units, what["record"])]
    seen: list[int] = []
    unit.value = rewritten(unit.value, what["old"], what["new"], seen)
    if not seen:
        raise LookupError(f"record {what['record']} does not hold {what['old']!r}")
    unit.tags |= {tag} - {""}
    return units


def append(units: list[Unit], what: Any, make: Make, tag: str) -> list[Unit]:
    """The text goes to each place where the longest text of the record stands: formats keep results twice."""
    unit = units[at(units, what["record"])]
    longest = max(texts(unit.value), key=len)
    unit.value = rewritten(unit.value, longest, longest + what["text"], [])
    unit.tags |= {tag} - {""}
    return units


def insert(units: list[Unit], what: Any, make: Make, tag: str) -> list[Unit]:
    place = at(units, what["after"]) + 1
    before, after = units[:place], units[place:]
    for step in plain(what["steps"]):
        made = make(step, before)
        for unit in made:
            unit.tags |= {tag, step.get("tag", "")} - {""}
        before += made
    return before + after


def repeat(units: list[Unit], what: Any, make: Make, tag: str) -> list[Unit]:
    first, last = at(units, what["records"][0]), at(units, what["records"][1])
    stretch = [unit for unit in units[first : last + 1] if unit.origin is not None]
    copies = [
        Unit(copy.deepcopy(unit.value), unit.origin, unit.tags | {tag} - {""}, unit.kind, number)
        for number in range(1, what["times"] + 1)
        for unit in stretch
    ]
    return units[: last + 1] + copies + units[last + 1 :]


def drop(units: list[Unit], what: Any, make: Make, tag: str) -> list[Unit]:
    first, last = at(units, what["records"][0]), at(units, what["records"][1])
    return units[:first] + units[last + 1 :]


EDITS = {"replace": replace, "append": append, "insert": insert, "repeat": repeat, "drop": drop}


def plain(steps: Sequence[Step]) -> Iterator[Step]:
    """The steps, repetitions written out."""
    for step in steps:
        if "steps" not in step:
            yield step
            continue
        vary = step.get("vary", [""])
        for number in range(step["times"]):
            word = str(vary[number % len(vary)])
            for each in plain(step["steps"]):
                tagged = {**each, "tag": each.get("tag", "") or step.get("tag", "")}
                yield rewritten(rewritten(tagged, "@", word, []), "#", str(number + 1), [])


def resolved(value: Any, data: Path) -> Any:
    """The value, texts of other files in their places."""
    if isinstance(value, Mapping):
        if set(value) == {"from", "chars"}:
            start, end = value["chars"]
            return (data / value["from"]).read_text(encoding="utf-8", errors="replace")[start:end]
        return {key: resolved(each, data) for key, each in value.items()}
    if isinstance(value, list):
        return [resolved(each, data) for each in value]
    return value


def rewritten(value: Any, old: str, new: str, seen: list[int]) -> Any:
    """The value, a text replaced in each of its strings; `seen` gets one entry for each that held it."""
    if isinstance(value, str):
        if old in value:
            seen.append(1)
            return value.replace(old, new)
        return value
    if isinstance(value, Mapping):
        return {key: rewritten(each, old, new, seen) for key, each in value.items()}
    if isinstance(value, list):
        return [rewritten(each, old, new, seen) for each in value]
    return value


def texts(value: Any) -> Iterator[str]:
    """Every string of a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)
