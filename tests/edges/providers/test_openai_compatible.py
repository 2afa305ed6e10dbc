"""The bytes that leave are the bytes that were given, and every failure is a reply that says what is known."""

import json
import threading
from contextlib import closing
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callsheet.edges.providers import statuses
from callsheet.edges.providers.endpoint import Endpoint, plain
from callsheet.edges.providers.openai_compatible import OpenAICompatibleModel
from callsheet.errors import UsageError
from callsheet.model.policy import ModelProfile

from .loopback import GOOD, answer, serving, unused_port

PROFILE = ModelProfile("some-model", "openai_chat", window=4_096, max_output=256, counter="estimate/utf8-3.6")
KEY = "sk-5f2e8c1d"


def model(address: str, key: str | None = None, timeout: float = 10.0) -> "closing[OpenAICompatibleModel]":
    return closing(OpenAICompatibleModel(address, PROFILE, key, timeout))


def test_the_server_receives_exactly_the_bytes_that_were_given() -> None:
    with serving(answer()) as server, model(server.address) as sender:

        @settings(max_examples=50)
        @given(st.binary(max_size=5_000))
        def holds(body: bytes) -> None:
            assert sender.call(body).body == GOOD
            assert server.bodies[-1] == body

        holds()


def test_a_call_goes_to_chat_completions_as_json_with_the_key() -> None:
    with serving(answer()) as server, model(server.address + "/", KEY) as sender:
        sender.call(b"{}")
        path, headers = server.requests[0]
    assert path == "/v1/chat/completions"
    assert headers["Content-Type"] == "application/json"
    assert headers["Authorization"] == f"Bearer {KEY}"


def test_without_a_key_no_authorization_is_sent() -> None:
    with serving(answer()) as server, model(server.address) as sender:
        sender.call(b"{}")
        assert "Authorization" not in server.requests[0][1]


def test_a_reply_carries_the_raw_body_and_the_moment_it_came() -> None:
    noon = datetime(2026, 11, 29, 12, tzinfo=UTC)
    with (
        serving(answer(body=b" not even json\n")) as server,
        closing(OpenAICompatibleModel(server.address, PROFILE, clock=lambda: noon)) as sender,
    ):
        reply = sender.call(b"{}")
    assert (reply.body, reply.error, reply.unknown, reply.received_at) == (b" not even json\n", "", False, noon)


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (400, b'{"error":{"message":"max_tokens is too large"}}', "HTTP 400: max_tokens is too large"),
        (404, b'{"error":"no such model"}', "HTTP 404: no such model"),
        (429, b'{"error":{"code":429}}', 'HTTP 429: {"error":{"code":429}}'),
        (500, b"<h1>oops</h1>", "HTTP 500: <h1>oops</h1>"),
        (502, b"[1]", "HTTP 502: [1]"),
        (503, b"", "HTTP 503: Service Unavailable"),
        (500, b"\xff\xfe", "HTTP 500: \ufffd\ufffd"),
        (500, b"x" * 10_000, "HTTP 500: " + "x" * 500),
    ],
)
def test_an_http_error_says_what_the_server_said_and_is_known(
    status: int, body: bytes, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statuses, "RETRY_PAUSE_SECONDS", 0)
    with serving(answer(status, body)) as server, model(server.address) as sender:
        reply = sender.call(b"{}")
        assert reply.error == f"{server.address}/chat/completions: {words}"
    assert not reply.unknown
    assert reply.body == body


def test_the_key_appears_in_no_error_even_where_the_server_repeats_it() -> None:
    refusal = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}}).encode()
    with serving(answer(401, refusal)) as server, model(server.address, KEY) as sender:
        reply = sender.call(b"{}")
    assert reply.error.endswith("HTTP 401: Incorrect API key provided: ***")
    assert KEY.encode() not in reply.body


def test_a_redirect_is_an_error_and_takes_neither_body_nor_key_along() -> None:
    with serving(answer()) as elsewhere, serving(answer(307, Location=elsewhere.address)) as server:
        with model(server.address, KEY) as sender:
            reply = sender.call(b"{}")
        assert elsewhere.bodies == []
    assert "HTTP 307" in reply.error


def test_a_time_out_after_sending_leaves_the_outcome_unknown() -> None:
    release = threading.Event()
    with serving(lambda *_: release.wait() and None) as server, model(server.address, timeout=0.2) as sender:
        reply = sender.call(b"{}")
        release.set()
        assert server.bodies == [b"{}"]
    assert reply.error.endswith("no reply within 0.2 s")
    assert reply.unknown


def test_the_time_limit_holds_for_the_whole_call_not_for_each_piece_of_it() -> None:
    stop = threading.Event()

    def dribble(handler: BaseHTTPRequestHandler, _: bytes) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        while not stop.wait(0.02):
            handler.wfile.write(b"x")

    with serving(dribble) as server, model(server.address, timeout=0.3) as sender:
        reply = sender.call(b"{}")
        stop.set()
    assert "no reply within 0.3 s" in reply.error
    assert reply.unknown


@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", b"nonsense\r\n\r\n"])
def test_a_connection_that_breaks_after_sending_leaves_the_outcome_unknown(said: bytes) -> None:
    def break_off(handler: BaseHTTPRequestHandler, _: bytes) -> None:
        handler.wfile.write(said)
        handler.close_connection = True

    with serving(break_off) as server, model(server.address) as sender:
        reply = sender.call(b"{}")
        assert server.bodies == [b"{}"], "what may have been received is never sent again"
    assert "the connection broke" in reply.error
    assert reply.unknown


def test_where_nothing_listens_the_request_surely_never_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statuses, "RETRY_PAUSE_SECONDS", 0)
    with model(f"http://127.0.0.1:{unused_port()}/v1") as sender:
        reply = sender.call(b"{}")
    assert "could not connect" in reply.error
    assert not reply.unknown


class Reluctant(httpx2.AsyncHTTPTransport):
    """A network that refuses the first few connections."""

    def __init__(self, refusals: int) -> None:
        super().__init__()
        self.refusals, self.tries = refusals, 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.tries += 1
        if self.tries <= self.refusals:
            raise httpx2.ConnectError("refused")
        return await super().handle_async_request(request)


@pytest.mark.parametrize(("refusals", "tries", "received"), [(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 3, 0)])
def test_a_connection_is_tried_three_times_at_most(
    refusals: int, tries: int, received: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statuses, "RETRY_PAUSE_SECONDS", 0)
    network = Reluctant(refusals)
    with (
        serving(answer()) as server,
        closing(Endpoint(server.address, plain(server.address, {}), timeout=10, transport=network)) as endpoint,
    ):
        reply = endpoint.post("/chat/completions", b"{}")
        assert (network.tries, len(server.bodies)) == (tries, received)
    assert bool(reply.error) == (received == 0)
    assert not reply.unknown


def test_cancel_breaks_off_the_running_call_and_not_the_next_one() -> None:
    arrived, release, replies = threading.Event(), threading.Event(), []

    def behave(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        if body == b"slow":
            arrived.set()
            release.wait()
        else:
            answer()(handler, body)

    with serving(behave) as server, model(server.address) as sender:
        caller = threading.Thread(target=lambda: replies.append(sender.call(b"slow")))
        caller.start()
        arrived.wait()
        sender.cancel()
        caller.join()
        assert sender.call(b"quick").body == GOOD
        release.set()
    assert "cancelled" in replies[0].error
    assert replies[0].unknown


def test_cancel_without_a_running_call_changes_nothing() -> None:
    with serving(answer()) as server, model(server.address) as sender:
        sender.cancel()
        assert sender.call(b"{}").body == GOOD


def test_calls_from_many_threads_each_get_their_own_reply() -> None:
    replies: dict[int, bytes] = {}

    def echo(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        answer(body=body)(handler, body)

    with serving(echo) as server, model(server.address) as sender:

        def send(number: int) -> None:
            replies[number] = sender.call(str(number).encode()).body

        threads = [threading.Thread(target=send, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert replies == {number: str(number).encode() for number in range(16)}


def test_a_closed_model_answers_with_an_error_and_closing_twice_is_fine() -> None:
    with serving(answer()) as server, model(server.address) as sender:
        sender.call(b"{}")
        sender.close()
        assert "closed" in sender.call(b"{}").error
        assert len(server.bodies) == 1


def test_closing_breaks_off_a_running_call() -> None:
    arrived, release, replies = threading.Event(), threading.Event(), []
    with serving(lambda *_: arrived.set() or (release.wait() and None)) as server, model(server.address) as sender:
        caller = threading.Thread(target=lambda: replies.append(sender.call(b"{}")))
        caller.start()
        arrived.wait()
        sender.close()
        caller.join()
        release.set()
    assert replies[0].unknown


def test_the_environment_does_not_reroute_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{unused_port()}")
    with serving(answer()) as server, model(server.address) as sender:
        assert sender.call(b"{}").body == GOOD


@pytest.mark.parametrize(
    "address", ["", "models.example/v1", "ftp://models.example", "http://", "https://a.example/?k=v"]
)
def test_an_address_that_is_none_is_refused_at_once(address: str) -> None:
    with pytest.raises(UsageError, match="base_url"):
        OpenAICompatibleModel(address, PROFILE)


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("https://user:hunter2@models.example/v1", None),
        ("https://models.example/v1", "hunter2\n"),
        ("https://models.example/v1", "hunter2 hunter2"),
        ("https://models.example/v1", "hünter2"),
        ("https://models.example/v1", ""),
    ],
)
def test_an_unusable_secret_is_refused_without_repeating_it(address: str, key: str | None) -> None:
    with pytest.raises(UsageError) as refusal:
        OpenAICompatibleModel(address, PROFILE, key)
    assert "nter2" not in str(refusal.value)


@pytest.mark.parametrize("status", [400, 500])
def test_an_error_that_is_nested_too_deep_is_told_as_it_came_and_was_not_carried_out_in_part(status: int) -> None:
    with serving(answer(status, b"[" * 200_000)) as server, model(server.address) as sender:
        reply = sender.call(b"{}")
    assert f"HTTP {status}: [[[" in reply.error and not reply.unknown


@pytest.mark.parametrize(
    "address", ["http://h:99999/v1", "http://h:abc/v1", "http://h\nx/v1", "http://h x/v1", "http://h/\x00"]
)
def test_an_address_that_no_request_can_go_to_is_refused_before_one_is_made(address: str) -> None:
    with pytest.raises(UsageError, match="base_url"):
        OpenAICompatibleModel(address, PROFILE)
