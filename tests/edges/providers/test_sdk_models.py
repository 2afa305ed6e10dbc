"""Every remote model: the recorded bytes leave, what comes is told as it comes, and nothing goes twice that may not."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from anthropic.types import beta as anthropic_types
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.types import responses as openai_types

from callsheet.edges.providers import anthropic, openai, statuses
from callsheet.edges.providers.anthropic import AnthropicModel
from callsheet.edges.providers.gemini import GeminiModel
from callsheet.edges.providers.openai import OpenAIModel
from callsheet.edges.providers.openai_compatible import OpenAICompatibleModel
from callsheet.edges.providers.remote import RemoteModel
from callsheet.errors import ModelError, UsageError
from callsheet.model.message import Reply
from callsheet.model.policy import DialectName, ModelProfile

from .loopback import GOOD, Behaviour, Loopback, answer, in_turn, serving, stream, unused_port

KEY = "sk-5f2e8c1d"
NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
PIECES = (b"event: a\ndata: {}\n\n", "data: ż".encode()[:-1], "ż".encode()[1:] + b"\n\n", b"data: [DONE]\n\n")


def profile(dialect: DialectName, stream: bool = False) -> ModelProfile:
    return ModelProfile("some-model", dialect, 4_096, 256, "estimate", stream=stream)


@dataclass(frozen=True)
class Kind:
    """A kind of model: how it is opened on a loopback server, and where its calls must then arrive."""

    name: str
    open: Callable[..., RemoteModel]
    path: str
    header: str = "Authorization"
    says: str = f"Bearer {KEY}"

    @contextmanager
    def on(self, server: Loopback, **options: Any) -> Iterator[Any]:
        with closing(self.open(server.address, **{"timeout": 10.0} | options)) as model:
            yield model


KINDS = (
    Kind("anthropic", lambda a, key=KEY, **o: AnthropicModel(profile("anthropic"), key, a, **o), "/v1/messages"),
    Kind("chat", lambda a, key=KEY, **o: OpenAIModel(profile("openai_chat"), key, a, **o), "/v1/chat/completions"),
    Kind("responses", lambda a, key=KEY, **o: OpenAIModel(profile("openai_responses"), key, a, **o), "/v1/responses"),
    Kind(
        "gemini",
        lambda a, key=KEY, **o: GeminiModel(profile("gemini"), key, a, **o),
        "/v1/models/some-model:generateContent",
        "x-goog-api-key",
        KEY,
    ),
    Kind(
        "compatible",
        lambda a, key=KEY, **o: OpenAICompatibleModel(a, profile("openai_chat"), key, **o),
        "/v1/chat/completions",
    ),
)
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
BY_NAME = {kind.name: kind for kind in KINDS}


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries that wait for nothing, where the server does not say how long."""
    monkeypatch.setattr(statuses, "RETRY_PAUSE_SECONDS", 0)


@every_kind
def test_the_server_receives_exactly_the_bytes_that_were_given(kind: Kind) -> None:
    with serving(answer()) as server, kind.on(server) as model:

        @settings(max_examples=25)
        @given(st.binary(max_size=5_000))
        def holds(body: bytes) -> None:
            assert model.call(body).body == GOOD
            assert server.bodies[-1] == body

        holds()


@every_kind
def test_a_call_arrives_at_its_path_as_json_with_the_key(kind: Kind) -> None:
    with serving(answer()) as server, kind.on(server, clock=lambda: NOON) as model:
        reply = model.call(b"{}")
        path, headers = server.requests[0]
    assert reply == Reply(GOOD, received_at=NOON)
    assert path == kind.path
    assert headers["Content-Type"] == "application/json"
    assert headers[kind.header] == kind.says


def test_beta_features_of_anthropic_are_named_in_their_header_with_the_api_version() -> None:
    with serving(answer()) as server, BY_NAME["anthropic"].on(server, betas=("one-2026-01-01", "two")) as model:
        model.call(b"{}")
        headers = server.requests[0][1]
    assert headers["anthropic-beta"] == "one-2026-01-01,two"
    assert headers["anthropic-version"]


def test_a_body_that_uses_a_beta_feature_has_it_named_and_the_next_one_has_not() -> None:
    edits = {"context_management": {"edits": [{"type": "compact_20260112"}]}}
    bodies = [{"messages": [], **edits}, {"messages": []}, []]
    with serving(answer()) as server, BY_NAME["anthropic"].on(server, betas=("one",)) as model:
        for each in bodies:
            model.call(json.dumps(each).encode())
        told = [headers["anthropic-beta"] for _, headers in server.requests]
    assert told == ["one,compact-2026-01-12", "one", "one"]


def test_gemini_is_asked_for_a_stream_by_its_path() -> None:
    with (
        serving(stream(*PIECES)) as server,
        closing(GeminiModel(profile("gemini", stream=True), KEY, server.address)) as model,
    ):
        assert model.call(b"{}").body == b"".join(PIECES)
        assert server.requests[0][0] == "/v1/models/some-model:streamGenerateContent?alt=sse"


@every_kind
def test_nothing_is_taken_from_the_environment(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{unused_port()}")
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "GOOGLE_API_KEY"):
        monkeypatch.setenv(name, "leaked")
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "ANTHROPIC_PROFILE"):
        monkeypatch.setenv(name, "leaked")
    for name in ("ANTHROPIC_CUSTOM_HEADERS", "OPENAI_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, "X-Own: leaked")
    with serving(answer()) as server, kind.on(server) as model:
        assert model.call(b"{}").body == GOOD
        headers = server.requests[0][1]
    assert "leaked" not in str(headers)
    assert not {"openai-organization", "openai-project"} & {name.lower() for name in headers}


@every_kind
@pytest.mark.parametrize("status", [408, 409, 429, 503, 529])
def test_a_request_that_was_turned_away_goes_again_after_the_pause_asked_for(kind: Kind, status: int) -> None:
    turned_away = answer(status, b"{}", **{"Retry-After": "0"})
    with serving(in_turn(turned_away, turned_away, answer())) as server, kind.on(server) as model:
        reply = model.call(b'{"n":1}')
        assert server.bodies == [b'{"n":1}'] * 3
    assert (reply.body, reply.error) == (GOOD, "")


@every_kind
def test_a_limit_that_lasts_is_an_error_that_is_known(kind: Kind, at_once: None) -> None:
    limited = answer(429, b'{"error":{"message":"slow down"}}')
    with serving(limited) as server, kind.on(server) as model:
        reply = model.call(b"{}")
        assert len(server.bodies) == 3
    assert reply.error.endswith("HTTP 429: slow down")
    assert (reply.body, reply.unknown) == (b'{"error":{"message":"slow down"}}', False)


@every_kind
@pytest.mark.parametrize("status", [400, 401, 404, 500, 502, 504])
def test_what_may_have_been_carried_out_or_cannot_succeed_goes_once(kind: Kind, status: int, at_once: None) -> None:
    with serving(answer(status)) as server, kind.on(server) as model:
        assert f"HTTP {status}" in model.call(b"{}").error
        assert len(server.bodies) == 1


@every_kind
@pytest.mark.parametrize(("status", "word", "tries"), [(500, "true", 2), (429, "false", 1)])
def test_the_servers_own_word_on_a_retry_is_obeyed(
    kind: Kind, status: int, word: str, tries: int, at_once: None
) -> None:
    said = answer(status, **{"x-should-retry": word})
    with serving(in_turn(said, answer())) as server, kind.on(server) as model:
        model.call(b"{}")
        assert len(server.bodies) == tries


def test_a_pause_beyond_the_deadline_is_not_waited_for() -> None:
    with serving(answer(429, **{"Retry-After": "3600"})) as server, BY_NAME["anthropic"].on(server) as model:
        assert "HTTP 429" in model.call(b"{}").error
        assert len(server.bodies) == 1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "Retry-After": "7"}, 0.25),
        ({"retry-after-ms": "soon", "Retry-After": "7"}, 7.0),
        ({"Retry-After": "Sun, 29 Nov 2026 12:00:30 GMT"}, 30.0),
        ({"Retry-After": "Sun, 29 Nov 2026 11:00:00 GMT"}, 0.0),
        *(({"Retry-After": word}, None) for word in ("", "-1", "nan", "inf", "later", "Sun, 29 Nov 2026 12:00:30")),
    ],
)
def test_the_pause_is_what_the_server_asks_for_or_doubles(headers: dict[str, str], seconds: float | None) -> None:
    refusal = statuses.httpx2.Response(429, headers=headers)
    pauses = [statuses.pause_before_retry(refusal, tried, NOON) for tried in range(3)]
    if seconds is None:
        assert all(0.375 * 2**tried <= (pause or 0) <= 0.5 * 2**tried for tried, pause in enumerate(pauses))
    else:
        assert pauses == [seconds] * 3


@every_kind
def test_a_connection_that_breaks_after_the_body_left_is_never_sent_again(kind: Kind) -> None:
    def break_off(handler: BaseHTTPRequestHandler, _: bytes) -> None:
        handler.close_connection = True

    with serving(break_off) as server, kind.on(server) as model:
        reply = model.call(b"{}")
        assert server.bodies == [b"{}"]
    assert "the connection broke" in reply.error
    assert reply.unknown


@every_kind
def test_where_nothing_listens_the_request_surely_never_left(kind: Kind, at_once: None) -> None:
    with closing(kind.open(f"http://127.0.0.1:{unused_port()}/v1", timeout=10.0)) as model:
        reply = model.call(b"{}")
    assert "could not connect" in reply.error
    assert not reply.unknown


@every_kind
def test_each_piece_of_a_stream_reaches_the_sink_before_the_next_one_leaves(kind: Kind) -> None:
    told, heard = list[bytes](), threading.Semaphore(0)

    def sink(chunk: bytes) -> None:
        assert threading.current_thread() is threading.main_thread()
        told.append(chunk)
        heard.release()

    with (
        serving(stream(*PIECES, after_each=lambda _: heard.acquire())) as server,
        kind.on(server) as model,
    ):
        reply = model.call(b'{"stream":true}', sink)
    assert tuple(told) == PIECES
    assert reply.body == b"".join(PIECES)
    assert not reply.error


@every_kind
def test_a_reply_that_is_no_stream_is_not_told_piece_by_piece(kind: Kind) -> None:
    told = list[bytes]()
    with serving(answer()) as server, kind.on(server) as model:
        assert model.call(b'{"stream":true}', told.append).body == GOOD
    assert told == []


@every_kind
def test_a_stream_that_breaks_leaves_what_came_and_the_outcome_unknown(kind: Kind) -> None:
    told = list[bytes]()
    with serving(stream(*PIECES[:2], ended=False)) as server, kind.on(server) as model:
        reply = model.call(b"{}", told.append)
        assert len(server.bodies) == 1
    assert "the connection broke" in reply.error
    assert reply.unknown
    assert reply.body == b"".join(told) == b"".join(PIECES[:2])


def held(piece: bytes, release: threading.Event) -> Behaviour:
    """A stream that says one piece and then nothing until it is released."""
    return stream(piece, after_each=lambda _: release.wait())


@every_kind
def test_cancel_cuts_a_stream_and_leaves_what_came_until_then(kind: Kind) -> None:
    release, began, replies = threading.Event(), threading.Event(), []
    with serving(in_turn(held(PIECES[0], release), answer())) as server, kind.on(server) as model:
        caller = threading.Thread(target=lambda: replies.append(model.call(b"{}", lambda _: began.set())))
        caller.start()
        began.wait()
        model.cancel()
        caller.join()
        release.set()
        assert model.call(b"{}").body == GOOD, "the next call is not affected"
    assert "cancelled" in replies[0].error
    assert replies[0].unknown
    assert replies[0].body == PIECES[0]


def test_a_cancel_while_it_waits_to_go_again_leaves_nothing_unknown() -> None:
    pausing, replies = threading.Event(), []

    def clock() -> datetime:
        pausing.set()  # it is asked when the pause is reckoned
        return NOON

    with (
        serving(answer(429, **{"Retry-After": "60"})) as server,
        BY_NAME["anthropic"].on(server, timeout=600.0, clock=clock) as model,
    ):
        caller = threading.Thread(target=lambda: replies.append(model.call(b"{}")))
        caller.start()
        pausing.wait()
        model.cancel()
        caller.join()
    assert "cancelled" in replies[0].error
    assert not replies[0].unknown


@every_kind
def test_the_deadline_of_the_whole_call_cuts_a_stream_too(kind: Kind) -> None:
    release = threading.Event()
    with serving(held(PIECES[0], release)) as server, kind.on(server, timeout=0.5) as model:
        reply = model.call(b"{}")
        release.set()
    assert reply.error.endswith("no reply within 0.5 s")
    assert (reply.unknown, reply.body) == (True, PIECES[0])


def test_what_a_sink_raises_reaches_the_caller_and_ends_the_call() -> None:
    gone = threading.Event()

    def until_the_client_goes(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        stream(PIECES[0], ended=False)(handler, body)
        handler.rfile.read(1)
        gone.set()

    with serving(in_turn(until_the_client_goes, answer())) as server, BY_NAME["responses"].on(server) as model:
        with pytest.raises(ZeroDivisionError):
            model.call(b"{}", lambda chunk: 1 // 0)
        assert gone.wait(10)
        assert model.call(b"{}").body == GOOD


@every_kind
@pytest.mark.parametrize("status", [401, 429, 500])
def test_the_key_appears_in_no_error_even_where_the_server_repeats_it(kind: Kind, status: int, at_once: None) -> None:
    repeats = answer(status, json.dumps({"error": {"message": f"bad {KEY}"}}).encode())
    with serving(repeats) as server, kind.on(server) as model:
        reply = model.call(b"{}")
    assert reply.error.endswith(f"HTTP {status}: bad ***")
    assert KEY.encode() not in reply.body


@every_kind
def test_an_unusable_key_is_refused_without_repeating_it(kind: Kind) -> None:
    with pytest.raises(UsageError) as refusal:
        kind.open("http://127.0.0.1/v1", key="hunter2 hunter2")
    assert "hunter" not in str(refusal.value)


@pytest.mark.parametrize("base", ["", "/", "/v1", "/v1/"])
def test_the_address_of_a_messages_server_may_end_in_its_version(base: str) -> None:
    with serving(answer()) as server:
        address = server.address.removesuffix("/v1") + base
        with closing(AnthropicModel(profile("anthropic"), KEY, address)) as model:
            model.call(b"{}")
        assert server.requests[0][0] == "/v1/messages"


COUNTED = {
    "anthropic": ("/v1/messages/count_tokens", b'{"input_tokens":42}'),
    "responses": ("/v1/responses/input_tokens", b'{"object":"response.input_tokens","input_tokens":42}'),
    "gemini": ("/v1/models/some-model:countTokens", b'{"totalTokens":42}'),
}


@pytest.mark.parametrize("name", COUNTED)
def test_the_provider_counts_a_request_less_what_its_endpoint_does_not_take(name: str) -> None:
    path, counted = COUNTED[name]
    request = {"model": "some-model", "stream": True, "temperature": 0, "tools": [{"name": "ż"}], "new_field": 1}
    with serving(answer(body=counted)) as server, BY_NAME[name].on(server) as model:
        assert model.count(json.dumps(request).encode()) == 42
        assert server.requests[0][0] == path
        sent = json.loads(server.bodies[0])
    if name == "gemini":
        assert sent == {"generateContentRequest": {**request, "model": "some-model"}}
    else:
        assert sent == {"model": "some-model", "tools": [{"name": "ż"}], "new_field": 1}


def fields(*requests: Any) -> set[str]:
    return set().union(*(each.__required_keys__ | each.__optional_keys__ for each in requests))


def test_what_is_not_counted_is_what_the_sdks_types_of_the_two_requests_differ_by() -> None:
    message = fields(
        anthropic_types.message_create_params.MessageCreateParamsNonStreaming,
        anthropic_types.message_create_params.MessageCreateParamsStreaming,
    )
    counted = fields(anthropic_types.MessageCountTokensParams)
    assert anthropic.NOT_COUNTED - {"temperature", "top_k", "top_p"} == message - counted
    response = fields(
        openai_types.response_create_params.ResponseCreateParamsNonStreaming,
        openai_types.response_create_params.ResponseCreateParamsStreaming,
    )
    assert response - fields(openai_types.InputTokenCountParams) == openai.NOT_COUNTED


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        (answer(400, b'{"error":{"message":"no such model"}}'), "HTTP 400: no such model"),
        (answer(body=b"{}"), "gives no"),
        (answer(body=b"[]"), "no JSON object"),
        (answer(body=b"<html>"), "no JSON object"),
        (answer(body=b"[" * 200_000), "no JSON object"),
        *(
            (answer(body=b'{"input_tokens":%s,"totalTokens":%s}' % (each, each)), "gives no")
            for each in (b"true", b"-5", b"1e3", b"null", b"9" * 20)
        ),
    ],
)
def test_a_count_that_does_not_come_is_an_outage(name: str, behaviour: Behaviour, words: str) -> None:
    with serving(behaviour) as server, BY_NAME[name].on(server) as model, pytest.raises(ModelError, match=words):
        model.count(b"{}")


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize(("body", "words"), [(b"{", "no JSON"), (b"[1]", "not an object")])
def test_a_body_that_is_no_request_is_not_counted(name: str, body: bytes, words: str) -> None:
    with serving(answer()) as server:
        with BY_NAME[name].on(server) as model, pytest.raises(UsageError, match=words):
            model.count(body)
        assert server.bodies == []


def test_chat_completions_say_that_they_have_no_count() -> None:
    counting = pytest.raises(UsageError, match="openai_responses")
    with serving(answer()) as server, BY_NAME["chat"].on(server) as model, counting:
        model.count(b"{}")


@pytest.mark.parametrize(
    ("name", "path", "listed", "limits"),
    [
        ("anthropic", "/v1/models/some-model", {"max_input_tokens": 9, "max_tokens": 3}, (9, 3)),
        ("anthropic", "/v1/models/some-model", {"max_input_tokens": None, "max_tokens": None}, None),
        ("gemini", "/v1/models/some-model", {"inputTokenLimit": 9, "outputTokenLimit": 3}, (9, 3)),
        ("gemini", "/v1/models/some-model", {}, None),
    ],
)
def test_limits_come_from_the_providers_model_list(
    name: str, path: str, listed: dict[str, Any], limits: tuple[int, int] | None
) -> None:
    kind = BY_NAME[name]
    with serving(answer(body=json.dumps(listed).encode())) as server, kind.on(server) as model:
        assert model.limits() == limits
        asked, headers = server.requests[0]
    assert asked == path
    assert headers[kind.header] == kind.says


def test_openai_lists_no_limits_and_is_not_asked() -> None:
    with serving(answer()) as server, BY_NAME["responses"].on(server) as model:
        assert model.limits() is None
        assert server.requests == []


@pytest.mark.parametrize("name", ["anthropic", "gemini"])
def test_limits_of_a_model_that_is_not_listed_are_an_outage(name: str) -> None:
    asking = pytest.raises(ModelError, match="HTTP 404")
    with serving(answer(404, b"{}")) as server, BY_NAME[name].on(server) as model, asking:
        model.limits()


@pytest.mark.parametrize(("module", "name"), [(anthropic, "anthropic"), (openai, "responses")])
def test_a_missing_sdk_names_the_extra(module: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SDK", "no_such_sdk")
    extra = module.__name__.rpartition(".")[2]
    with pytest.raises(UsageError, match=rf"pip install 'callsheet\[{extra}\]'"):
        BY_NAME[name].open("http://127.0.0.1/v1")


def test_an_openai_model_of_another_dialect_is_refused() -> None:
    with pytest.raises(UsageError, match="openai_chat or openai_responses, not gemini"):
        OpenAIModel(profile("gemini"), KEY)


LAZY = """
import sys
from callsheet.edges.providers.anthropic import AnthropicModel
from callsheet.edges.providers.openai import OpenAIModel
from callsheet.model.policy import ModelProfile
for made in (AnthropicModel, OpenAIModel):
    made(ModelProfile("m", "openai_chat", 9, 3, "estimate"), "key").close()
print(*{"anthropic", "openai"} & {*sys.modules})
"""


def test_an_sdk_is_loaded_by_the_first_call_and_not_before() -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    run = subprocess.run((sys.executable, "-c", LAZY), capture_output=True, text=True, env=environment, check=True)
    assert run.stdout == "\n"
