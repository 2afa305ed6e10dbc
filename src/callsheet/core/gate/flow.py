"""Information flow: where the value of an argument with authority comes from (I1, invariant 5)."""

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

from ...model.task import TaskState

# The sign of a currency is a word of its own: `$20` lends 20, and not 20 of another.
_TOKEN = re.compile(r"[$€£¥]|(?:[^\s\"'`<>()\[\]{},;“”„‚‘’$€£¥]|(?<=\d),(?=\d))+")
_EDGE = ".:!?"
_ROUND = re.compile(r"(-?(?:0|[1-9][0-9]*))\.([0-9]{1,2})")


def trusted_texts(question: str, state: TaskState) -> tuple[str, ...]:
    """The texts that may lend authority: the user's words and the canonical state. Nothing retrieved is among them."""
    resources = (name for names in state.resources.values() for name in names)
    return (question, state.goal, *state.facts.values(), *resources)


def untraced(value: Any, trusted: Iterable[str], declared: Set[str] = frozenset()) -> tuple[str, ...]:
    """The parts of an argument that stand in no trusted text; every element of a list or object must stand there.

    A value matches whole tokens only: `13` is not in `113`, and `ok.example` is not in `ok.example.evil.test`. A key of
    an object is a part as well, unless the tool's schema declares it.
    """
    known = [_tokens(text) for text in trusted]
    leaves = _leaves(value, declared)
    return tuple(leaf for leaf in leaves if not any(_within(_tokens(leaf), text) for text in known))


def declared_names(schema: Any) -> frozenset[str]:
    """Every property name of a JSON schema, at any depth: the author's words, so they name nobody."""
    if isinstance(schema, Mapping):
        own = schema.get("properties")
        names = frozenset(own) if isinstance(own, Mapping) else frozenset[str]()
        return names.union(*map(declared_names, schema.values()))
    return frozenset().union(*map(declared_names, schema)) if isinstance(schema, (list, tuple)) else frozenset()


def _leaves(value: Any, declared: Set[str]) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from (str(key) for key in value if key not in declared)
        for each in value.values():
            yield from _leaves(each, declared)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _leaves(each, declared)
    elif isinstance(value, bool) or value is None:
        return  # a switch names nobody and nothing
    elif str(value).strip():
        yield str(value)


def _tokens(text: str) -> tuple[str, ...]:
    return tuple(_number(token.strip(_EDGE)) for token in _TOKEN.findall(text.casefold()) if token.strip(_EDGE))


def _number(token: str) -> str:
    """`20.00` and `20.0` are `20`; nothing else is: `0042` and `1.000` may name another thing than `42` and `1`."""
    found = _ROUND.fullmatch(token)
    if found is None:
        return token
    whole, part = found.group(1), found.group(2).rstrip("0")
    return f"{whole}.{part}" if part else whole


def _within(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    width = len(part)
    return width > 0 and any(whole[start : start + width] == part for start in range(len(whole) - width + 1))
