"""Embedders and rerankers behind an address: the bytes that vendors document, in both directions."""

import json
import math
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from callsheet.edges.embedders.remote import MOST_CHARACTERS, MOST_TEXTS, RemoteEmbedder
from callsheet.edges.providers.json_service import JsonService
from callsheet.edges.rerankers.remote import RemoteReranker
from callsheet.errors import OutageError, UsageError

from .loopback import Behaviour, Loopback, answer, in_turn, serving

KEY = "sk-5f2e8c1d"
VENDORS = ("openai-compatible", "voyage", "cohere")


def vector(text: str) -> list[float]:
    """Three numbers that tell the texts of these tests apart."""
    return [float(len(text)), 1.0, 2.0]


def embeddings(vendor: str, of: Callable[[str], Any] = vector) -> Behaviour:
    """A server that answers as a vendor documents; where places are named, in another order than asked."""

    def behave(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        asked = json.loads(body)
        made = [of(text) for text in asked["texts" if vendor == "cohere" else "input"]]
        if vendor == "cohere":
            reply: dict[str, Any] = {"id": "1", "texts": asked["texts"], "embeddings": {"float": made}, "meta": {}}
        else:
            data = [{"object": "embedding", "index": place, "embedding": each} for place, each in enumerate(made)]
            reply = {"object": "list", "data": data[::-1], "model": asked["model"], "usage": {"total_tokens": 7}}
        answer(body=json.dumps(reply).encode())(handler, body)

    return behave


@contextmanager
def embedder(
    server: Loopback, vendor: str, dimension: int = 3, native: Mapping[str, Any] | None = None
) -> Iterator[RemoteEmbedder]:
    with closing(JsonService(server.address, KEY, timeout=10, retries=1)) as service:
        yield RemoteEmbedder(service.ask, vendor, "m-1", dimension, native)


def numbers(data: bytes) -> list[float]:
    return list(struct.unpack(f"<{len(data) // 4}f", data))


@pytest.mark.parametrize("vendor", VENDORS)
def test_each_text_gets_its_own_vector_of_unit_length_whatever_the_order_of_the_reply(vendor: str) -> None:
    texts = ["one", "three", "seventeen"]
    with serving(embeddings(vendor)) as server, embedder(server, vendor) as sender:
        made = [numbers(each) for each in sender.passages(texts)]
    for text, found in zip(texts, made, strict=True):
        length = math.sqrt(sum(each * each for each in vector(text)))
        assert found == pytest.approx([each / length for each in vector(text)], abs=1e-6)


@pytest.mark.parametrize(
    ("vendor", "path", "query", "passage"),
    [
        (
            "openai-compatible",
            "/v1/embeddings",
            {"model": "m-1", "input": ["q"], "encoding_format": "float"},
            {"model": "m-1", "input": ["p"], "encoding_format": "float"},
        ),
        (
            "voyage",
            "/v1/embeddings",
            {"model": "m-1", "input": ["q"], "input_type": "query"},
            {"model": "m-1", "input": ["p"], "input_type": "document"},
        ),
        (
            "cohere",
            "/v1/embed",
            {"model": "m-1", "texts": ["q"], "input_type": "search_query", "embedding_types": ["float"]},
            {"model": "m-1", "texts": ["p"], "input_type": "search_document", "embedding_types": ["float"]},
        ),
    ],
)
def test_a_vendor_is_asked_in_its_own_words_for_questions_and_for_passages(
    vendor: str, path: str, query: object, passage: object
) -> None:
    with serving(embeddings(vendor)) as server, embedder(server, vendor) as sender:
        sender.query("q")
        sender.passages(["p"])
        assert [json.loads(body) for body in server.bodies] == [query, passage]
        assert {each for each, _ in server.requests} == {path}
        assert {headers["Authorization"] for _, headers in server.requests} == {f"Bearer {KEY}"}


def test_native_parameters_are_sent_and_make_another_name() -> None:
    with (
        serving(embeddings("openai-compatible")) as server,
        embedder(server, "openai-compatible", native={"dimensions": 3}) as sender,
    ):
        sender.query("q")
        assert json.loads(server.bodies[0])["dimensions"] == 3
        assert sender.name != RemoteEmbedder(lambda *_: {}, "openai-compatible", "m-1", 3).name


def test_ten_thousand_texts_go_in_batches_and_come_back_in_order() -> None:
    texts = [f"text {number}" + "x" * (number % 50) for number in range(10_000)]
    with serving(embeddings("voyage")) as server, embedder(server, "voyage") as sender:
        made = sender.passages(texts)
        assert [round(numbers(each)[0] / numbers(each)[1]) for each in made] == [len(text) for text in texts]
        sizes = [len(json.loads(body)["input"]) for body in server.bodies]
    assert max(sizes) <= MOST_TEXTS and sum(sizes) == len(texts)


def test_long_texts_share_no_request_beyond_its_limit() -> None:
    texts = ["x" * (MOST_CHARACTERS // 2 + 1)] * 3
    with serving(embeddings("voyage")) as server, embedder(server, "voyage") as sender:
        sender.passages(texts)
        assert len(server.bodies) == 3


def test_an_empty_text_is_never_sent_and_still_has_a_vector() -> None:
    with serving(embeddings("openai-compatible")) as server, embedder(server, "openai-compatible") as sender:
        assert len(sender.passages(["", " \n", "a\0b", "half \ud800"])) == 4
        assert all(text.strip() and "\0" not in text for text in json.loads(server.bodies[0])["input"])


def test_a_vector_of_another_dimension_is_refused_with_the_line_to_write() -> None:
    with (
        serving(embeddings("cohere")) as server,
        embedder(server, "cohere", dimension=4) as sender,
        pytest.raises(UsageError, match=r"dimension = 3 into \[knowledge.embedding\]"),
    ):
        sender.query("q")


@pytest.mark.parametrize(
    "given", [[float("nan"), 1.0, 1.0], [float("inf"), 1.0, 1.0], [0.0, 0.0, 0.0], ["a", "b", "c"], None, 7]
)
def test_a_vector_without_direction_is_an_outage(given: object) -> None:
    with (
        serving(embeddings("openai-compatible", lambda _: given)) as server,
        embedder(server, "openai-compatible") as sender,
        pytest.raises(OutageError, match="m-1"),
    ):
        sender.query("q")


@pytest.mark.parametrize("body", [b"{}", b"[]", b"not json", b'{"data": [{"embedding": [1, 2, 3]}]}', b'{"data": []}'])
def test_a_reply_in_another_form_is_an_outage(body: bytes) -> None:
    with (
        serving(answer(body=body)) as server,
        embedder(server, "openai-compatible") as sender,
        pytest.raises(OutageError),
    ):
        sender.query("q")


def test_a_rate_limit_is_waited_for_and_the_same_request_goes_again() -> None:
    limit = answer(429, b'{"error": {"message": "slow down"}}', **{"retry-after-ms": "1"})
    with serving(in_turn(limit, embeddings("voyage"))) as server, embedder(server, "voyage") as sender:
        assert len(sender.query("q")) == 12
        assert server.bodies[0] == server.bodies[1]


def test_a_refusal_says_the_servers_words_and_never_the_key() -> None:
    refusal = answer(401, json.dumps({"error": {"message": f"{KEY} is no key of ours"}}).encode())
    with (
        serving(refusal) as server,
        embedder(server, "openai-compatible") as sender,
        pytest.raises(OutageError, match=r"HTTP 401.*no key of ours") as error,
    ):
        sender.query("q")
    assert KEY not in str(error.value)


def reranking(vendor: str, scores: object) -> Behaviour:
    """A server that gives these scores, best first, as vendors do."""

    def behave(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        assert isinstance(scores, list)
        results = [{"index": place, "relevance_score": score} for place, score in enumerate(scores)]
        results.sort(key=lambda each: -float(each["relevance_score"]))
        answer(body=json.dumps({"data" if vendor == "voyage" else "results": results}).encode())(handler, body)

    return behave


@contextmanager
def reranker(server: Loopback, vendor: str) -> Iterator[RemoteReranker]:
    with closing(JsonService(server.address, KEY, timeout=10, retries=0)) as service:
        yield RemoteReranker(service.ask, vendor, "r-1")


@pytest.mark.parametrize("vendor", ["cohere", "voyage"])
def test_a_reranker_scores_each_text_in_the_order_it_was_given(vendor: str) -> None:
    with serving(reranking(vendor, [0.25, 0.75, 0.5])) as server, reranker(server, vendor) as judge:
        assert judge.scores("which?", ["a", "b", "c"]) == [0.25, 0.75, 0.5]
        assert json.loads(server.bodies[0]) == {"model": "r-1", "query": "which?", "documents": ["a", "b", "c"]}
        assert server.requests[0][0] == "/v1/rerank"


def test_a_reranker_that_is_given_nothing_is_not_asked() -> None:
    with serving(answer(500)) as server, reranker(server, "cohere") as judge:
        assert judge.scores("which?", []) == []
        assert not server.bodies


@pytest.mark.parametrize("scores", [[0.5], [0.5, 1.5], [0.5, -3.0], [0.5, float("nan")]])
def test_scores_that_are_missing_or_outside_0_to_1_are_an_outage(scores: list[float]) -> None:
    with (
        serving(reranking("cohere", scores)) as server,
        reranker(server, "cohere") as judge,
        pytest.raises(OutageError, match="r-1"),
    ):
        judge.scores("which?", ["a", "b"])
