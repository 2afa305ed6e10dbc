"""What a folder of memory files adds: crashes, other programs at work in the same folder, permissions (C7)."""

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from threading import Event, Thread

import pytest

from callsheet.edges.memory_folder import FolderFiles
from callsheet.errors import StoreError
from callsheet.model.memory_file import MemoryEdit, MemoryReply, MemoryTree, Move, Remove, Write
from callsheet.model.verdict import Verdict

from ...source import ROOT
from .room import areas, call, tool

STEPS: tuple[dict[str, object], ...] = (
    {"command": "create", "path": "/memories/a/b/new.md", "file_text": "old"},
    {"command": "str_replace", "path": "/memories/a/b/new.md", "old_str": "old", "new_str": "new"},
    {"command": "create", "path": "/memories/top.md", "file_text": "top"},
    {"command": "rename", "old_path": "/memories/a", "new_path": "/memories/c/d/e"},
    {"command": "rename", "old_path": "/memories/top.md", "new_path": "/memories/c/top.md"},
    {"command": "delete", "path": "/memories/c"},
)
EVENTS = ("open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.listdir", "os.scandir", "shutil.rmtree")


def texts(root: Path) -> dict[str, str | None]:
    """Every file with its text and every folder, as the tool sees them."""
    files = FolderFiles(root)
    return {"/".join(path): files.look(path).text for path in files.look(()).entries}


def run_and_be_killed(data: Path, step: int, at: int) -> None:
    """One step in which the process kills itself at its `at`-th call of the system."""
    left = [at]

    def counted(event: str, _: object) -> None:
        if event in EVENTS:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    own = tool(areas("folder", data))
    sys.addaudithook(counted)
    assert not own.perform(STEPS[step]).refused
    os._exit(0)


def kill_everywhere(data: str) -> None:
    """Prints for each step, for a kill at every call of the system in it, what stood there after it."""
    before, found = Path(data) / "before", []
    (before / "t1" / "memories" / "u1").mkdir(parents=True, mode=0o700)
    for step in range(len(STEPS)):
        for at in range(1, 1000):
            after = Path(data) / f"{step}-{at}"
            shutil.copytree(before, after)
            child = os.fork()
            if child == 0:
                run_and_be_killed(after, step, at)
            _, status = os.waitpid(child, 0)
            root = after / "t1" / "memories" / "u1"
            seen = texts(root)
            refused = call(tool(areas("folder", after)), "create", "/after.md", file_text="x").refused
            found.append((step, os.WIFEXITED(status), seen, refused, len(list(root.rglob(".*")))))
            if os.WIFEXITED(status):
                break
        assert not tool(areas("folder", before)).perform(STEPS[step]).refused
    print(json.dumps(found))


def states() -> list[dict[str, str | None]]:
    """What stands there after each step, from none of them to all."""
    moved = {"c": None, "c/d": None, "c/d/e": None, "c/d/e/b": None, "c/d/e/b/new.md": "new"}
    edited: dict[str, str | None] = {"a": None, "a/b": None, "a/b/new.md": "new"}
    return [
        {},
        {**edited, "a/b/new.md": "old"},
        edited,
        {**edited, "top.md": "top"},
        {**moved, "top.md": "top"},
        {**moved, "c/top.md": "top"},
        {},
    ]


def test_a_kill_at_any_moment_leaves_the_old_state_or_the_new_one_and_nothing_stray(tmp_path: Path) -> None:
    code = f"from tests.edges.memory_files import test_folder as here; here.kill_everywhere({str(tmp_path)!r})"
    path = os.pathsep.join([str(ROOT), str(ROOT / "src"), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    found, after = json.loads(done.stdout), states()
    # Folders that a move needs are there before it; without the move they are empty.
    halfway = {3: {**after[3], "c": None, "c/d": None}}
    assert len(found) > 60
    for step, finished, seen, refused, stray in found:
        assert seen == after[step + 1] or (not finished and seen in (after[step], halfway.get(step))), (step, seen)
        assert not refused and not stray


def test_a_folder_that_is_swapped_for_a_link_at_any_moment_never_leads_outside(tmp_path: Path) -> None:
    of, outside = areas("folder", tmp_path), tmp_path / "outside"
    own, root = tool(of), tmp_path / "t1" / "memories" / "u1"
    outside.mkdir()
    (outside / "a.md").write_text("secret", encoding="utf-8")
    call(own, "create", "/proj/a.md", file_text="mine")
    stop = Event()

    def swap() -> None:
        for turn in count():
            if stop.is_set():
                return
            place, aside = root / "proj", tmp_path / f"aside-{turn}"
            moves = (
                partial(place.rename, aside),
                partial(place.symlink_to, outside),
                place.unlink,
                partial(aside.rename, place),
            )
            for move in moves:
                with suppress(OSError):  # the tool may just have made a folder of that name
                    move()

    swapping = Thread(target=swap)
    swapping.start()
    said: list[str] = []
    try:
        for turn in range(150):
            for command, fields in (("view", {}), ("insert", {"insert_line": 0, "insert_text": "x"})):
                said.append(answered(own, command, "/proj/a.md", **fields))
            said.append(answered(own, "create", f"/proj/n{turn}.md", file_text="x"))
            said.append(answered(own, "delete", f"/proj/n{turn}.md"))
    finally:
        stop.set()
        swapping.join()
    assert not [text for text in said if "secret" in text]
    assert {path.name: path.read_text(encoding="utf-8") for path in outside.iterdir()} == {"a.md": "secret"}


SWAPS: list[Callable[[], None]] = []
"""What is done just before a file is opened: an audit hook stays for good, so that it looks here."""


def about_to_open(event: str, given: tuple[object, ...]) -> None:
    while event == "open" and given[0] == "a.md" and SWAPS:
        SWAPS.pop()()


def test_a_file_that_becomes_a_link_between_the_look_and_the_opening_is_not_read(tmp_path: Path) -> None:
    own, root, outside = tool(areas("folder", tmp_path)), tmp_path / "t1" / "memories" / "u1", tmp_path / "secret.txt"
    outside.write_text("secret", encoding="utf-8")
    call(own, "create", "/a.md", file_text="mine")
    (root / "link").symlink_to(outside)
    sys.addaudithook(about_to_open)
    SWAPS.append(lambda: (root / "link").replace(root / "a.md"))
    said = call(own, "view", "/a.md")
    assert not SWAPS and (root / "a.md").is_symlink()
    assert said.verdict.rule == "memory-not-a-file" and "secret" not in said.text


@pytest.mark.parametrize(
    "change", [Write(("proj", "a.md"), "x"), Remove(("proj", "a.md")), Move(("proj", "a.md"), ("b.md",))]
)
def test_a_folder_that_becomes_a_link_between_the_look_and_the_change_is_not_followed(
    tmp_path: Path, change: Write | Remove | Move
) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root / "proj", outside):
        folder.mkdir(parents=True)
        (folder / "a.md").write_text("before", encoding="utf-8")

    def swap(tree: MemoryTree) -> MemoryEdit:
        assert tree.text == "before"
        (root / "proj").rename(tmp_path / "aside")
        (root / "proj").symlink_to(outside)
        return MemoryEdit(MemoryReply("done", Verdict("allow", "ok", "it is made up")), change)

    with pytest.raises(StoreError):
        FolderFiles(root).change(("proj", "a.md"), swap)
    assert {path.name: path.read_text(encoding="utf-8") for path in outside.iterdir()} == {"a.md": "before"}


def answered(own: object, command: str, path: str, **fields: object) -> str:
    """What the tool said, an outage too: somebody else took the folder away under it."""
    try:
        return call(own, command, path, **fields).text  # type: ignore[arg-type]
    except StoreError as error:
        return str(error)


def test_files_and_folders_are_their_owners_alone(tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        call(tool(areas("folder", tmp_path)), "create", "/x/y.md", file_text="mine")
    finally:
        os.umask(umask)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    assert modes == {"t1": 0o700, "memories": 0o700, "u1": 0o700, "x": 0o700, "y.md": 0o600}


def test_looking_makes_no_folder(tmp_path: Path) -> None:
    own = tool(areas("folder", tmp_path))
    assert not call(own, "view").refused and call(own, "view", "/a.md").refused
    assert not list(tmp_path.iterdir())


def test_clearing_an_area_leaves_the_others(tmp_path: Path) -> None:
    of = areas("folder", tmp_path)
    for subject in ("u1", "u2"):
        call(tool(of, subject=subject), "create", "/x/a.md", file_text=subject)
    own = of("t1", "u1")
    assert isinstance(own, FolderFiles) and [own.clear(), own.clear()] == [1, 0]
    assert dict(own.look(()).entries) == {} and of("t1", "u2").look(("x", "a.md")).text == "u2"
    assert not call(tool(of), "create", "/x/a.md", file_text="again").refused


def test_a_root_that_is_a_link_is_an_outage_and_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "root").symlink_to(outside)
    files = FolderFiles(tmp_path / "root")
    with pytest.raises(StoreError, match="root"):
        files.look(())
    with pytest.raises(StoreError, match="root"):
        files.clear()
    assert outside.is_dir()


def test_a_large_file_of_somebody_elses_is_not_read(tmp_path: Path) -> None:
    with open(tmp_path / "huge.md", "wb") as file:
        file.truncate(65 << 20)
    tree = FolderFiles(tmp_path).look(("huge.md",))
    assert tree == MemoryTree(tree.entries) and tree.entries[("huge.md",)].kind == "other"
