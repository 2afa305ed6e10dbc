"""Which counter measures a transcript: a model's own where it is named, else the best there is here."""

import importlib.util
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from ..core.diagnose.window import Counting
from ..edges.counters.estimate import TOKENIZER, EstimateCounter, O200kCounter
from ..edges.counters.gguf_model import gguf_counter
from ..edges.counters.growing import GrowingPrompt
from ..edges.counters.prompt import TemplateCounter
from ..edges.counters.qwen import QwenCounter
from ..edges.models.table import Models
from ..errors import UsageError
from ..model.policy import Priced

NAMED: dict[str, Callable[[], TemplateCounter | EstimateCounter]] = {
    "qwen2.5": QwenCounter,
    "o200k": O200kCounter,
    "estimate": EstimateCounter,
}
WEIGHTS = ".gguf"
ROUTERS = "/"


def choose(tokenizer: str | None = None) -> Counting:
    """How the tokens of a transcript are counted.

    `tokenizer` is a model's GGUF file, or one of `NAMED`: with a chat template (a file's own, or "qwen2.5") whole
    prompts are counted to the token; else texts are. None takes o200k where its package is installed, and the estimate
    where it is not. UsageError for a name that is not known, or a tokenizer that is not installed.
    """
    if tokenizer is None:
        tokenizer = "o200k" if importlib.util.find_spec(TOKENIZER) is not None else "estimate"
    if tokenizer.lower().endswith(WEIGHTS):
        return _exact(gguf_counter(Path(tokenizer)))
    if tokenizer not in NAMED:
        raise UsageError(f"no tokenizer is called {tokenizer!r}; name {', '.join(NAMED)}, or a model's {WEIGHTS} file")
    counter = NAMED[tokenizer]()
    return _exact(counter) if isinstance(counter, TemplateCounter) else Counting(counter.name, counter.count)


def _exact(counter: TemplateCounter) -> Counting:
    return Counting(f"{counter.name} (exact)", counter.count, lambda: GrowingPrompt(counter))


def prices(models: Models) -> Callable[[str], Priced | None]:
    """The tariff of a model by the name a transcript gives it; a router's prefix (`anthropic/…`) is left out."""

    @lru_cache(256)
    def tariff(name: str) -> Priced | None:
        return models.priced(name) or models.priced(name.rpartition(ROUTERS)[2])

    return tariff
