"""What every walk stands on: a copy of the support project, an empty store, a scripted model, a clock that stands."""

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from callsheet import Host, RequestContext
from callsheet.cli.shapes import run_json, show_json
from callsheet.edges.project.templates import write_template
from callsheet.host.host import open_host
from callsheet.host.wiring import Overrides
from callsheet.model.effect import RunResult
from callsheet.ports import StoredRequest, Tools
from callsheet.testing import SCRIPTED, FixedClock, ScriptedModel
from callsheet.testing.scripted import Said

from ..processes import begin_together
from ..source import ROOT

QUESTION = "Why is my API key not working?"
KEY = re.compile(r"sk_live_\w+")
CHECK = {"kind": "calls", "calls": [{"tool": "check_api_key_status", "arguments": {"account_id": "A-123"}}]}
ROTATE = {"kind": "calls", "calls": [{"tool": "rotate_api_key", "arguments": {"account_id": "A-123"}}]}
ANSWER: dict[str, Any] = {
    "kind": "answer",
    "answer": "Your key has the status revoked: it was found in a public repository. Create a new key in the console.",
    "sources": ["runbook/api-keys@v7#revoked-keys"],
    "next_steps": ["Create a new key under Settings > API keys."],
}


# The runs of one test are counted: an id of chance would change what an observation's reference counts in tokens.
_RUNS: defaultdict[Path, Iterator[int]] = defaultdict(lambda: count(1))


def helpful(body: bytes) -> Said:
    """A model that checks the key first, and then answers from what it was given, naming observation and runbook."""
    observed = references(body)
    return {**ANSWER, "sources": [*ANSWER["sources"], *observed]} if observed else CHECK


def references(body: bytes) -> list[str]:
    """The references of the observations in a body."""
    return sorted({found.decode() for found in re.findall(rb"source: (toolrun://[\w.-]+/\d+)", body)})


def evidence(body: bytes) -> list[str]:
    """The sources of the evidence in a body."""
    return sorted({found.decode() for found in re.findall(rb"source: ([\w/.-]+@[^\\\s]+)", body)})


def scripted(host: Host) -> ScriptedModel:
    """The model that a stage's host was given."""
    assert isinstance(host._model, ScriptedModel)
    return host._model


def project(tmp_path: Path) -> Path:
    """The support project, written once per test."""
    folder = tmp_path / "support"
    if not folder.exists():
        write_template("support", folder)
    return folder


def open_stage(
    tmp_path: Path,
    replies: Sequence[Said] | Callable[[bytes], Said] = (),
    tools: Tools | None = None,
    clock: FixedClock | None = None,
) -> Host:
    """A host of the support project, its data beside it; opened again it goes on with the same data."""
    runs = _RUNS[tmp_path]
    overrides = Overrides(
        model=ScriptedModel(SCRIPTED, replies),
        tools=tools,
        clock=clock or FixedClock(),
        token=lambda: f"{next(runs):08d}",
    )
    return open_host(project(tmp_path), tmp_path / "data", overrides)


def customer(*grants: str, tenant: str = "acme", subject: str = "u1") -> RequestContext:
    """The session of a customer, as an application would build it."""
    return RequestContext(tenant, f"customer:{subject}", subject, grants=grants)


def changes(tmp_path: Path) -> list[dict[str, Any]]:
    """What consequential tools did to the accounts, in order."""
    path = project(tmp_path) / ".callsheet" / "accounts.json"
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["changes"] if path.exists() else []
    return found


def told(host: Host, result: RunResult, ctx: RequestContext | None = None) -> dict[str, Any]:
    """A run and each of its requests as the command line prints them, for a golden file.

    What is new each time is given a fixed name: the run, and the memories that a new store was seeded with.
    """
    requests = [readable(host.show(request_id, ctx)) for request_id in result.request_ids]
    return _settled({"run": run_json(result), "requests": requests}, result.run_id)


def readable(stored: StoredRequest) -> dict[str, Any]:
    """A stored request with its body as lines, so that a difference can be read."""
    shown = show_json(stored)
    body = json.loads(shown["body"])
    messages = [{"role": each["role"], "content": each["content"].split("\n")} for each in body["messages"]]
    reply = json.loads(shown["reply"]) if shown["reply"] else None
    return {**shown, "body": {**body, "messages": messages}, "reply": reply}


def _settled(document: dict[str, Any], run_id: str) -> dict[str, Any]:
    text = json.dumps(document, ensure_ascii=False).replace(run_id, "RUN")
    for number, record_id in enumerate(dict.fromkeys(re.findall(r"memory/m-[0-9a-f]{16}", text)), 1):
        text = text.replace(record_id, f"memory/m-{number}")
    settled: dict[str, Any] = json.loads(re.sub(r'"policy": "b2:[0-9a-f]{32}"', '"policy": "POLICY"', text))
    return settled


def tools_of(stored: StoredRequest) -> set[str]:
    """The names of the tools in a request's set."""
    return {item.item_id.removeprefix("tool/") for item in stored.manifest.items if item.kind == "tool"}


def at_once(module: str, call: str, count: int) -> list[Any]:
    """What `count` processes print as JSON that begin the same call of a test module at the same moment.

    Each says `ready`, waits for a line, and then does its work.
    """
    code = f"from tests.walks import {module} as here; here.{call}"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    running = [subprocess.Popen([sys.executable, "-c", code], env=environment, **pipes) for _ in range(count)]
    begin_together(running)
    return [json.loads(each.communicate()[0]) for each in running]
