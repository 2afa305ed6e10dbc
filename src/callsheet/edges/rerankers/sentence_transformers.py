"""Any cross-encoder that the package sentence-transformers can load, in this process."""

import threading
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from ...errors import OutageError

PACKAGE = "sentence_transformers"


class SentenceTransformersReranker:
    """Scores by a cross-encoder of a name or folder, loaded when first used."""

    def __init__(self, model: str) -> None:
        self.name = f"sentence-transformers:{model}"
        self._named, self._model = model, None
        self._lock = threading.Lock()

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the question, in [0, 1], in order. A failure is an OutageError."""
        if not texts:
            return []
        with self._lock:
            try:
                given = self._opened().predict([(question, each) for each in texts], show_progress_bar=False)
            except (ImportError, OSError, RuntimeError, ValueError) as error:
                raise OutageError(f"the reranker {self.name} failed ({error})") from error
        found = [float(each) for each in given]
        if not all(0 <= each <= 1 for each in found):
            raise OutageError(f"the reranker {self.name} gave a score outside 0 to 1")
        return found

    def _opened(self) -> Any:
        if self._model is None:
            # Whatever the model was saved with: a logit is no score.
            sigmoid = import_module("torch").nn.Sigmoid()
            self._model = import_module(PACKAGE).CrossEncoder(self._named, activation_fn=sigmoid)
        return self._model
