"""The artifact index against labels derived by rule from recorded sessions, where CALLSHEET_DATA names a folder.

`labels-derived/cut_points.jsonl` names the files read and written before a record by the agent's tools for files, and
those of the next 40 calls that were known and read again. Calls, answers and patches are read here as plain JSON.
"""

import json
import os
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from callsheet.errors import UsageError
from callsheet.model.diagnosis import Artifacts
from callsheet.transcripts import artifacts

DATA = Path(os.environ.get("CALLSHEET_DATA", ""))
LABELS = DATA / "labels-derived" / "cut_points.jsonl"
PRECISION = 0.98
LINES = ("claude-code", "pi")
READS, EDITS = ("read",), ("edit", "write", "multiedit")
needs_data = pytest.mark.skipif(not os.environ.get("CALLSHEET_DATA"), reason="CALLSHEET_DATA is not set")


def labels() -> list[dict[str, Any]]:
    """The labelled points."""
    if not os.environ.get("CALLSHEET_DATA"):
        return []
    return [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines() if line.strip()]


def trajectories() -> list[Path]:
    """Recorded runs that end with a patch."""
    if not os.environ.get("CALLSHEET_DATA"):
        return []
    found = [*(DATA / "swe-agent-trajs").glob("*.traj"), *(DATA / "openhands-trajs").glob("*.json")]
    return sorted(path for path in found if patched(path))


def patched(path: Path) -> list[str]:
    """The files that a run's final patch changes."""
    document = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(document, dict):
        return []
    info = document.get("info") or {}
    patch = info.get("submission") or (document.get("test_result") or {}).get("git_patch") or document.get("git_patch")
    lines = (patch or "").replace("\r", "").splitlines()
    return [line[len("+++ b/") :].strip() for line in lines if line.startswith("+++ b/")]


@cache
def index(file: str, at: int | None = None) -> Artifacts:
    """The index of a file before a record; the test is skipped where no importer reads its format yet."""
    try:
        return artifacts(DATA / file, at)
    except UsageError as error:
        pytest.skip(str(error)[:200])


def calls(path: Path) -> Iterator[tuple[int, str, str, bool]]:
    """Every call of Claude Code's or pi's tools for files: its record, the tool, the path, and whether it succeeded."""
    asked: dict[str, tuple[int, str, str]] = {}
    folder = ""
    for record, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines()):
        row = json.loads(line)
        folder = row.get("cwd") or folder
        message = row.get("message")
        blocks = message.get("content") if isinstance(message, dict) else None
        if isinstance(message, dict) and message.get("role") == "toolResult":
            blocks = [{"type": "tool_result", "tool_use_id": message["toolCallId"], "is_error": message.get("isError")}]
        for block in blocks if isinstance(blocks, list) else ():
            if block.get("type") in ("tool_use", "toolCall"):
                arguments: Mapping[str, Any] = block.get("input") or block.get("arguments") or {}
                named = str(arguments.get("file_path") or arguments.get("path") or "")
                asked[block["id"]] = (record, block["name"].lower(), os.path.normpath(os.path.join(folder, named)))
            elif block.get("type") == "tool_result" and block["tool_use_id"] in asked:
                yield (*asked.pop(block["tool_use_id"]), not block.get("is_error"))


@needs_data
def test_files_read_and_written_before_each_point_are_found_and_no_others() -> None:
    right = wrong = missed = points = 0
    for label in labels():
        try:
            found = artifacts(DATA / label["file"], label["record"])
        except UsageError:
            assert label["format"] not in LINES
            continue
        points += 1
        for said, known in (
            ({each.path for each in found.artifacts if each.read}, set(label["files_read_before"])),
            ({each.path for each in found.artifacts if each.written}, set(label["files_written_before"])),
        ):
            right, wrong, missed = right + len(said & known), wrong + len(said - known), missed + len(known - said)
    assert points and right
    assert missed == 0
    assert right / (right + wrong) >= PRECISION


@needs_data
@pytest.mark.parametrize("label", labels(), ids=lambda label: f"{label['file'][-40:]}-{label['kind']}")
def test_known_files_that_the_next_calls_read_again_are_those_of_the_labels(label: Mapping[str, Any]) -> None:
    before, whole = index(label["file"], label["record"]), index(label["file"])
    known = {each.path for each in before.artifacts if each.read or each.written}
    last = _last_of(DATA / label["file"], label["record"], label["next_calls"])
    again = {
        each.path
        for each in whole.artifacts
        if each.path in known and any(label["record"] <= at <= last for at in each.reads)
    }
    assert again == set(label["files_refetched_next"])


def _last_of(path: Path, record: int, count: int) -> int:
    """The record of the last of the next `count` calls, by the raw file."""
    if path.suffix != ".jsonl":
        document = json.loads(path.read_text(encoding="utf-8"))
        rows = document.get("trajectory") or document.get("history") or []
        asked = [at for at, row in enumerate(rows) if at >= record and _is_call(row)]
        return asked[:count][-1] if asked else record
    asked = []
    for at, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        message = json.loads(line).get("message") if at >= record else None
        blocks = message.get("content") if isinstance(message, dict) else None
        for block in blocks if isinstance(blocks, list) else ():
            asked += [at] * (block.get("type") in ("tool_use", "toolCall"))
    return asked[:count][-1] if asked else record


def _is_call(row: Mapping[str, Any]) -> bool:
    if "observation" in row and "action" in row and "state" in row:
        return True
    return row.get("source") == "agent" and bool(row.get("action")) and bool(row.get("tool_call_metadata"))


@needs_data
@pytest.mark.parametrize("file", sorted({label["file"] for label in labels() if label["format"] in LINES}))
def test_refetches_equal_a_count_of_the_raw_rows(file: str) -> None:
    fresh: set[str] = set()
    refetches = 0
    for _, name, path, good in sorted(calls(DATA / file)):
        if good and name in READS:
            refetches += path in fresh
            fresh.add(path)
        elif good and name in EDITS:
            fresh.discard(path)
    assert index(file).refetches == refetches


@needs_data
@pytest.mark.parametrize("path", trajectories(), ids=lambda path: path.name[-60:])
def test_every_file_of_a_final_patch_is_known_as_written(path: Path) -> None:
    known = {each.path for each in index(str(path.relative_to(DATA))).artifacts if each.written}
    assert [file for file in patched(path) if not any(f"/{each}".endswith(f"/{file}") for each in known)] == []


@needs_data
@pytest.mark.parametrize("file", sorted({label["file"] for label in labels() if label["format"] == "claude-code"}))
def test_the_hash_is_that_of_the_file_an_edit_found(file: str) -> None:
    """What a formatter does between two edits is in no call; such files are few."""
    found, other = 0, 0
    for record, line in enumerate((DATA / file).read_text(encoding="utf-8").splitlines()):
        result = json.loads(line).get("toolUseResult")
        if isinstance(result, dict) and isinstance(before := result.get("originalFile"), str):
            each = {file.path: file for file in artifacts(DATA / file, record).artifacts}.get(result["filePath"])
            if each and each.hash:
                found += each.hash == sha256(before.encode()).hexdigest()
                other += each.hash != sha256(before.encode()).hexdigest()
    assert other <= 0.1 * (found + other)
