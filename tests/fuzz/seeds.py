"""Whole transcripts to spoil: one at least of every format, made up; and real ones where CALLSHEET_DATA names some."""

import json
import os
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from ..edges.transcripts import (
    test_claude_stream,
    test_copies,
    test_damaged_runs,
    test_messages,
    test_other_agents,
    test_recordings,
    test_traces,
)
from ..edges.transcripts.reads import lines

SAMPLES = Path(__file__).parents[1] / "cases"
SETS = (
    "agent-log-formats", "agentdojo", "api-cassettes", "claude-code-sessions", "inspect-eval-logs", "livemcpbench/runs",
    "openhands-trajs", "pi-sessions", "swe-agent-trajs", "tau-bench-airline",
)  # fmt: skip
ENDS = (".jsonl", ".json", ".traj")
LINES, ENTRIES = 25, 8
"""How much of a recording is spoiled at a time: many small cases find more than few long ones."""

COMMAND = {"id": "i1", "type": "command_execution", "command": "cat a.py", "aggregated_output": "a", "exit_code": 1}
EXECUTED: list[dict[str, Any]] = [
    {"type": "thread.started", "thread_id": "t"},
    {"type": "turn.started"},
    {"type": "item.started", "item": {**COMMAND, "status": "in_progress"}},
    {"type": "item.completed", "item": {**COMMAND, "status": "failed"}},
    {"type": "item.completed", "item": {"id": "i2", "type": "file_change", "changes": [{"path": "/a", "kind": "add"}]}},
    {"type": "item.completed", "item": {"id": "i3", "type": "agent_message", "text": "done"}},
    {"type": "turn.completed", "usage": {"input_tokens": 10, "cached_input_tokens": 4, "output_tokens": 2}},
    {"type": "turn.failed", "error": {"message": "limit"}},
]
GEMINI: dict[str, Any] = {
    "sessionId": "s",
    "projectHash": "p",
    "startTime": "x",
    "lastUpdated": "y",
    "messages": [
        test_other_agents.gemini("u", type="user", content=[{"text": "hi"}]),
        test_other_agents.gemini(
            "g", type="gemini", content="", toolCalls=[test_other_agents.CALL], tokens=test_other_agents.TOKENS
        ),
        test_other_agents.gemini("h", type="gemini", content="bye"),
    ],
}
ASK = [{"role": "user", "content": "Where?"}]
RUNS: list[dict[str, Any]] = [
    {"id": "a", "traceId": "t", "type": "SPAN", "name": "run"},
    {"id": "b", "traceId": "t", "type": "GENERATION", "model": "gpt-5", "startTime": "2026-11-30T10:00:00Z",
     "input": {"messages": ASK, "tools": [{"type": "function", "function": {"name": "find", "parameters": {}}}]},
     "output": {"role": "assistant", "content": None, "tool_calls": [test_recordings.CALL]},
     "usageDetails": {"input": 40, "input_cached_tokens": 60, "output": 5, "total": 105}, "totalCost": 0.25},
    {"id": "p", "trace_id": "t", "run_type": "chain", "inputs": {}, "child_runs": [
        {"id": "c", "trace_id": "t", "run_type": "llm", "inputs": {"messages": ASK},
         "outputs": {"choices": [{"message": {"role": "assistant", "content": "Home."}}]}},
    ]},
]  # fmt: skip


def made_up() -> dict[str, bytes]:
    """A small transcript of every format, by name."""
    found = {f"{name} rows": lines(*rows) for name, rows in test_copies.FILES.items()}
    for number, (form, value) in enumerate(test_damaged_runs.FILES):
        found[f"{form.name} {number}"] = json.dumps(value).encode()
    for name, shape in test_recordings.SHAPES.items():
        found[f"recordings {name}"] = shape if isinstance(shape, bytes) else json.dumps(shape).encode()
    for name, form in test_messages.FORMS.items():
        found[f"langchain {name}"] = json.dumps(form).encode()
    found["pydantic-ai"] = json.dumps(test_messages.PYDANTIC).encode()
    found["ledger"] = lines(test_messages.recorded(1, "Why?"), test_messages.recorded(2, "How?"))
    found["claude-code stream"] = lines(*test_claude_stream.TALK)
    found["otlp"] = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": test_traces.TALK}]}]}).encode()
    found["codex exec"] = lines(*EXECUTED)
    found["gemini"] = json.dumps(GEMINI).encode()
    found["traces"] = json.dumps(RUNS).encode()
    return found


@cache
def recorded() -> tuple[Path, ...]:
    """The recordings of the repository, and those of the folder that CALLSHEET_DATA names."""
    own = sorted(SAMPLES.rglob("*.jsonl"))
    data = os.environ.get("CALLSHEET_DATA")
    folders = [Path(data) / each for each in SETS] if data else []
    real = (path for folder in folders for path in sorted(folder.rglob("*")) if path.suffix in ENDS)
    return (*own, *real)


@cache
def _made() -> tuple[bytes, ...]:
    return tuple(made_up().values())


@cache
def _by_folder() -> tuple[tuple[Path, ...], ...]:
    folders: dict[Path, list[Path]] = {}
    for path in recorded():
        folders.setdefault(path.parent, []).append(path)
    return tuple(map(tuple, folders.values()))


@cache
def _content(path: Path) -> bytes:
    return path.read_bytes()


def seed(random: Random) -> bytes:
    """A transcript to spoil: made up or recorded, each folder of recordings as often as another, and a piece of it."""
    if random.random() < 0.4:
        return random.choice(_made())
    data = _content(random.choice(random.choice(_by_folder())))
    try:
        value = json.loads(data)
    except ValueError:
        rows = data.splitlines(keepends=True)
        at = max(0, random.randrange(len(rows)) - LINES // 2) if random.random() < 0.5 else 0
        return b"".join(rows[at : at + LINES])
    return json.dumps(shortened(value, random)).encode()


def shortened(value: Any, random: Random) -> Any:
    """The value with a few neighbouring entries of each long list."""
    if isinstance(value, dict):
        return {key: shortened(inner, random) for key, inner in value.items()}
    if not isinstance(value, list):
        return value
    at = random.randrange(max(1, len(value) - ENTRIES))
    return [shortened(each, random) for each in value[at : at + ENTRIES]]
