"""Information flow: where the value of an argument with authority comes from (I1, invariant 5)."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ..model.task import TaskState

_TOKEN = re.compile(r"[^\s\"'`<>()\[\]{},;“”„‚‘’]+")
_EDGE = ".:!?"


def trusted_texts(question: str, state: TaskState) -> tuple[str, ...]:
    """The texts that may lend authority: the user's words and the canonical state. Nothing retrieved is among them."""
    resources = (name for names in state.resources.values() for name in names)
    return (question, state.goal, *state.facts.values(), *resources)


def untraced(value: Any, trusted: Iterable[str]) -> tuple[str, ...]:
    """The parts of an argument that stand in no trusted text; every element of a list or object must stand there.

    A value matches whole tokens only: `13` is not in `113`, and `ok.example` is not in `ok.example.evil.test`.
    """
    known = [_tokens(text) for text in trusted]
    return tuple(leaf for leaf in _leaves(value) if not any(_within(_tokens(leaf), text) for text in known))


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for each in value.values():
            yield from _leaves(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _leaves(each)
    elif isinstance(value, bool) or value is None:
        return  # a switch names nobody and nothing
    elif str(value).strip():
        yield str(value)


def _tokens(text: str) -> tuple[str, ...]:
    return tuple(_number(token.strip(_EDGE)) for token in _TOKEN.findall(text.casefold()) if token.strip(_EDGE))


def _number(token: str) -> str:
    try:
        return format(float(token), "g")
    except ValueError:
        return token


def _within(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    width = len(part)
    return width > 0 and any(whole[start : start + width] == part for start in range(len(whole) - width + 1))
