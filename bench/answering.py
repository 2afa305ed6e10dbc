"""Who answers the probes: the embedded model, or nobody, where only answers on file may be counted."""

from typing import Any

from callsheet.edges.providers.embedded import EmbeddedModel
from callsheet.edges.providers.weights import DEFAULT, find
from callsheet.errors import UsageError
from callsheet.host.host import weights_cache
from callsheet.model.message import Reply
from callsheet.model.policy import ModelProfile


class Nobody:
    """A model that is never asked, and needs no weights: UsageError where an answer is not on file."""

    def __init__(self, profile: ModelProfile) -> None:
        self.profile = profile

    def call(self, body: bytes, sink: Any = None) -> Reply:
        raise UsageError("an answer is not on file; without --on-file the embedded model is asked, which takes an hour")

    def cancel(self, sink: Any = None) -> None: ...

    def close(self) -> None: ...


def answering(profile: ModelProfile, threads: int | None, on_file: bool, **more: Any) -> EmbeddedModel | Nobody:
    """The embedded model with this profile, not loaded yet; or nobody. WeightsError where its weights are not there."""
    if on_file:
        return Nobody(profile)
    window = profile.window
    return EmbeddedModel(find(DEFAULT, weights_cache()), profile, threads, timeout=1_800, context=window, **more)
