"""What a session may not see changes no byte of anything it is told, but for ids of chance (A3, invariant 2)."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from callsheet import Host, RequestContext
from callsheet.cli.shapes import run_json, search_json, show_json
from callsheet.errors import UnknownName
from callsheet.host.host import open_host
from callsheet.host.knowledge.preload import preload_advice
from callsheet.host.wiring import Overrides
from callsheet.testing import SCRIPTED, FakeEmbedder, FixedClock, ScriptedModel

from .stage import customer, project

Documents = Sequence[dict[str, Any]]
QUESTIONS = ("Can a revoked pelican key be restored?", "Where does the pelican nest, and how are keys revoked?")
ANSWER = {
    "kind": "answer",
    "answer": "A revoked key cannot be restored.",
    "sources": ["runbook/api-keys@v7#revoked-keys"],
    "next_steps": [],
}
SETTINGS = """
[knowledge]
sufficient = 0.2
claims = "mark"
route = "auto"
usage = true
excerpts = 0.4

[knowledge.ranking]
graph = 0.4
diversity = 0.3
experience = 0.4
"""
OWN = [
    {
        "id": f"notes/{n}",
        "effective": "2026-01-01",
        "text": f"# Pelican {n}\n\nIt nests by the lake of keys, PL-{n % 2}.",
    }
    for n in range(4)
]


def strange(scope: str | None, day: str) -> Documents:
    """Documents that would change everything: more of each word, of each code, of the same id, in place of others."""
    text = "# Zebra pelican {}\n\nThe revoked pelican key is restored by the lake, PL-{}. See [x](notes/2)."
    common: dict[str, Any] = {"version": "v9", "effective": day} | ({"scope": scope} if scope else {})
    return [
        {"id": f"strange/{n}", "supersedes": ["notes/1", "runbook/api-keys"], "text": text.format(n, n % 2), **common}
        for n in range(4)
    ] + [{"id": "notes/2", "text": "# Pelican 2\n\nA key.", **common}]


def opened(folder: Path) -> Host:
    settings = project(folder) / "callsheet.toml"
    settings.write_text(settings.read_text(encoding="utf-8") + SETTINGS, encoding="utf-8")
    runs = count(1)
    model = ScriptedModel(SCRIPTED, lambda _: ANSWER)
    overrides = Overrides(model, clock=FixedClock(), token=lambda: f"{next(runs):08d}", embedder=FakeEmbedder())
    return open_host(project(folder), folder / "data", overrides)


def told(folder: Path, *others: tuple[RequestContext, bool, Documents]) -> dict[str, Any]:
    """All that a session is told, where others have written these documents before it and after."""
    ctx = customer("publish")
    with opened(folder) as host:
        for other, shared, documents in others:
            host.ingest(documents, other, shared)
        said: dict[str, Any] = {"ingest": [asdict(host.knowledge.ingest(OWN, ctx)) for _ in range(2)]}
        for other, shared, documents in others:
            host.ingest([{**each, "version": "v8"} for each in documents], other, shared)
        for shared in (False, True):
            host.embed(ctx, shared)
        remembered(host, ctx)
        said["lacking"] = [host.lacking_vectors(ctx, shared) for shared in (False, True)]
        for question in QUESTIONS:
            for history in (False, True):
                said[f"{question} {history}"] = search_json(host.knowledge.search(question, ctx, 10, history))
            for kind in (None, "answer"):
                result = host.run(question, ctx, decision=kind)
                said[f"{question} {kind}"] = (
                    run_json(result),
                    [recorded(host, each, ctx) for each in result.request_ids],
                )
        owner = replace(ctx, grants=(*ctx.grants, "audit"))
        said["preload"] = asdict(preload_advice(host.folder, host.policy.model, host.recent(owner, 100)))
    text = json.dumps(said, default=str, ensure_ascii=False).replace(str(folder), "")
    for number, memory in enumerate(dict.fromkeys(re.findall(r"m-[0-9a-f]{16}", text))):
        text = text.replace(memory, f"m-{number}")
    found: dict[str, Any] = json.loads(text)
    return found


def remembered(host: Host, ctx: RequestContext) -> None:
    """Has the vectors of the memories made, which otherwise come beside the requests."""
    host.assemble(QUESTIONS[0], ctx)  # the index takes the memories in when they are first searched
    index = host._tenants.recall._index(host.stores(ctx)).index
    assert host._tenants.indexes.embedding.want(index).over.wait(60) and index.pending() == 0


def recorded(host: Host, request_id: str, ctx: RequestContext) -> dict[str, Any]:
    """A request as it is shown and replayed, and what is said of each item, and of one that is not to be known of."""
    manifest = host.show(request_id, ctx).manifest
    names = [each.item_id for each in (*manifest.items, *manifest.left_out)]
    with pytest.raises(UnknownName) as unknown:
        host.why(request_id, item="strange/1@v9#zebra-pelican-1", ctx=ctx)
    return {
        "show": show_json(host.show(request_id, ctx)),
        "why": [str(host.why(request_id, item=name, ctx=ctx)) for name in names],
        "unknown": str(unknown.value),
        "replay": str(host.replay(request_id, ctx=ctx)),
    }


def test_what_a_session_may_not_see_changes_nothing_that_it_is_told(tmp_path: Path) -> None:
    insider, foreigner = customer("internal", "publish", subject="u9"), customer("publish", tenant="globex")
    alone = told(tmp_path / "alone")
    for name, *others in (
        (
            "scope",
            (insider, False, strange("internal", "2026-03-01")),
            (insider, True, strange("internal", "2026-03-01")),
        ),
        ("tenant", (foreigner, False, strange(None, "2026-03-01"))),
        ("future", (insider, False, strange(None, "2029-01-01")), (insider, True, strange(None, "2029-01-01"))),
    ):
        assert told(tmp_path / name, *others) == alone, name
    with opened(tmp_path / "seen") as host:
        host.ingest([*OWN, *strange(None, "2026-03-01")], customer())
        assert "strange/1" in {each.document_id for each in host.search(QUESTIONS[0], customer())}


def test_a_document_of_the_same_name_takes_nothing_from_those_who_see_another_one(tmp_path: Path) -> None:
    with opened(tmp_path) as host:
        host.ingest([{"id": "notes/board", "text": "The zebra is sold.", "scope": "internal"}], customer("internal"))
        host.ingest([{"id": "notes/board", "text": "The zebra is kept."}], customer())
        texts = {each.text for each in host.search("zebra", customer("internal"))}
    assert "The zebra is sold." in texts


def test_a_secret_in_a_question_reaches_no_embedder(tmp_path: Path) -> None:
    with opened(tmp_path) as host:
        host.ingest(OWN, customer())
        embedder = host._tenants.indexes.rankers.embedder()
        assert isinstance(embedder, FakeEmbedder)
        host.search("Is sk_live_51HxYzAbCdEfGhIjKl a pelican key?", customer())
        assert embedder.read and not [text for text in embedder.read if "sk_live_51" in text]
