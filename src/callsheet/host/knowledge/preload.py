"""How a project's knowledge is used, from the ledger: what recorded answers cited, and whether to preload it (B6)."""

from collections import Counter as Tally
from collections.abc import Iterable, Iterator

from ...core.diagnose.preload import Answered, PreloadAdvice, preload_or_fetch
from ...core.prices import USUAL
from ...core.sources.preloaded import objection, preloaded_items
from ...edges.project.folder import ProjectFolder
from ...model.evidence import Evidence
from ...model.policy import ModelProfile
from ...ports import StoredRequest
from ..wiring import open_counter, own_weights

NEWEST = 1_000
"""Requests that are looked at."""


def preload_advice(folder: ProjectFolder, model: ModelProfile, recorded: Iterable[StoredRequest]) -> PreloadAdvice:
    """Whether to preload the document that answers most of these requests, with the prices of the model.

    Where no prices are known, their usual relation is taken. What was deleted says nothing.
    """
    answered = sorted(answers(recorded), key=lambda each: each.at)
    counter = open_counter(model, own_weights(folder))
    ids = {document.document_id for document in folder.documents}
    tokens = {
        name: sum(counter.count(item.text) for item in preloaded_items(folder.documents, (name,)))
        for name in ids
        if not objection(folder.documents, name)
    }
    return preload_or_fetch(answered, tokens, model.prices or USUAL)


def answers(recorded: Iterable[StoredRequest]) -> Iterator[Answered]:
    """Of each request that was answered from evidence, what the answer cited and what its evidence took."""
    for request in recorded:
        if request.step is None or request.step.outcome != "answer":
            continue
        fetched: Tally[str] = Tally()
        preloaded: Tally[str] = Tally()
        cited = []
        for item in request.manifest.items:
            if isinstance(item.record, Evidence):
                (preloaded if item.required else fetched)[item.record.document_id] += item.token_count
                if item.source in request.step.sources:
                    cited.append(f"{item.record.document_id}@{item.record.version}")
        if cited:
            yield Answered(request.created_at, tuple(cited), fetched, preloaded)
