"""One row of a recording, whoever made it, as an exchange: address, request, response, and when it was.

Rows of cassettes, of proxies and of loggers differ in where they put the bodies: beside `request` and `response`, in
their `body`, `content` or `text`, or as text in `string`; or they are the fields of a request themselves.
"""

import base64
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ..shared.rows import number, seconds
from .apis import SPOKEN, parsed

Raw = Mapping[str, Any]
BODIES = ("body", "content", "text", "postData", "json")
LISTS = ("interactions", "http_interactions", "exchanges", "entries")
TIMES = (
    "timestamp",
    "at",
    "startTime",
    "start_time",
    "startedDateTime",
    "recorded_at",
    "created_at",
    "timestamp_start",
)
LOGGED = frozenset(("id", "model", "messages", "response", "model_parameters", "call_type"))


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and what came back, as JSON values; `error` is what a log says came instead.

    `usage` are the figures that the recording itself noted beside the response.
    """

    request: Any
    response: Any
    uri: str = ""
    method: str = ""
    status: int = 200
    at: float | None = None
    error: str = ""
    name: str = ""
    usage: Any = None
    cost: float | None = None


def exchanges(row: Any) -> Iterator[Exchange]:
    """The exchanges in one row: usually one, none where it is not a recording, many in an archive such as HAR."""
    if not isinstance(row, Mapping):
        return
    log = row.get("log")
    inner = log if isinstance(log, Mapping) else row
    found = next((inner[key] for key in LISTS if isinstance(inner.get(key), list)), None)
    if found is not None and "request" not in row:
        for each in found:
            yield from exchanges(each)
    elif "request" in row:
        yield _recorded(row)
    elif "messages" in row and "response" in row and LOGGED & row.keys() >= {"model", "response"}:
        yield _logged(row)
    elif is_request(row):
        yield Exchange(row, None)


def is_request(row: Any) -> bool:
    """True for the body of a request itself, which names a model and what it is asked."""
    if not isinstance(row, Mapping):
        return False
    if isinstance(row.get("contents"), list):
        return True
    return isinstance(row.get("model"), str) and any(isinstance(row.get(key), list | str) for key in SPOKEN)


def _recorded(row: Raw) -> Exchange:
    request, response = row["request"], row.get("response")
    asked, answered = _http(request), _http(response)
    uri = _first_text(row, "uri", "url") or _uri(asked)
    method = _first_text(row, "method") or _first_text(asked, "method")
    error = row.get("error")
    return Exchange(
        _body(request, asked),
        _body(response, answered),
        uri,
        method.upper(),
        _status(row, answered),
        time_of(row) or time_of(asked),
        _error(error),
        _first_text(row, "id", "request_id", "call_id"),
        row.get("usage"),
        _number(row, "cost", "response_cost"),
    )


def _logged(row: Raw) -> Exchange:
    """A row of a logger such as LiteLLM's, which keeps the fields of a request beside its response."""
    more = row.get("model_parameters") or row.get("optional_params") or {}
    more = more if isinstance(more, Mapping) else {}
    request = {"model": row["model"], "messages": row["messages"], **more}
    return Exchange(
        request,
        parsed(row["response"]),
        at=time_of(row),
        error=_error(row.get("error_str") or row.get("exception")),
        name=_first_text(row, "id"),
        cost=_number(row, "response_cost", "cost"),
    )


def _http(side: Any) -> Raw:
    """A side of an exchange where it is a HTTP message, not a body itself."""
    if not isinstance(side, Mapping):
        return {}
    spoken = ("headers", "method", "url", "uri", "status_code", "status", "host", "path")
    return (
        side
        if any(key in side for key in BODIES) and any(key in side for key in spoken) and "model" not in side
        else {}
    )


def _body(side: Any, http: Raw) -> Any:
    if not http:
        return parsed(side)
    return _text_of(next((http[key] for key in BODIES if http.get(key) is not None), None))


def _text_of(body: Any) -> Any:
    """A body's JSON: as it stands, in a text, or in one of the wrappers that recorders put around it."""
    if isinstance(body, Mapping):
        for key in ("string", "text"):
            if isinstance(body.get(key), str) and not _asks(body):
                return parsed(_decoded(body[key]) if body.get("encoding") == "base64" else body[key])
        if isinstance(body.get("base64_string"), str):
            return parsed(_decoded(body["base64_string"]))
    return parsed(body)


def _asks(body: Raw) -> bool:
    return any(key in body for key in SPOKEN)


def _decoded(text: str) -> str:
    with suppress(ValueError):
        return base64.b64decode(text).decode("utf-8", "replace")
    return text


def _uri(asked: Raw) -> str:
    uri = _first_text(asked, "uri", "url")
    if uri or "host" not in asked:
        return uri
    return f"{asked.get('scheme') or 'https'}://{asked['host']}{asked.get('path') or ''}"


def _status(row: Raw, answered: Raw) -> int:
    for side in (row, answered):
        for key in ("status", "status_code"):
            said = side.get(key)
            said = said.get("code") if isinstance(said, Mapping) else said
            if type(said) is int:
                return said
    return 200


def _error(said: Any) -> str:
    if isinstance(said, Mapping):
        said = said.get("message") or said.get("error") or said
    return str(said) if said else ""


def time_of(row: Raw) -> float | None:
    """When it was, in seconds since 1970; None where the row does not say."""
    value = next((row[key] for key in TIMES if row.get(key) is not None), None)
    return seconds(value)


def _first_text(row: Raw, *keys: str) -> str:
    return next((row[key] for key in keys if isinstance(row.get(key), str)), "")


def _number(row: Raw, *keys: str) -> float | None:
    return next((found for key in keys if (found := number(row.get(key))) is not None), None)
