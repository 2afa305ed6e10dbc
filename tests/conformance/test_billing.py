"""What sessions were billed, beside a plain reading of their files: every token reported, each response once."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from callsheet.transcripts import inspect

DATA = os.environ.get("CALLSHEET_DATA")
pytestmark = pytest.mark.skipif(DATA is None, reason="CALLSHEET_DATA names no folder")
Figures = tuple[int, int, int]
"""Input that was not read from a cache, input that was, output."""


def rows(path: Path) -> Iterator[Any]:
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            yield row


def claude_code(path: Path) -> list[Figures]:
    found: dict[Any, Figures] = {}
    for row in rows(path):
        message = row.get("message")
        if row.get("type") == "assistant" and isinstance(message, dict) and isinstance(message.get("usage"), dict):
            usage = message["usage"]
            key = (message.get("id") or row.get("uuid"), row.get("requestId"))
            fresh = (usage.get("input_tokens") or 0) + (usage.get("cache_creation_input_tokens") or 0)
            found[key] = fresh, usage.get("cache_read_input_tokens") or 0, usage.get("output_tokens") or 0
    return list(found.values())


def pi(path: Path) -> list[Figures]:
    said = (row["message"] for row in rows(path) if row.get("type") == "message")
    usages = (message["usage"] for message in said if message.get("role") == "assistant" and "usage" in message)
    return [(each["input"] + each["cacheWrite"], each["cacheRead"], each["output"]) for each in usages]


READINGS: dict[str, Callable[[Path], list[Figures]]] = {"claude-code-sessions": claude_code, "pi-sessions": pi}
FILES = [
    (path, reading)
    for folder, reading in READINGS.items()
    for path in (sorted(Path(DATA, folder).rglob("*.jsonl")) if DATA else ())
]


@pytest.mark.parametrize(("path", "reading"), FILES, ids=lambda each: getattr(each, "name", ""))
def test_billed_tokens_are_those_that_were_reported(path: Path, reading: Callable[[Path], list[Figures]]) -> None:
    expected = [sum(column) for column in zip(*reading(path), strict=True)] or [0, 0, 0]
    told = inspect(path, tokenizer="estimate")
    usage = told.usage
    assert [usage.input + usage.cache_write, usage.cached_read, usage.output] == expected
    by_turn = [sum(column) for column in zip(*((t.usage.prompt, t.usage.output) for t in told.buckets), strict=True)]
    by_model = [sum(column) for column in zip(*((m.usage.prompt, m.usage.output) for m in told.models), strict=True)]
    assert by_turn in ([usage.prompt, usage.output], []) and by_model in ([usage.prompt, usage.output], [])
    reported = [turn for turn in told.buckets if turn.usage.prompt]
    assert all(sum(turn.billed.values()) >= turn.usage.prompt for turn in reported)
    assert sum(sum(turn.billed.values()) for turn in reported) >= usage.prompt
    if all(figures[0] + figures[1] for figures in reading(path)):
        assert sum(told.billed.values()) == usage.prompt
