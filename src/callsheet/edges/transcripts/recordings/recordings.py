"""Recorded API requests and responses: cassettes, proxies' and loggers' rows, or the body of a single request."""

from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any

from ....core.render.dialects import DIALECTS
from ....model.message import Response
from ....model.prompt import Prompt
from ....model.transcript import Accounted, Event, Fate, Reported
from ..format import Format, Record, Sample
from ..shared.requests import Call, Conversations
from ..shared.rows import text
from .apis import Api, api_of, endpoint_of, is_known, model_of, parsed, path_of, read_reply, read_request
from .exchanges import LISTS, Exchange, exchanges, is_request

STATE = ("previous_response_id", "previous_interaction_id", "conversation")


def refuses(sample: Sample) -> str:
    """Why a sample holds no recorded requests, "" where it does."""
    if sample.shape == "object":
        return "" if _recorded(sample.members) else "no request and response, and no request body, is in it"
    if not sample.records:
        return "it has no records"
    found = sum(_recorded(each) for each in sample.records)
    return "" if 2 * found >= len(sample.records) else "most of its records hold no request with its response"


def _recorded(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    if any(isinstance(value.get(key), list) for key in LISTS):
        return any(_recorded(each) for key in LISTS for each in value.get(key) or ())
    if isinstance(value.get("log"), Mapping) and "entries" in value["log"]:
        return True
    if "request" in value:
        return isinstance(value["request"], Mapping | str) and ("response" in value or "uri" in value)
    return is_request(value) or ("model_parameters" in value and "messages" in value and "response" in value)


def read(records: Iterable[Record]) -> Iterator[Event]:
    """The events of recorded exchanges, in their order."""
    conversations = Conversations()
    for record in records:
        if record.index < 0:
            continue
        kinds = set[str]()
        for number, exchange in enumerate(exchanges(record.value)):
            kind = yield from _exchange(exchange, record.index, f"{record.index}.{number}", conversations)
            kinds.add(kind)
        fate: Fate = "kept" if kinds and not any(each.startswith("?") for each in kinds) else "unknown"
        yield Accounted(record=record.index, fate=fate, type=", ".join(sorted(each.lstrip("?") for each in kinds)))
    yield from conversations.end()


def _exchange(exchange: Exchange, record: int, place: str, conversations: Conversations) -> Generator[Event, None, str]:
    """The events of one exchange; it comes back with the name of what it is, after a "?" where not all is known."""
    request = parsed(exchange.request)
    api = None if exchange.method not in ("", "POST") else api_of(exchange.uri, request, parsed(exchange.response))
    if api is None:
        named = f"{exchange.method} {path_of(exchange.uri)}".strip() or "exchange"
        yield from _beside(exchange, record, place)
        return named if is_known(exchange.uri) or exchange.method not in ("", "POST") else f"?{named}"
    prompt, lost = read_request(api, exchange.uri, request)
    yield from conversations.take(_call(exchange, api, request, prompt, record, exchange.name or place))
    return f"?{api.name} without {', '.join(lost)}" if lost else api.name


def _beside(exchange: Exchange, record: int, place: str) -> Iterator[Event]:
    """What an exchange that is no model call used, as an embedding does, or a summary the provider made: it is paid."""
    body = parsed(exchange.response)
    used = body.get("usage") if isinstance(body, Mapping) else None
    if isinstance(used, Mapping):
        dialect = DIALECTS["openai_chat" if "prompt_tokens" in used else "openai_responses"]
        yield Reported(record=record, at=exchange.at, usage=dialect.usage(used), response=str(body.get("id") or place))


def _call(
    exchange: Exchange, api: Api, request: Mapping[str, Any], prompt: Prompt | None, record: int, name: str
) -> Call:
    response, trouble = _reply(exchange, api, name)
    return Call(
        record=record,
        prompt=prompt,
        response=response,
        name=name,
        model=model_of(exchange.uri) or text(request.get("model")),
        endpoint=endpoint_of(exchange.uri),
        at=exchange.at,
        error=exchange.error or trouble,
        continues=_continues(request),
        comparable=api.comparable,
        cost=exchange.cost,
    )


def _continues(request: Mapping[str, Any]) -> str:
    value = next((request[key] for key in STATE if request.get(key)), "")
    return str(value.get("id") or "") if isinstance(value, Mapping) else str(value)


def _reply(exchange: Exchange, api: Api, name: str) -> tuple[Response | None, str]:
    if exchange.response in (None, ""):
        return None, "" if exchange.status < 400 else f"status {exchange.status}"
    return read_reply(api, parsed(exchange.response), name)


FORMAT = Format(
    name="recordings",
    title="recorded API requests and responses",
    refuses=refuses,
    read=read,
    entries=LISTS,
)
