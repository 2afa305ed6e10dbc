"""Real logs of coding agents: every record accounted for; calls, results and tokens as a second reading counts them.

The logs are read from the folder that CALLSHEET_DATA names (see bench/DATA.md); without it the tests are skipped.
"""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from callsheet.edges.transcripts.formats import events, recognise
from callsheet.edges.transcripts.reading.records import Source
from callsheet.model.message import CallBlock, ResultBlock, Usage
from callsheet.model.transcript import Accounted, Event, Reported, Said

FOLDERS = ("claude-code-sessions", "pi-sessions", "agent-log-formats")
ROOT = Path(os.environ.get("CALLSHEET_DATA", ""))
LOGS = [
    each
    for folder in FOLDERS
    if os.environ.get("CALLSHEET_DATA")
    for each in sorted((ROOT / folder).rglob("*"))
    if each.suffix in (".json", ".jsonl")
]


@dataclass(slots=True)
class Count:
    """What a file holds: ids of calls and results in order; what each response used (input, read, written, output)."""

    records: int = 0
    calls: list[Any] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    used: dict[Any, tuple[int, int, int, int]] = field(default_factory=dict)

    @property
    def total(self) -> tuple[int, ...]:
        return tuple(map(sum, zip(*self.used.values(), strict=True))) or (0, 0, 0, 0)


def lines(path: Path) -> Iterator[Any]:
    for line in path.read_text(errors="replace").splitlines():
        if line.strip():
            yield json.loads(line)


def figures(raw: Any, *keys: str) -> Any:
    return tuple(raw.get(key) or 0 for key in keys)


def claude_code(path: Path) -> Count:
    count = Count()
    if path.suffix == ".json":
        return Count(1)
    for row in lines(path):
        count.records += 1
        message = row.get("message") if isinstance(row, dict) else None
        if not isinstance(message, dict) or row.get("type") not in ("user", "assistant"):
            continue
        content = message.get("content")
        for block in content if isinstance(content, list) else []:
            if isinstance(block, dict) and block.get("type") == "tool_use":
                count.calls.append(block.get("id"))
            if isinstance(block, dict) and block.get("type") == "tool_result":
                count.results.append(block.get("tool_use_id"))
        if message.get("usage") and message.get("model") != "<synthetic>":
            keys = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")
            count.used[message.get("id") or row.get("requestId")] = figures(message["usage"], *keys)
    return count


def pi(path: Path) -> Count:
    count = Count()
    for at, entry in enumerate(lines(path)):
        count.records += 1
        message = entry.get("message", {})
        if message.get("role") == "assistant":
            count.calls += [each["id"] for each in message["content"] if each["type"] == "toolCall"]
            count.used[at] = figures(message["usage"], "input", "cacheRead", "cacheWrite", "output")
        if message.get("role") == "toolResult":
            count.results.append(message["toolCallId"])
    return count


def codex(path: Path) -> Count:
    count, totals = Count(), None
    for row in lines(path):
        count.records += 1
        payload = row.get("payload", row)
        kind = str(payload.get("type"))
        if kind == "token_count" and payload.get("info") and payload["info"]["total_token_usage"] != totals:
            totals, last = payload["info"]["total_token_usage"], payload["info"]["last_token_usage"]
            prompt, read, output = figures(last, "input_tokens", "cached_input_tokens", "output_tokens")
            count.used[count.records] = (prompt - read, read, 0, output)
        if row.get("type") in ("event_msg", "compacted"):
            continue
        if kind.endswith("_call"):
            count.calls.append(payload.get("call_id", payload.get("id")))
        if kind.endswith(("_output", "_result")):
            count.results.append(payload.get("call_id"))
    return count


def copilot(path: Path) -> Count:
    count, written, ended = Count(), 0, False
    for event in lines(path):
        count.records += 1
        data = event["data"]
        if event["type"] == "assistant.message":
            count.calls += [each["toolCallId"] for each in data["toolRequests"]]
            written += data.get("outputTokens", 0)
        if event["type"] == "tool.execution_complete":
            count.results.append(data["toolCallId"])
        if event["type"] == "session.shutdown":
            for name, model in data["modelMetrics"].items():
                prompt, read, output = figures(model.get("usage", {}), "inputTokens", "cacheReadTokens", "outputTokens")
                count.used[name] = (prompt - read, read, 0, output)
                ended = ended or bool(prompt)
            if not ended:
                kinds = [
                    data["tokenDetails"][kind]["tokenCount"]
                    for kind in ("input", "cache_read", "cache_write", "output")
                ]
                count.used["all"], ended = (kinds[0], kinds[1], kinds[2], kinds[3]), True
    if not ended and written:
        count.used["all"] = (0, 0, 0, written)
    return count


def gemini(path: Path) -> Count:
    count = Count()
    document = json.loads(path.read_text()) if path.suffix == ".json" else {}
    messages = (document.get("messages") or document["history"]) if document else list(lines(path))
    for message in messages:
        count.records += 1
        for call in message.get("toolCalls", []):
            count.calls.append(call["id"])
            count.results.append(call["result"][0]["functionResponse"]["id"])
        if "tokens" in message:
            prompt, read, tool, *output = figures(message["tokens"], "input", "cached", "tool", "output", "thoughts")
            count.used[message["id"]] = (prompt - read + tool, read, 0, sum(output))
    return count


COUNTS: dict[str, Callable[[Path], Count]] = {
    "claude-code": claude_code,
    "pi": pi,
    "codex": codex,
    "copilot-cli": copilot,
    "gemini-cli": gemini,
}


def imported(path: Path) -> tuple[str, list[Event]]:
    with path.open("rb") as stream:
        source = Source(stream, path.name)
        form, shape = recognise(source)
        return form.name, list(events(source, form, shape))


@pytest.mark.skipif(not LOGS, reason="CALLSHEET_DATA names no folder of recorded sessions (see bench/DATA.md)")
@pytest.mark.parametrize("path", LOGS, ids=lambda each: str(each.relative_to(ROOT)))
def test_a_log_is_read_as_a_second_reading_counts_it(path: Path) -> None:
    name, found = imported(path)
    expected = COUNTS[name](path)
    fates = [each for each in found if isinstance(each, Accounted)]
    assert len({each.record for each in fates}) == len(fates) == expected.records
    assert sum(each.fate == "skipped" for each in fates) <= 0.02 * expected.records
    said = [block for each in found if isinstance(each, Said) and not each.again for block in each.message.blocks]
    assert [each.id for each in said if isinstance(each, CallBlock)] == expected.calls
    assert [each.call_id for each in said if isinstance(each, ResultBlock)] == expected.results
    last = {each.response: each.usage for each in found if isinstance(each, Reported)}
    whole = Usage()
    for each in last.values():
        whole = whole.plus(each)
    assert (whole.input, whole.cached_read, whole.cache_write, whole.output) == expected.total
