"""Fakes for every port, in memory, for your own tests: no files, no network, no model, and the same answers every time.

| port | fake | what it does |
|---|---|---|
| Model | `ScriptedModel(profile, replies)` | answers from a list, or from a function of the body; keeps `bodies` |
| Clock | `FixedClock(now)` | gives the same moment until `advance(seconds)` |
| Counter | `FakeCounter()` | a word is a token |
| Index | `FakeIndex(tenant_id, evidence)` | ranks by shared words, inside the query's grants |
| Embedder | `FakeEmbedder()` | makes texts alike that share words; keeps what it `read` |
| Reranker | `FakeReranker()` | the share of the question's words in each text; keeps what it `read` |
| Memories | `FakeMemories(records)` | a list |
| Extractor | `FakeExtractor(found)` | finds what the test said; keeps what it `read` |
| MemoryFiles | `FakeMemoryFiles()` | a dict |
| States | `FakeStates(states)` | a dict, with the check of versions |
| Events | `FakeEvents()` | one queue with its log |
| Approvals | `FakeApprovals()` | what waits and what people decided |
| Values | `FakeValues(values)` | a tuple |
| Tools | `FakeTools(results, offered)` | gives back what the test said, in order; keeps `calls` |
| ToolUses | `FakeToolUses()` | a list |
| Artifacts | `FakeArtifacts()` | a dict |
| Ledger | `FakeLedger()` | the journal in a list |
| Records | `FakeRecords(ledger)` | reads such a journal |

`fake_ports(ctx, model)` wires one of each for a session. A source whose `outage` is set raises it as an `OutageError`.
`open_host(project, data, Overrides(model=ScriptedModel(...)))` takes the model, the tools, the clock, the embedder,
the reranker and the extractor of this page.
"""

from typing import Any

from ..drive.gather import Sources
from ..drive.items import Items
from ..drive.wired import Ports
from ..lab.replies import completion, reply
from ..model.request import RequestContext
from ..ports import Model
from .scripted import NOON, SCRIPTED, FixedClock, ScriptedModel
from .sources import (
    FakeApprovals,
    FakeCounter,
    FakeEmbedder,
    FakeEvents,
    FakeExtractor,
    FakeIndex,
    FakeMemories,
    FakeMemoryFiles,
    FakeReranker,
    FakeStates,
    FakeValues,
)
from .stores import FakeArtifacts, FakeLedger, FakeRecords, FakeTools, FakeToolUses

__all__ = [
    "NOON",
    "SCRIPTED",
    "FakeApprovals",
    "FakeArtifacts",
    "FakeCounter",
    "FakeEmbedder",
    "FakeEvents",
    "FakeExtractor",
    "FakeIndex",
    "FakeLedger",
    "FakeMemories",
    "FakeMemoryFiles",
    "FakeRecords",
    "FakeReranker",
    "FakeStates",
    "FakeToolUses",
    "FakeTools",
    "FakeValues",
    "FixedClock",
    "ScriptedModel",
    "completion",
    "fake_ports",
    "reply",
]


def fake_ports(ctx: RequestContext, model: Model | None = None, **replaced: Any) -> Ports:
    """The ports of one session, a fake for each; `replaced` names those of `Ports` or `Sources` to put in instead."""
    counter, clock = replaced.get("counter", FakeCounter()), replaced.get("clock", FixedClock(ctx.now or NOON))
    events, approvals = replaced.get("events", FakeEvents()), replaced.get("approvals", FakeApprovals())
    sources = Sources(
        ctx=ctx,
        items=replaced.get("items", Items(counter)),
        indexes=replaced.get("indexes", (FakeIndex(),)),
        memories=replaced.get("memories", FakeMemories()),
        states=replaced.get("states", FakeStates()),
        events=events,
        approvals=approvals,
        values=replaced.get("values", FakeValues()),
        clock=clock,
        stale_freshness=replaced.get("stale_freshness", 0.5),
    )
    return Ports(
        model=model,
        counter=counter,
        sources=sources,
        tools=replaced.get("tools", FakeTools()),
        artifacts=replaced.get("artifacts", FakeArtifacts()),
        ledger=replaced.get("ledger", FakeLedger()),
        events=events,
        approvals=approvals,
        uses=replaced.get("uses", FakeToolUses()),
        clock=clock,
    )
