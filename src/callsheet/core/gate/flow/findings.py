"""What stands against the arguments of a call, each with the value, the item it comes from and the place there."""

from collections.abc import Iterator
from itertools import chain, islice
from typing import NamedTuple

from ....model.label import Label
from ...text.hidden import shown
from ..grounds import Case, Grounds
from .days import day_of
from .leaves import argument_names, declared_names, leaves, text_of
from .lending import Lending, lending
from .matching import Sought, named_at
from .outgoing import carried, untrusted_links
from .tracing import loose
from .words import Span

MOST = 20
"""Findings of one call, each with where it comes from; a person who sees so many needs no more of them."""
_AROUND = 30
_FOREIGN = frozenset({"evidence", "event", "memory", "observation"})
"""Kinds of items that a link may come from: an entry of a registry may hold a foreign one, too."""


class Finding(NamedTuple):
    """A part of an argument that a person must see. `origin` is None where nothing that was read holds the value."""

    rule: str
    argument: str
    value: str
    label: Label
    origin: str | None = None
    span: Span | None = None
    excerpt: str = ""

    def __str__(self) -> str:
        where = "it stands in nothing that was read"
        if self.origin is not None and self.span is not None:
            where = f"it stands in {self.origin} ({_told(self.label)}) at {self.span[0]}-{self.span[1]}: {self.excerpt}"
        return f"{shown(self.argument)}={self.value!r}: {where}"


def findings(case: Case) -> tuple[Finding, ...]:
    """What information flow has against a call: first authority, then what it tells, then links; `MOST` of it."""
    lent = lending(case.grounds)
    return tuple(islice(chain(_authority(case, lent), _told_too_much(case), _links(case, lent)), MOST))


def _authority(case: Case, lent: Lending) -> Iterator[Finding]:
    contract, arguments = case.contract, case.call.arguments
    declared = declared_names(contract.input_schema)
    for name in dict.fromkeys((*contract.authority, *contract.time)):
        about = Sought("", case.grounds.today, name, case.call.tool)
        for value in loose(about, arguments.get(name), lent, declared):
            yield _found("untrusted-argument", name, value, case.grounds)
    for name in _unheard_of(case):  # it may mean anything: its name needs authority as its value does
        for value in loose(Sought("", case.grounds.today, name), {name: arguments[name]}, lent):
            yield _found("untrusted-argument", name, value, case.grounds)


def _unheard_of(case: Case) -> tuple[str, ...]:
    """The arguments that neither the schema nor the contract names; where a schema names none, the contract does."""
    contract = case.contract
    said = (*contract.authority, *contract.content, *contract.time)
    named = argument_names(contract.input_schema)
    return tuple(each for each in case.call.arguments if each not in named.union(said)) if named or not said else ()


def _told_too_much(case: Case) -> Iterator[Finding]:
    kept = [item for item in case.grounds.items if not item.label.cleared(case.contract.clearance)]
    for name, value in _contents(case):
        for item in kept:
            secret = item.label.confidentiality == "secret"
            place = carried(value, text_of(item), secret)
            if place is not None and named_at(Sought(place.value), case.grounds.question) is None:
                span, excerpt = place.span, _excerpt(text_of(item), place.span)
                yield Finding("content-above-clearance", name, place.value, item.label, item.item_id, span, excerpt)


def _links(case: Case, lent: Lending) -> Iterator[Finding]:
    read = tuple(text_of(item) for item in case.grounds.items if item.kind in _FOREIGN)
    for name, value in _contents(case):
        for link in untrusted_links(value, lent.texts, read):
            if not lent.entered(Sought(link, argument=name), link):
                yield _found("untrusted-link", name, link, case.grounds)


def _contents(case: Case) -> Iterator[tuple[str, str]]:
    """The texts that a call hands over: declared content, and all that an external call does not trace."""
    contract = case.contract
    declared = declared_names(contract.input_schema)
    for name, value in case.call.arguments.items():
        untold = contract.effects == "external" and name not in (*contract.authority, *contract.time)
        if name in contract.content or untold:
            for leaf in leaves(value, declared):
                yield name, leaf


def _found(rule: str, argument: str, value: str, grounds: Grounds) -> Finding:
    """The finding with the first item that holds the value, the least trusted before others."""
    for item in sorted(grounds.items, key=lambda each: each.label.integrity == "trusted"):
        span = named_at(Sought(value, grounds.today if day_of(value) else None), text_of(item))
        if span is not None:
            return Finding(rule, argument, value, item.label, item.item_id, span, _excerpt(text_of(item), span))
    return Finding(rule, argument, value, Label())


def _excerpt(text: str, span: Span) -> str:
    """What stands around a place, so that nothing of it is hidden from a person or obeyed by a terminal."""
    start, end = max(0, span[0] - _AROUND), span[1] + _AROUND
    told = shown(" ".join(text[start:end].split()))
    return f"{'…' if start else ''}{told}{'…' if end < len(text) else ''}"


def _told(label: Label) -> str:
    return f"{label.integrity}, {label.confidentiality}"
