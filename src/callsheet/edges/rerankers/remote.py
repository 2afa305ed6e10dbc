"""Rerankers behind an address, by the wire formats of Cohere (which many servers speak) and Voyage.

| | path | scores under |
|---|---|---|
| cohere v2 | `/rerank` | `results[].relevance_score`, by `index` |
| voyage | `/rerank` | `data[].relevance_score`, by `index` |
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...errors import OutageError

Ask = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
"""Posts a JSON object to a path and gives the JSON object that came back; OutageError where none did."""
PATH = "/rerank"
RESULTS: Mapping[str, str] = {"cohere": "results", "voyage": "data"}
"""Where each vendor's reply has its results."""


class RemoteReranker:
    """Scores by a model behind an address. `native` are parameters in the vendor's own words, sent as they are."""

    def __init__(self, ask: Ask, vendor: str, model: str, native: Mapping[str, Any] | None = None) -> None:
        self.name = f"{vendor}:{model}"
        self._ask, self._results, self._model, self._native = ask, RESULTS[vendor], model, dict(native or {})

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the question, in [0, 1], in order. A failure is an OutageError."""
        if not texts:
            return []
        asked = {"model": self._model, "query": question, "documents": list(texts), **self._native}
        reply = self._ask(PATH, asked)
        try:
            given = {int(each["index"]): float(each["relevance_score"]) for each in reply[self._results]}
            found = [given[place] for place in range(len(texts))]
        except (LookupError, TypeError, ValueError) as error:
            why = f"the reranker {self.name} did not score every text as its vendor documents"
            raise OutageError(f"{why} ({type(error).__name__}: {error})") from error
        for score in found:
            if not (math.isfinite(score) and 0 <= score <= 1):
                raise OutageError(
                    f"the reranker {self.name} gave the score {score}, which lies outside 0 to 1; have its server give "
                    "normalised scores"
                )
        return found
