"""Embedders behind an address, by the wire formats of OpenAI (which many servers speak), Voyage and Cohere.

| | path | texts under | query, passage | vectors under | at most a request |
|---|---|---|---|---|---|
| openai | `/embeddings` | `input` | - | `data[].embedding`, by `index` | 2,048 texts |
| voyage | `/embeddings` | `input` | `input_type` `query`, `document` | `data[].embedding`, by `index` | 1,000 texts |
| cohere v2 | `/embed` | `texts` | `input_type` `search_query`, `search_document` | `embeddings.float` | 96 texts |
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ...errors import OutageError
from ...ports import Means
from .vectors import packed, readable

Ask = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
"""Posts a JSON object to a path and gives the JSON object that came back; OutageError where none did."""
Kind = Literal["query", "passage"]


@dataclass(frozen=True, slots=True)
class Format:
    """How one vendor wants to be asked: the path, and the fields around the texts for each kind of text."""

    path: str
    texts: str
    kinds: Mapping[Kind, Mapping[str, Any]]
    vectors: Callable[[Mapping[str, Any]], Sequence[Any]]


def by_index(reply: Mapping[str, Any]) -> Sequence[Any]:
    """The vectors of a reply whose entries name the place of their text."""
    return [each["embedding"] for each in sorted(reply["data"], key=lambda each: int(each["index"]))]


OPENAI = Format(
    "/embeddings",
    "input",
    {"query": {"encoding_format": "float"}, "passage": {"encoding_format": "float"}},
    by_index,
)
VOYAGE = Format(
    "/embeddings", "input", {"query": {"input_type": "query"}, "passage": {"input_type": "document"}}, by_index
)
COHERE = Format(
    "/embed",
    "texts",
    {
        "query": {"input_type": "search_query", "embedding_types": ["float"]},
        "passage": {"input_type": "search_document", "embedding_types": ["float"]},
    },
    lambda reply: list(reply["embeddings"]["float"]),
)
FORMATS: Mapping[str, Format] = {"openai-compatible": OPENAI, "voyage": VOYAGE, "cohere": COHERE}
MOST_TEXTS = 96
MOST_CHARACTERS = 100_000
"""Of one request, far below each vendor's limit in tokens."""


class RemoteEmbedder:
    """Vectors by a model behind an address. `native` are parameters in the vendor's own words, sent as they are.

    The name does not hold the address: the same model moved elsewhere gives the same vectors.
    """

    means: Means | None = None

    def __init__(
        self, ask: Ask, vendor: str, model: str, dimension: int, native: Mapping[str, Any] | None = None
    ) -> None:
        self.dimension = dimension
        self._native = dict(native or {})
        own = json.dumps(self._native, sort_keys=True, default=str)
        told = f":{hashlib.sha256(own.encode()).hexdigest()[:8]}" if self._native else ""
        self.name = f"{vendor}:{model}:{dimension}{told}"
        self._ask, self._format, self._model = ask, FORMATS[vendor], model

    def query(self, text: str) -> bytes:
        """The vector of a question."""
        return self._vectors([text], "query")[0]

    def passages(self, texts: Sequence[str]) -> list[bytes]:
        """The vectors of texts that answer questions, in order, asked for in batches."""
        return [vector for batch in batches(texts) for vector in self._vectors(batch, "passage")]

    def _vectors(self, texts: Sequence[str], kind: Kind) -> list[bytes]:
        form = self._format
        body = {"model": self._model, form.texts: [readable(each) for each in texts], **form.kinds[kind]}
        reply = self._ask(form.path, {**body, **self._native})
        try:
            vectors = form.vectors(reply)
        except (LookupError, TypeError, ValueError) as error:
            why = f"the embedder {self.name} answered in another form than its vendor documents"
            raise OutageError(f"{why} ({type(error).__name__}: {error})") from error
        return packed(vectors, len(texts), self.dimension, self.name)


def batches(texts: Sequence[str]) -> list[list[str]]:
    """Texts in order, in groups that one request may hold."""
    found, room = list[list[str]](), 0
    for text in texts:
        if not found or len(found[-1]) == MOST_TEXTS or room < len(text):
            found.append([])
            room = MOST_CHARACTERS
        found[-1].append(text)
        room -= len(text)
    return found
