"""One base address that speaks Chat Completions: sends bytes exactly as given and never raises.

| what happened | `error` | `unknown` |
|---|---|---|
| 2xx | empty | False |
| any other status | the status and the server's own words | False |
| no connection could be made | says so, after the retries | False |
| time-out before the request left | says so | False |
| time-out or broken connection once the request may have left | says so | True |
| `cancel` | says so | True |

A request is sent a second time only when the first surely never left: the connection could not be made.
"""

import asyncio
import concurrent.futures
import json
import ssl
import threading
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx2

from ...model.message import Reply

CONNECT_SECONDS = 10.0
RETRY_PAUSE_SECONDS = 0.2
ERROR_CHARACTERS = 500


def utc_now() -> datetime:
    """The present moment, aware."""
    return datetime.now(UTC)


@dataclass(slots=True)
class _Trip:
    """What is known of one request's way out: True once a byte of it may have left."""

    sent: bool = False

    async def trace(self, event: str, details: dict[str, Any]) -> None:
        """Follows the transport's own events; a proxy's CONNECT carries nothing of the request."""
        request = details.get("request")
        if event.endswith("send_request_headers.started") and getattr(request, "method", b"") != b"CONNECT":
            self.sent = True


class ChatEndpoint:
    """Posts bodies to one base address, each within `timeout` seconds in all, from any thread.

    The exchange runs on a loop in a thread of its own, because only there can a running call be cancelled from
    outside and be held to one deadline, however the server dribbles. `name` is what errors call it, `base_url` where
    it is empty. `secret` goes into the Authorization header and is blotted out of everything that comes back as an
    error. `transport` is for what a test must see from inside.
    """

    def __init__(
        self,
        base_url: str,
        *,
        timeout: float,
        name: str = "",
        secret: str = "",
        retries: int = 2,
        keep_alive: bool = True,
        proxy: str | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self._name = name or self.base_url
        self._timeout = timeout
        self._secret = secret
        self._retries = retries
        self._keep_alive = keep_alive
        self._proxy = proxy
        self._transport = transport
        self._clock = clock
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client: httpx2.AsyncClient | None = None
        self._running: set[concurrent.futures.Future[Reply]] = set()
        self._closed = False

    def post(self, path: str, body: bytes) -> Reply:
        """The raw reply to exactly this body; the table above says what each failure reads like."""
        trip = _Trip()
        with self._lock:
            if self._closed:
                return Reply(error="the model was closed; open it again")
            running = self._start(self._exchange(path, body, trip))
            self._running.add(running)
        try:
            return running.result()
        except concurrent.futures.CancelledError:
            return Reply(error="the call was cancelled before a reply came", unknown=True)
        except BaseException:  # Ctrl-C in the caller's thread: the exchange must not live on
            running.cancel()
            raise
        finally:
            with self._lock:
                self._running.discard(running)

    def cancel(self) -> None:
        """Breaks off every exchange that is running; later ones are not affected."""
        with self._lock:
            running = tuple(self._running)
        for exchange in running:
            exchange.cancel()

    def close(self) -> None:
        """Breaks off what is running and frees connections and thread; closing twice is fine."""
        with self._lock:
            self._closed = True
            loop, self._loop = self._loop, None
        self.cancel()
        if loop is not None:
            asyncio.run_coroutine_threadsafe(self._end(), loop).result()
            loop.call_soon_threadsafe(loop.stop)

    def _start(self, exchange: Coroutine[Any, Any, Reply]) -> concurrent.futures.Future[Reply]:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=_run_until_stopped, args=(self._loop,), name="callsheet-http", daemon=True).start()
        return asyncio.run_coroutine_threadsafe(exchange, self._loop)

    async def _end(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if self._client is not None:
            await self._client.aclose()

    async def _exchange(self, path: str, body: bytes, trip: _Trip) -> Reply:
        try:
            async with asyncio.timeout(self._timeout):
                return self._reply(await self._send(path, body, trip))
        except (TimeoutError, httpx2.TimeoutException):
            reason = f"no reply within {self._timeout:g} s" if trip.sent else "no connection in time"
        except httpx2.ConnectError as error:
            reason = f"could not connect: {error}"
        except Exception as error:  # a port answers with a failure, whatever broke underneath
            reason = f"the connection broke: {type(error).__name__} {error}".rstrip()
        return Reply(error=self._clean(f"{self._name}: {reason}"), unknown=trip.sent)

    async def _send(self, path: str, body: bytes, trip: _Trip) -> httpx2.Response:
        for _ in range(self._retries):
            try:
                return await self._once(path, body, trip)
            except httpx2.ConnectError:
                if trip.sent:
                    raise
                await asyncio.sleep(RETRY_PAUSE_SECONDS)
        return await self._once(path, body, trip)

    async def _once(self, path: str, body: bytes, trip: _Trip) -> httpx2.Response:
        if self._client is None:
            self._client = self._open_client()
        headers = {"Content-Type": "application/json"}
        if self._secret:
            headers["Authorization"] = f"Bearer {self._secret}"
        return await self._client.post(
            self.base_url + path, content=body, headers=headers, extensions={"trace": trip.trace}
        )

    def _open_client(self) -> httpx2.AsyncClient:
        # Reading the system's certificates takes a tenth of a second, and plain http has no use for them; the bare
        # context trusts nobody.
        verify = True if self.base_url.startswith("https:") else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        return httpx2.AsyncClient(
            verify=verify,
            timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
            limits=httpx2.Limits(max_keepalive_connections=None if self._keep_alive else 0),
            proxy=self._proxy,
            transport=self._transport,
            trust_env=False,  # the host alone reads the environment, and passes on what it found
        )

    def _reply(self, response: httpx2.Response) -> Reply:
        if response.is_success:
            return Reply(body=response.content, received_at=self._clock())
        body = response.content.replace(self._secret.encode(), b"***") if self._secret else response.content
        error = f"{self._name}: HTTP {response.status_code}: {_server_words(body, response)}"
        return Reply(body=body, error=self._clean(error), received_at=self._clock())

    def _clean(self, text: str) -> str:
        return text.replace(self._secret, "***") if self._secret else text


def _run_until_stopped(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


def _server_words(body: bytes, response: httpx2.Response) -> str:
    """What the server said about its error: the message of the usual JSON shapes, else the text as it came."""
    text = body.decode(errors="replace").strip()
    try:
        error = json.loads(text)["error"]
        text = str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, LookupError, TypeError):
        pass
    return text[:ERROR_CHARACTERS] or response.reason_phrase or "no further words"
