"""Models of the package sentence-transformers, by a stand-in for the package that has its calls."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from callsheet.edges.embedders.sentence_transformers import SentenceTransformersEmbedder
from callsheet.edges.rerankers.sentence_transformers import SentenceTransformersReranker
from callsheet.errors import OutageError

PACKAGE = """
class SentenceTransformer:
    def __init__(self, name):
        if name == "absent":
            raise OSError("no model of that name")
    def encode_query(self, texts, convert_to_numpy, show_progress_bar):
        return [[1.0, 0.0] for _ in texts]
    def encode_document(self, texts, convert_to_numpy, show_progress_bar):
        return [[0.0, float(len(text))] for text in texts]

class CrossEncoder:
    def __init__(self, name, activation_fn):
        self.activate = activation_fn
    def predict(self, pairs, show_progress_bar):
        return [self.activate(len(set(question.split()) & set(text.split()))) for question, text in pairs]
"""
TORCH = """
class nn:
    class Sigmoid:
        def __call__(self, logit):
            return 1 / (1 + 2.718281828 ** -logit)
"""


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "sentence_transformers.py").write_text(PACKAGE, encoding="utf-8")
    (tmp_path / "torch.py").write_text(TORCH, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    stand_ins = ("sentence_transformers", "torch")
    before = {name: sys.modules.pop(name) for name in stand_ins if name in sys.modules}
    yield
    for name in stand_ins:
        sys.modules.pop(name, None)
    sys.modules.update(before)


def test_questions_and_passages_go_by_the_prompts_of_their_own() -> None:
    embedder = SentenceTransformersEmbedder("some/model", 2)
    assert embedder.query("q") != embedder.passages(["p"])[0]
    assert embedder.passages(["a", "bcd"])[0] == embedder.passages(["bcd"])[0]  # of unit length


def test_a_model_that_cannot_be_loaded_is_an_outage() -> None:
    with pytest.raises(OutageError, match="no model of that name"):
        SentenceTransformersEmbedder("absent", 2).query("q")


def test_a_cross_encoder_gives_scores_and_no_logits() -> None:
    scores = SentenceTransformersReranker("some/model").scores("which key", ["a key", "nothing", "which key"])
    assert [round(score, 2) for score in scores] == [0.73, 0.5, 0.88]
    assert SentenceTransformersReranker("some/model").scores("q", []) == []
