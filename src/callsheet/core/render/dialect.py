"""A dialect: one provider's language as a record of pure functions, the same for all of them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...model.message import Response, Usage
from ...model.policy import ModelTraits
from ...model.prompt import Delta, Prompt
from ...model.verdict import Verdict
from .sse import Event

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one provider is written to and read.

    `decode` reads a request body's JSON; ValueError where it is no request of the dialect. `encode` gives the body as a
    tree for the writer, whose leaves may be owned texts; `decode` of it is the same prompt again. `illegal` is the
    refusal that names the documented rule a prompt breaks, or None. `response` reads a response's JSON; ValueError
    names what is missing. `accumulate` makes that JSON of a stream's events; ValueError where the stream broke off or
    reports an error. `deltas` are the pieces in one event, for showing a reply while it comes.
    """

    name: str
    decode: Callable[[Json], Prompt]
    encode: Callable[[Prompt], dict[str, Any]]
    illegal: Callable[[Prompt, ModelTraits], Verdict | None]
    response: Callable[[Json], Response]
    accumulate: Callable[[Iterable[Event]], Json]
    deltas: Callable[[Event], Iterable[Delta]]
    usage: Callable[[Any], Usage]
