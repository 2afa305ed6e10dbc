"""One base address, reached over HTTP: sends bytes exactly as given, reads what comes piece by piece, never raises.

| what happened | `body` | `error` | `unknown` |
|---|---|---|---|
| 2xx, read to its end | the whole of it | empty | False |
| any other status, after the retries | the server's | the status and the server's own words | False |
| no connection could be made, after the retries | empty | says so | False |
| time-out, broken connection or `cancel` before the request left | empty | says so | False |
| the same once the request may have left | what came until then | says so | True |

A request is sent a second time only when the first surely was not carried out: no connection could be made, or the
server turned it away by its status (`statuses.py`). The body of an event stream is its bytes, content coding undone.
"""

import asyncio
import queue
import ssl
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import httpx2

from ...model.message import Reply
from ...ports import Sink
from .statuses import asked_pause, backoff, pause_before_retry, server_words

TIMEOUT = httpx2.Timeout(None, connect=10.0)
"""The deadline of the whole call stands above it; a connection that is not there in this time will not come."""

Send = Callable[[str, str, bytes | None], Awaitable[httpx2.Response]]
"""Sends a method, a path and exactly this content; gives the response of any status, its body not yet read."""

Dial = Callable[[httpx2.AsyncClient], Send]
"""Makes a provider's way of sending over the client that the endpoint opened; it may import an SDK to do so."""


def utc_now() -> datetime:
    """The present moment, aware."""
    return datetime.now(UTC)


def plain(base_url: str, headers: Mapping[str, str]) -> Dial:
    """The way of sending that needs no SDK: JSON to an address, with these headers."""

    def dial(client: httpx2.AsyncClient) -> Send:
        async def send(method: str, path: str, body: bytes | None) -> httpx2.Response:
            said = {"Content-Type": "application/json", **headers}
            return await client.send(
                client.build_request(method, base_url + path, content=body, headers=said), stream=True
            )

        return send

    return dial


@dataclass(slots=True, eq=False)
class _Trip:
    """One call under way: `sent` is True once a byte of it may have left and no status has turned it away."""

    method: str
    path: str
    body: bytes | None
    sink: Sink | None = None
    sent: bool = False
    streamed: bool = False
    chunks: "queue.SimpleQueue[bytes | None]" = field(default_factory=queue.SimpleQueue)
    task: "asyncio.Task[Reply] | None" = None

    def begin(self, exchange: Coroutine[Any, Any, Reply]) -> None:
        """Starts the exchange on the running loop; its very end, whatever it was, closes `chunks`."""
        self.task = asyncio.get_running_loop().create_task(exchange)
        self.task.add_done_callback(lambda _: self.chunks.put(None))

    def cancel(self) -> None:
        """Breaks it off, on its loop."""
        if self.task is not None:
            self.task.cancel()

    def reply(self) -> Reply:
        """What is known at its end, the body aside."""
        if self.task is None or self.task.cancelled():
            return Reply(error="the call was cancelled before its reply was complete", unknown=self.sent)
        return self.task.result()

    async def trace(self, event: str, details: dict[str, Any]) -> None:
        """Follows the transport's own events; a proxy's CONNECT carries nothing of the request."""
        request = details.get("request")
        if event.endswith("send_request_headers.started") and getattr(request, "method", b"") != b"CONNECT":
            self.sent = True


_TRIP: ContextVar[_Trip] = ContextVar("trip")
"""The trip of the running task: an SDK between us and the transport passes on no more than the context."""


async def _follow(request: httpx2.Request) -> None:
    request.extensions = {**request.extensions, "trace": _TRIP.get().trace}


class Endpoint:
    """Reaches one base address, each call within `timeout` seconds in all, from any thread.

    Exchanges run on a loop in a thread of its own, because only there can a running call be cancelled from outside and
    be held to one deadline, however the server dribbles. What an SDK needs to load is not part of that time.
    `name` is what errors call it, `base_url` where it is empty. `secret` is blotted out of everything that comes back
    as an error. `transport` is for what a test must see from inside.
    """

    def __init__(
        self,
        base_url: str,
        dial: Dial,
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
        self._base_url = base_url
        self._dial = dial
        self._name = name or base_url
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
        self._send: Send | None = None
        self._trips: set[_Trip] = set()
        self._closed = False

    def post(self, path: str, body: bytes, sink: Sink | None = None) -> Reply:
        """The raw reply to exactly this body; the table above says what each failure reads like.

        The sink is told each chunk of an event stream, in order, in the caller's own thread. What it raises breaks the
        call off and reaches the caller.
        """
        return self._travel("POST", path, body, sink)

    def get(self, path: str) -> Reply:
        """The raw reply to a request without a body."""
        return self._travel("GET", path, None, None)

    def cancel(self, sink: Sink | None = None) -> None:
        """Breaks off the running call with this sink, or every one; later ones are not affected."""
        with self._lock:
            for trip in self._trips:
                if sink is None or trip.sink is sink:
                    self._break_off(trip)

    def close(self) -> None:
        """Breaks off what is running and frees connections and thread; closing twice is fine."""
        with self._lock:
            self._closed = True
            loop, self._loop = self._loop, None
        if loop is not None:
            asyncio.run_coroutine_threadsafe(self._end(), loop).result()
            loop.call_soon_threadsafe(loop.stop)

    def _travel(self, method: str, path: str, body: bytes | None, sink: Sink | None) -> Reply:
        trip, came = _Trip(method, path, body, sink), list[bytes]()
        with self._lock:
            if self._closed:
                return Reply(error="the model was closed; open it again")
            self._open_loop().call_soon_threadsafe(trip.begin, self._exchange(trip))
            self._trips.add(trip)
        try:
            while (chunk := trip.chunks.get()) is not None:
                came.append(chunk)
                if sink is not None and trip.streamed:
                    sink(chunk)
        except BaseException:  # Ctrl-C in the caller's thread, or the sink: the exchange must not live on
            with self._lock:
                self._break_off(trip)
            raise
        finally:
            with self._lock:
                self._trips.discard(trip)
        return replace(trip.reply(), body=b"".join(came))

    def _break_off(self, trip: _Trip) -> None:
        if self._loop is not None:  # else it was closed, which broke off everything
            self._loop.call_soon_threadsafe(trip.cancel)

    def _open_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=_run_until_stopped, args=(self._loop,), name="callsheet-http", daemon=True).start()
        return self._loop

    async def _end(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if self._client is not None:
            await self._client.aclose()

    async def _exchange(self, trip: _Trip) -> Reply:
        _TRIP.set(trip)
        try:
            send = self._dialled()
            async with asyncio.timeout(self._timeout) as limit:
                return await self._answer(send, trip, limit)
        except (TimeoutError, httpx2.TimeoutException):
            reason = f"no reply within {self._timeout:g} s" if trip.sent else "no connection in time"
        except httpx2.ConnectError as error:
            reason = f"could not connect: {error}"
        except Exception as error:  # a port answers with a failure, whatever broke underneath
            what = "the connection broke" if trip.sent else "nothing could be sent"
            reason = f"{what}: {type(error).__name__} {error}".rstrip()
        return Reply(error=self._clean(f"{self._name}: {reason}"), unknown=trip.sent)

    async def _answer(self, send: Send, trip: _Trip, limit: asyncio.Timeout) -> Reply:
        """The first answer that stands: one that is no refusal to try again after, or the last there is time for."""
        for tried in range(self._retries + 1):
            last = tried == self._retries
            try:
                response = await send(trip.method, trip.path, trip.body)
            except httpx2.ConnectError:
                if trip.sent or last:
                    raise
                await asyncio.sleep(backoff(tried))
                continue
            try:
                pause = pause_before_retry(response, tried, self._clock())
                if last or pause is None or pause >= _seconds_left(limit):
                    return await self._read(response, trip)
                trip.sent = False  # turned away: whatever ends the call before it goes again leaves nothing unknown
            finally:
                await response.aclose()
            await asyncio.sleep(pause)
        raise AssertionError("the last try returns or raises")

    async def _read(self, response: httpx2.Response, trip: _Trip) -> Reply:
        if response.is_success:
            trip.streamed = response.headers.get("Content-Type", "").lower().startswith("text/event-stream")
            async for chunk in response.aiter_bytes():
                trip.chunks.put(chunk)
            return Reply(received_at=self._clock())
        body = await response.aread()
        body = body.replace(self._secret.encode(), b"***") if self._secret else body
        trip.chunks.put(body)
        wait = asked_pause(response.headers, self._clock())
        later = "" if wait is None else f"; it asks to wait {wait:g} s"
        where = self._name if self._name != self._base_url else self._base_url + trip.path
        error = f"{where}: HTTP {response.status_code}: {server_words(body, response)}{later}"
        return Reply(error=self._clean(error), received_at=self._clock())

    def _dialled(self) -> Send:
        if self._send is None:  # nothing else runs on this loop yet, so that loading an SDK holds nobody up
            self._client = self._client or self._open_client()
            self._send = self._dial(self._client)
        return self._send

    def _open_client(self) -> httpx2.AsyncClient:
        # Reading the system's certificates takes a tenth of a second, and plain http has no use for them; the bare
        # context trusts nobody.
        verify = True if self._base_url.startswith("https:") else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        return httpx2.AsyncClient(
            verify=verify,
            timeout=TIMEOUT,
            limits=httpx2.Limits(max_keepalive_connections=None if self._keep_alive else 0),
            proxy=self._proxy,
            transport=self._transport,
            trust_env=False,  # the host alone reads the environment, and passes on what it found
            event_hooks={"request": [_follow]},
        )

    def _clean(self, text: str) -> str:
        return text.replace(self._secret, "***") if self._secret else text


def _seconds_left(limit: asyncio.Timeout) -> float:
    when = limit.when()
    assert when is not None, "every call has a deadline"
    return when - asyncio.get_running_loop().time()


def _run_until_stopped(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()
