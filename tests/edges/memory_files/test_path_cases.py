"""The list of paths that a model may and may not name: nothing outside is read, written, or shown to be there (C7)."""

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callsheet.model.memory_file import MemoryReply
from callsheet.model.verdict import RULES

from ...source import ROOT
from .room import areas, tool

CASES = Path(os.environ.get("CALLSHEET_CASES") or ROOT / "tests" / "cases") / "memory_path_cases.json"
ROWS = json.loads(CASES.read_text(encoding="utf-8"))
SECRET, OTHERS = "the secret outside", "what another tenant keeps"
LINKS = ("link_out", "link_file", "link_dangling", "link_in", "link_other_tenant", "link_loop", "hard.txt", "fifo")


def prepared(data: Path, dangling: str = "nowhere") -> Path:
    """The root of t1's u1 as the list's own page describes it, with what lies outside; gives the data folder's root."""
    root, outside, other = data / "t1" / "memories" / "u1", data / "outside", data / "t2" / "memories" / "u1"
    for folder in (root / "proj", outside, other):
        folder.mkdir(parents=True)
    for name in ("notes.md", "keep.md", "über-größe.md"):
        (root / name).write_text(f"{name}\n", encoding="utf-8")
    (outside / "secret.txt").write_text(SECRET, encoding="utf-8")
    (other / "theirs.md").write_text(OTHERS, encoding="utf-8")
    targets = (outside, outside / "secret.txt", outside / dangling, root / "notes.md", other, root / "link_loop")
    for name, target in zip(LINKS, targets, strict=False):
        (root / name).symlink_to(target)
    os.link(outside / "secret.txt", root / "hard.txt")
    os.mkfifo(root / "fifo")
    return root


def around(data: Path) -> dict[str, object]:
    """Everything outside the root, as it is: names, kinds, sizes, texts, times of change."""
    found: dict[str, object] = {}
    for path in sorted(data.rglob("*")):
        if path.is_relative_to(data / "t1" / "memories" / "u1"):
            continue
        seen = path.lstat()
        text = path.read_bytes() if stat.S_ISREG(seen.st_mode) else b""
        found[str(path)] = (seen.st_mode, seen.st_size, seen.st_mtime_ns, text)
    return found


def arguments(row: Mapping[str, Any]) -> dict[str, Any]:
    """The tool's arguments that a row of the list stands for."""
    made = row.get("generate")
    path = made["prefix"] + made["repeat"] * made["times"] + made["suffix"] if made else row.get("path")
    text = "x" * row["bytes"] if "bytes" in row else "text\n"
    fields: dict[str, dict[str, Any]] = {
        "create": {"file_text": text},
        "str_replace": {"old_str": row.get("old_str", "\n"), "new_str": text},
        "insert": {"insert_line": row.get("insert_line", 0), "insert_text": text},
        "rename": {"old_path": row.get("old_path"), "new_path": row.get("new_path")},
    }
    return {"command": row["op"], **({"path": path} if path else {}), **fields.get(row["op"], {})}


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_a_path_of_the_list_does_what_the_list_says(row: Mapping[str, Any], tmp_path: Path) -> None:
    root = prepared(tmp_path)
    before, inside = around(tmp_path), sorted(path.name for path in root.iterdir())
    reply = tool(areas("folder", tmp_path)).perform(arguments(row))
    expected = row["expected"]["outcome"]
    assert (reply.verdict.outcome == "allow") == (expected == "allow") or expected == "refuse-or-safe", reply.text
    assert reply.verdict.rule in RULES and SECRET not in reply.text and OTHERS not in reply.text
    assert around(tmp_path) == before, "nothing outside was touched"
    if reply.refused:
        assert sorted(path.name for path in root.iterdir()) == inside, "nothing inside was touched"
        assert (root / "notes.md").read_text(encoding="utf-8") == "notes.md\n"


OPERATIONS: tuple[dict[str, Any], ...] = (
    {"command": "view"},
    {"command": "create", "file_text": "x"},
    {"command": "str_replace", "old_str": "secret", "new_str": "x"},
    {"command": "insert", "insert_line": 0, "insert_text": "x"},
    {"command": "delete"},
)


def said_of(name: str, under: str, data: Path, dangling: str) -> list[str]:
    """What every operation says of a name that is no plain file, and of a path that leads through it."""
    prepared(data, dangling)
    own = tool(areas("folder", data))
    path = f"/memories/{name}{under}"
    replies: list[MemoryReply] = [own.perform({**operation, "path": path}) for operation in OPERATIONS]
    replies += [own.perform({"command": "rename", "old_path": path, "new_path": "/memories/free.md"})]
    replies += [own.perform({"command": "rename", "old_path": "/memories/keep.md", "new_path": path})]
    assert all(reply.refused for reply in replies)
    return [reply.text for reply in replies]


@pytest.mark.parametrize("name", LINKS)
@pytest.mark.parametrize("under", ["", "/secret.txt", "/theirs.md", "/nothing.md"])
def test_links_pipes_and_second_names_are_refused_by_every_operation(name: str, under: str, tmp_path: Path) -> None:
    said = said_of(name, under, tmp_path, "nowhere")
    assert not [text for text in said if SECRET in text or OTHERS in text or str(tmp_path) in text]


def test_the_words_are_the_same_whether_something_outside_is_there_or_not(tmp_path: Path) -> None:
    dangling = said_of("link_dangling", "", tmp_path / "a", "nowhere")
    assert said_of("link_dangling", "", tmp_path / "b", "secret.txt") == dangling
    through = said_of("link_out", "/secret.txt", tmp_path / "c", "nowhere")
    assert [
        text.replace("nothing", "secret") for text in said_of("link_out", "/nothing.txt", tmp_path / "d", "x")
    ] == through


def test_a_listing_shows_neither_links_nor_what_lies_behind_them(tmp_path: Path) -> None:
    root = prepared(tmp_path)
    (root / "evil\u202etxt.md").write_text("x", encoding="utf-8")
    (root / ".hidden.md").write_text("x", encoding="utf-8")
    (root / "bytes.md").write_bytes(b"\xff\xfe")
    own = tool(areas("folder", tmp_path))
    listed = [
        line.split("\t")[1] for line in own.perform({"command": "view", "path": "/memories"}).text.split("\n")[2:]
    ]
    names = ("bytes.md", "everyone/", "keep.md", "notes.md", "proj/", "shared/", "über-größe.md")
    assert listed == [f"/memories/{name}" for name in names]
    assert own.perform({"command": "view", "path": "/memories/bytes.md"}).verdict.rule == "memory-not-a-file"


def test_deleting_a_folder_takes_the_links_in_it_and_leaves_what_they_point_at(tmp_path: Path) -> None:
    root = prepared(tmp_path)
    for name in LINKS:
        (root / name).rename(root / "proj" / name)
    before = around(tmp_path)
    reply = tool(areas("folder", tmp_path)).perform({"command": "delete", "path": "/memories/proj"})
    assert not reply.refused and not (root / "proj").exists()
    assert around(tmp_path) == before


INSIDE = ("notes.md", "proj", "shared", "everyone", "secret.txt", "theirs.md", "u1")
NAMES = st.sampled_from([*LINKS, *INSIDE, "..", ".", "", "%2e%2e", "~", "\0", "\\..", "∕.."])
STARTS = st.sampled_from(["/memories/", "/memories", "", "/", "/memories_u1/", "//memories/", "/memories/../"])
PATHS = st.builds(lambda start, names: start + "/".join(names), STARTS, st.lists(NAMES, max_size=5)) | st.text()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from([*OPERATIONS, {"command": "rename"}]), PATHS, PATHS), min_size=1, max_size=6))
def test_whatever_is_called_nothing_outside_the_root_is_opened_written_deleted_or_shown(
    tmp_path_factory: pytest.TempPathFactory, calls: list[tuple[dict[str, Any], str, str]]
) -> None:
    data = tmp_path_factory.mktemp("any")
    prepared(data)
    own = tool(areas("folder", data))
    before = around(data)
    for operation, path, to in calls:
        named = {"old_path": path, "new_path": to} if operation["command"] == "rename" else {"path": path}
        reply = own.perform({**operation, **named})
        assert SECRET not in reply.text and OTHERS not in reply.text and str(data) not in reply.text
        assert reply.verdict.rule in RULES
    assert around(data) == before
