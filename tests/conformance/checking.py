"""What one recorded exchange shows of the product: that it is read and written back as it was, and read right.

Every exchange ends as equal, as an exception with a reason from a closed list, or as a difference that names itself.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from callsheet.core.render.dialects import DIALECTS, read_response
from callsheet.core.render.writer import segments
from callsheet.edges.providers.remote import figure
from callsheet.model.message import Reply, Response
from callsheet.model.policy import DialectName, ModelTraits
from callsheet.model.prompt import Prompt

from .reading import Reading, broken_off, read
from .recordings import Exchange
from .sdk import sdk_tokens
from .typed import only_typed, unknown_blocks

Reason = Literal["error-response", "no-response", "no-request", "broken-stream"]
"""Why an exchange shows less: the provider refused (its error is read as one), or the recording lacks a part of it."""
MOST = 0.02
"""The share of exchanges that may be exceptions."""
PERMISSIVE = ModelTraits(system_turns=True, prefill=True, interleaved_calls=True, schema_with_tools=True, cache_marks=4)
"""A model that takes what any model of its dialect takes: which one was asked is not the question here."""
RULES: tuple[tuple[DialectName, str, frozenset[str]], ...] = (
    ("openai_responses", "no tool output found for", frozenset(("call-unanswered",))),
    ("openai_responses", "no tool call found for", frozenset(("result-without-call",))),
    ("openai_chat", "must be followed by tool messages", frozenset(("call-unanswered",))),
    ("openai_chat", "must be a response to a preceding message with 'tool_calls'", frozenset(("result-without-call",))),
    ("anthropic", "`tool_use` ids were found without `tool_result`", frozenset(("call-unanswered",))),
    ("anthropic", "unexpected `tool_use_id` found in `tool_result`", frozenset(("result-without-call",))),
)
"""Words of a provider's refusal, and the rule of ours that says the same before anything is sent."""
COUNT: Mapping[DialectName, str] = {"gemini": "totalTokens"}


@dataclass(slots=True)
class Outcome:
    """What came of one exchange: differences, in words, and at most one reason why it shows less."""

    place: str
    dialect: DialectName
    differences: list[str] = field(default_factory=list)
    reason: Reason | None = None


@dataclass(slots=True)
class Tally:
    """Exchanges of one dialect: how many there are, are equal, are exceptions, and what differs."""

    exchanges: int = 0
    equal: int = 0
    reasons: Counter[Reason] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)


def check(exchange: Exchange) -> Outcome:
    """The outcome of one exchange."""
    outcome = Outcome(exchange.place, exchange.dialect)
    if not isinstance(exchange.request, dict):
        outcome.reason = "no-request"
        return outcome
    try:
        prompt = DIALECTS[exchange.dialect].decode(exchange.request)
    except ValueError as error:
        outcome.differences.append(f"the request is refused: {error}")
        return outcome
    outcome.differences += [*_request(exchange, prompt), *_legality(exchange, prompt)]
    if exchange.status >= 400:
        outcome.reason = "error-response"
        outcome.differences += _error(exchange)
    elif not exchange.response:
        outcome.reason = "no-response"
    elif exchange.kind == "count":
        outcome.differences += _count(exchange)
    elif broken_off(exchange):
        outcome.reason = "broken-stream"
        outcome.differences += _error(exchange)
    else:
        outcome.differences += _response(exchange)
    return outcome


def tallied(outcomes: Iterable[Outcome]) -> dict[DialectName, Tally]:
    """The outcomes added up, per dialect; an exchange with a difference is not equal, whatever its reason."""
    tallies: dict[DialectName, Tally] = {each: Tally() for each in get_args(DialectName)}
    for outcome in outcomes:
        tally = tallies[outcome.dialect]
        tally.exchanges += 1
        tally.differences += [f"{outcome.place}: {each}" for each in outcome.differences]
        if outcome.reason:
            tally.reasons[outcome.reason] += 1
        elif not outcome.differences:
            tally.equal += 1
    return tallies


def written(prompt: Prompt, dialect: DialectName) -> Any:
    """The request's JSON as the product's own writer writes it."""
    return json.loads(b"".join(each.data for each in segments(DIALECTS[dialect].encode(prompt))))


def _request(exchange: Exchange, prompt: Prompt) -> Iterator[str]:
    if prompt.unknown:
        yield f"fields that no table lists: {', '.join(prompt.unknown)}"
    if unknown_blocks(prompt.messages) or unknown_blocks(prompt.system):
        yield "a block that no table lists"
    for name, each in {"back": prompt, "from typed fields alone": only_typed(prompt, exchange.dialect)}.items():
        try:
            again = written(each, exchange.dialect)
        except (ValueError, KeyError) as error:
            again = f"{type(error).__name__}: {error}"
        if not same(again, exchange.request):
            yield f"the request is written otherwise {name}{_first(again, exchange.request)}"


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: 1 and 1.0 and true are three values."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _first(one: Any, other: Any, path: str = "") -> str:
    """Where two values differ first."""
    if isinstance(one, dict) and isinstance(other, dict):
        key = next((each for each in (*other, *one) if not same(one.get(each), other.get(each))), None)
        return _first(one.get(key), other.get(key), f"{path}.{key}") if key is not None else f" at {path}"
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        at = next(at for at, pair in enumerate(zip(one, other, strict=True)) if not same(*pair))
        return _first(one[at], other[at], f"{path}[{at}]")
    return f" at {path}"


def _legality(exchange: Exchange, prompt: Prompt) -> Iterator[str]:
    """What the provider took is legal for some model; what it refused by a rule of ours is not, for a careful one."""
    illegal = DIALECTS[exchange.dialect].illegal
    taken, refusal = illegal(prompt, PERMISSIVE), illegal(prompt, ModelTraits())
    if exchange.status == 200 and taken is not None:
        yield f"the provider took what {taken.rule} refuses: {taken.why}"
    words = json.dumps(exchange.response).lower() if exchange.status >= 400 else ""
    for dialect, said, rules in RULES:
        if dialect == exchange.dialect and said.lower() in words and (refusal is None or refusal.rule not in rules):
            yield f"the provider refused what {' or '.join(rules)} should: {refusal}"


def _error(exchange: Exchange) -> Iterator[str]:
    said = exchange.response.get("error") if isinstance(exchange.response, Mapping) else None
    message = said.get("message", "") if isinstance(said, Mapping) else ""
    try:
        read_response(exchange.body, exchange.dialect)
    except ValueError as error:
        if str(message) not in str(error):
            yield f"the provider's error is not told: {error}"
    else:
        yield "what is no reply is read as one"


def _count(exchange: Exchange) -> Iterator[str]:
    key = COUNT.get(exchange.dialect, "input_tokens")
    if figure(Reply(exchange.body), key) != exchange.response[key]:
        yield "the count is read otherwise"


def _response(exchange: Exchange) -> Iterator[str]:
    try:
        response = read_response(exchange.body, exchange.dialect)
    except ValueError as error:
        yield f"the response is refused: {error}"
        return
    yield from misread(response, exchange)


def misread(response: Response, exchange: Exchange) -> Iterator[str]:
    """What our reading of a response has otherwise than the independent one, and than the provider's own SDK."""
    try:
        ours, theirs, official = _ours(response), read(exchange), sdk_tokens(exchange)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        yield f"it cannot be read a second time: {type(error).__name__}: {error}"
        return
    for name in ("text", "calls", "tokens"):
        one, other = getattr(ours, name), getattr(theirs, name)
        if not same(one, other):
            yield f"{name}: {str(one)[:200]!r}, by the other reading {str(other)[:200]!r}"
    if official is not None and ours.tokens != official:
        yield f"tokens: {ours.tokens}, by the provider's own SDK {official}"


def _ours(response: Response) -> Reading:
    """Our reading in the form of the other."""
    calls = tuple(
        (call.id, call.name, call.written if call.arguments is None else call.arguments)
        for call in response.message.calls
    )
    used = response.usage
    return Reading(response.message.text, calls, (used.input, used.cached_read, used.cache_write, used.output))
