"""Records that the user named: whoever says `Dental check-up` means the id of the one event of that title.

A tool's contract says by which of its result fields a person names a record (`names`) and which of them may then carry
authority (`keys`). Everybody can write a record of any name, so a name that fits two records fits none.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ....model.item import ContextItem
from ....model.tool import Observation, ToolContract
from ..grounds import Grounds
from .leaves import entry, leaves, mappings
from .numbers import akin
from .words import Span, Word, parts, place

_FEWEST = 2
"""Words that a part of a name must have to stand for the whole of it."""
_SHORTEST = 4


class Named(NamedTuple):
    """A record that the question names at `span`: by its whole name, or by the beginning of it."""

    span: Span
    whole: bool
    keys: Mapping[str, Any]


def named_keys(grounds: Grounds) -> dict[str, frozenset[tuple[str, ...]]]:
    """Field name → the entries it lends, of records that the question names beyond doubt."""
    asked = parts(grounds.question)
    meant: dict[Span, list[Named]] = defaultdict(list)
    for item in grounds.items:
        for each in _named(item, grounds, asked):
            meant[each.span].append(each)
    lent: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for candidates in meant.values():
        best = [each for each in candidates if each.whole] or candidates
        if any(each.keys != best[0].keys for each in best):
            continue  # two records of one name
        for name, value in best[0].keys.items():
            lent[name].update(
                map(entry, leaves(value, frozenset(value) if isinstance(value, Mapping) else frozenset()))
            )
    return {name: frozenset(entries) for name, entries in lent.items()}


def kin(argument: str, field: str, value: str) -> bool:
    """Whether an argument may take what a field holds: they share a word of their names, or it is an address."""
    return "@" in value or akin(argument, field)


def _named(item: ContextItem, grounds: Grounds, asked: tuple[Word, ...]) -> Iterator[Named]:
    if not isinstance(item.record, Observation) or item.record.status != "ok":
        return
    contract = grounds.reader(item.record.tool)
    if contract is None or not contract.names:
        return
    for record in mappings(item.record.result):
        keys = {name: record[name] for name in contract.keys if name in record}
        for name in contract.names:
            said = _said(str(record.get(name, "")), asked, grounds.question, _address(keys)) if keys else None
            if said is not None:
                yield Named(*said, keys)


def _said(name: str, asked: tuple[Word, ...], question: str, proper: bool) -> tuple[Span, bool] | None:
    """Where the question says the name, and whether whole; a file may go without its ending."""
    whole = parts(name)
    stem = whole[:-1] if "." in name and len(whole) > 1 and len(whole[-1].text) <= _SHORTEST else whole
    for sought in (whole, stem):
        span = place(sought, asked)
        if span is not None and (len(sought) >= _FEWEST or len(sought[0].text) >= _SHORTEST):
            return (span, True) if not proper or _as_name(question, span) else None
    for width in range(len(stem) - 1, _FEWEST - 1, -1):
        span = place(stem[:width], asked)
        if span is not None and not proper:
            return span, False
    return None


def _address(keys: Mapping[str, Any]) -> bool:
    return any("@" in each for value in keys.values() for each in leaves(value))


def _as_name(question: str, span: Span) -> bool:
    """True where the question writes it as a name: in quotes, or two words or more, each with a capital.

    Whoever can add a contact chooses its name, and must not find one in words that everybody says.
    """
    start, end = span
    if question[:start].rstrip()[-1:] in "'\"“„‘«" and start > 0 and question[end : end + 1] in tuple("'\"”“’»"):
        return True
    said = parts(question[start:end])
    return len(said) >= _FEWEST and all(question[start:end][each.start].isupper() for each in said)


def contract_lends(contract: ToolContract | None) -> bool:
    """Whether everything that a tool returns is an entry of a closed registry."""
    return contract is not None and contract.returns.integrity == "trusted"
