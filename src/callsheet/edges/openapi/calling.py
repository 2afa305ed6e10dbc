"""Calling the operations of an HTTP API: the port `Tools` over httpx2."""

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any
from urllib.parse import quote

import httpx2

from ...core.gateway.results import clean_value
from ...core.tools.openapi import BODY, is_json
from ...model.operation import Operation, Placed
from ...model.request import RequestContext
from ...model.tool import RawResult, ToolCall, ToolContract

LARGEST = 2_000_000
"""Bytes of an answer that are read."""
SAID = 500
"""Characters of an error's body that are told."""


class ApiTools:
    """The tools of one API. The token is sent to `base_url` alone: no redirect is followed."""

    def __init__(
        self, operations: Iterable[Operation], base_url: str, timeout: float, token: str | None, token_header: str
    ) -> None:
        self._operations = {each.contract.name: each for each in operations}
        self._base, self._timeout = base_url.rstrip("/"), timeout
        value = f"Bearer {token}" if token_header.casefold() == "authorization" else token
        self._headers = {token_header: value} if token and value else {}

    @cached_property
    def _client(self) -> httpx2.Client:
        return httpx2.Client(timeout=self._timeout, headers=self._headers, follow_redirects=False)

    def contracts(self) -> tuple[ToolContract, ...]:
        """The contract of every operation, in name order."""
        return tuple(each.contract for each in self._operations.values())

    def execute(self, call: ToolCall, ctx: RequestContext) -> RawResult:
        """What the API answered. After an error on the way nobody can say whether a call that changes something ran."""
        operation = self._operations[call.tool]
        try:
            request = self._request(operation, call)
        except ValueError as error:
            return RawResult(failure="invalid-argument", detail=str(error))
        try:
            with self._client.stream(**request) as response:
                return _result(operation, response)
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout) as error:
            return RawResult(failure="unreachable", detail=_words(error))
        except httpx2.HTTPError as error:
            return RawResult(failure="no-answer", detail=_words(error), unknown=True)

    def _request(self, operation: Operation, call: ToolCall) -> dict[str, Any]:
        path, headers = operation.path, {"Accept": "application/json"}
        query: list[tuple[str, str]] = []
        for placed in operation.placed:
            if placed.argument not in call.arguments:
                continue
            value = call.arguments[placed.argument]
            if placed.place == "path":
                path = path.replace(f"{{{placed.argument}}}", _segment(placed, value))
            elif placed.place == "query":
                query.extend((placed.argument, each) for each in _listed(placed, value))
            else:
                headers[placed.argument] = ",".join(_listed(placed, value))
        if operation.key_header:
            headers[operation.key_header] = call.key
        request: dict[str, Any] = {
            "method": operation.method,
            "url": self._base + path,
            "params": query,
            "headers": headers,
        }
        if operation.body_type and BODY in call.arguments:
            headers["Content-Type"] = operation.body_type
            request["content"] = json.dumps(call.arguments[BODY], ensure_ascii=False).encode()
        return request


def _segment(placed: Placed, value: Any) -> str:
    """A value as one segment of a path, which leads nowhere else."""
    text = ",".join(_listed(placed, value))
    if text in ("", ".", ".."):
        raise ValueError(f"{placed.argument} = {text!r} names no part of a path")
    return quote(text, safe=",")


def _listed(placed: Placed, value: Any) -> list[str]:
    if isinstance(value, Mapping):
        raise ValueError(f"{placed.argument} takes no object")
    each = [_plain(one) for one in value] if isinstance(value, list) else [_plain(value)]
    return [",".join(each)] if placed.joined else each


def _plain(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    if any(ord(each) < 32 for each in text):
        raise ValueError("an argument holds a control character")
    return text


def _result(operation: Operation, response: httpx2.Response) -> RawResult:
    data = bytearray()
    for chunk in response.iter_bytes():
        data += chunk
        if len(data) > LARGEST:
            return RawResult(failure="too-large", detail=f"the answer has more than {LARGEST:,} bytes", unknown=True)
    text = data.decode(response.encoding or "utf-8", "replace")
    if response.status_code >= 300:
        # A server that broke off inside a change may have made it; what it refused it has not done.
        said = clean_value(" ".join(text[:SAID].split()))[0]
        return RawResult(failure=f"http-{response.status_code}", detail=said, unknown=response.status_code >= 500)
    if not text.strip():
        return RawResult({"status": response.status_code})
    if not is_json(response.headers.get("Content-Type", "")):
        return RawResult({"result": clean_value(text)[0]})
    try:
        value, _ = clean_value(json.loads(text))
    except ValueError:
        return RawResult(failure="unreadable", detail="the answer says that it is JSON, and is not", unknown=True)
    wrapped = set(operation.contract.output_schema.get("properties", ())) == {"result"}
    return RawResult(value if isinstance(value, dict) and not wrapped else {"result": value})


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
