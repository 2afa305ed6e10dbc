"""Any model that the package sentence-transformers can load, in this process; nothing is fetched unless it does so."""

import threading
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from ...errors import OutageError
from ...ports import Means
from .vectors import packed, readable

PACKAGE = "sentence_transformers"


class SentenceTransformersEmbedder:
    """Vectors by a model of a name or folder, loaded when first used. Prompts for queries and documents are its own."""

    means: Means | None = None

    def __init__(self, model: str, dimension: int) -> None:
        self.name = f"sentence-transformers:{model}:{dimension}"
        self.dimension = dimension
        self._named, self._model = model, None
        self._lock = threading.Lock()

    def query(self, text: str) -> bytes:
        """The vector of a question."""
        return self._encoded([text], "encode_query")[0]

    def passages(self, texts: Sequence[str]) -> list[bytes]:
        """The vectors of texts that answer questions, in order."""
        return self._encoded(texts, "encode_document")

    def _encoded(self, texts: Sequence[str], method: str) -> list[bytes]:
        with self._lock:
            encode = getattr(self._opened(), method)
            try:
                rows = encode([readable(each) for each in texts], convert_to_numpy=True, show_progress_bar=False)
            except (RuntimeError, ValueError) as error:
                raise OutageError(f"the embedder {self.name} failed ({error})") from error
        return packed(rows, len(texts), self.dimension, self.name)

    def _opened(self) -> Any:
        if self._model is None:
            try:
                self._model = import_module(PACKAGE).SentenceTransformer(self._named)
            except (ImportError, OSError, RuntimeError, ValueError) as error:
                raise OutageError(f"the embedder {self.name} cannot be loaded ({error})") from error
        return self._model
