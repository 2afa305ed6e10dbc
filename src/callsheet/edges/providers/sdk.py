"""The official SDKs under an endpoint: they give address, credentials and headers; the bytes and the retries are ours.

Their own retries are switched off: they send again after a connection that broke once the request had left, and after
a 500. What they would read from the environment is set here, because only the host reads it.
"""

from collections.abc import Callable, Mapping
from typing import Any

import httpx2

from .endpoint import Send

Headers = Callable[[bytes | None], Mapping[str, str]]
"""The headers that a request with this body needs."""


def sending(sdk: Any, client: Any, headers: Headers = lambda _: {}) -> Send:
    """The way of sending of an SDK's async client, with the headers a body needs and none of the environment's."""
    client._custom_headers = {}  # it has put those of <PROVIDER>_CUSTOM_HEADERS there

    async def send(method: str, path: str, body: bytes | None) -> httpx2.Response:
        options = {"headers": dict(headers(body))}
        raw = {"cast_to": httpx2.Response, "stream": True, "stream_cls": sdk.AsyncStream, "options": options}
        try:
            response = await (client.get(path, **raw) if body is None else client.post(path, content=body, **raw))
        except sdk.APIStatusError as error:
            response = error.response
        except sdk.APIConnectionError as error:
            raise error.__cause__ or error from None
        assert isinstance(response, httpx2.Response), "that is what it was asked for"
        return response

    return send
