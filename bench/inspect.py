"""How fast a transcript is inspected, and in how much memory: files of 10 MB, 100 MB and 1 GB.

`inspect_SIZE`: megabytes a second of `callsheet inspect --json`, started as a program; `inspect_SIZE_peak`: its memory
at most; `inspect_SIZE_beside_PEER`: the same with its ratio to a peer's. `memory_growth`: that of the largest file
over that of the smallest. The peers, on the same files, by `requirements/bench.txt`: `claude-code-log`, which renders a
transcript as a page, and `aiburn`, a native program that adds up usage and cost and reads nothing else. One that takes
longer than `--limit` seconds is stopped, and has no figure. The files are Claude Code sessions, said again and again
with fresh ids, in a temporary folder that is removed.
"""

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec

if __name__ != "__main__":  # who imports this name, with this folder on the path, means the standard library's module
    found = PathFinder.find_spec(__name__, [os.path.dirname(os.__file__)])
    assert found is not None and found.loader is not None
    sys.modules[__name__] = module_from_spec(found)
    found.loader.exec_module(sys.modules[__name__])

import argparse
import importlib.util
import json
import random
import re
import shutil
import subprocess
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recordings import folder

ROOT = Path(__file__).resolve().parents[1]
FOLDER = "claude-code-sessions"
SESSION = "5a0c0b52-7d0e-4d0c-9c4e-0d6f4f1b7a10"
SIZES = {"10mb": 10 * 10**6, "100mb": 100 * 10**6, "1gb": 10**9}
ID = re.compile(r'(?<=")(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:msg|req|toolu)_[0-9A-Za-z_]{8,})(?=")')
"""What names a row, a response, a request or a call, as a whole JSON string."""
LEAST = 100_000
"""Bytes of a session that is worth repeating."""
Measured = tuple[float, float] | None
"""Seconds and megabytes at most, or None for a program that was stopped or failed."""


def sessions() -> list[str]:
    """The sessions that the files are made of: those of CALLSHEET_DATA, else one that is made up."""
    if (data := folder(FOLDER)) is None:
        print("the files are made of a session that is made up", file=sys.stderr)
        return [made_up(random.Random(1))]
    texts = [path.read_text(encoding="utf-8") for path in sorted(Path(data, FOLDER).rglob("*.jsonl"))]
    return [each for each in texts if len(each) >= LEAST] or texts


def made_up(chance: random.Random, turns: int = 40, calls: int = 4) -> str:
    """A session in the layout of Claude Code's files: so many questions, each answered after some reads of files."""
    rows: list[dict[str, Any]] = []
    words = "the check fails because module settings are read twice before any log line is written to disk".split()
    prompt = 15_000

    def said(length: int) -> str:
        return " ".join(chance.choice(words) for _ in range(length))

    def row(kind: str, message: dict[str, Any]) -> None:
        parent = rows[-1]["uuid"] if rows else None
        at = f"2026-01-05T10:{len(rows) // 60 % 60:02}:{len(rows) % 60:02}.000Z"
        own = str(uuid.UUID(int=chance.getrandbits(128), version=4))
        common = {
            "isSidechain": False,
            "cwd": "/home/user/work",
            "sessionId": SESSION,
            "version": "2.1.0",
            "timestamp": at,
        }
        rows.append({"parentUuid": parent, **common, "type": kind, "message": message, "uuid": own})

    def replies(block: dict[str, Any]) -> None:
        usage = {
            "input_tokens": 4,
            "cache_read_input_tokens": prompt,
            "cache_creation_input_tokens": 500,
            "output_tokens": 90,
        }
        named = {
            "id": f"msg_{chance.getrandbits(96):024x}",
            "type": "message",
            "role": "assistant",
            "model": "claude-opus-4-6",
        }
        row("assistant", {**named, "content": [block], "usage": usage})

    for turn in range(turns):
        row("user", {"role": "user", "content": said(30)})
        for _ in range(calls):
            call = f"toolu_{chance.getrandbits(96):024x}"
            replies({"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": f"/srv/project/{turn}.py"}})
            row(
                "user",
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": said(600)}]},
            )
            prompt += 640
        replies({"type": "text", "text": said(80)})
    return "".join(f"{json.dumps(each)}\n" for each in rows)


def copies(text: str) -> Iterator[bytes]:
    """A session again and again, each time with ids of its own."""
    pieces = re.split(f"({ID.pattern})", text if text.endswith("\n") else f"{text}\n")
    number = 0
    while True:
        fresh = f"{number:08x}"
        yield "".join(each[:-8] + fresh if at % 2 else each for at, each in enumerate(pieces)).encode()
        number += 1


def make(path: Path, size: int) -> None:
    """Writes a file of at least this size in bytes."""
    streams = [copies(text) for text in sessions()]
    written = 0
    with path.open("wb") as file:
        while written < size:
            for stream in streams:
                if written < size:
                    written += file.write(next(stream))


def run(command: list[str], env: dict[str, str], limit: float) -> Measured:
    """Runs a program to its end."""
    start = time.perf_counter()
    child = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=env["HOME"])
    watch = threading.Timer(limit, child.kill)
    watch.start()
    said = child.stderr.read() if child.stderr else b""
    _, status, usage = os.wait4(child.pid, 0)
    watch.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        why = said.decode("utf-8", "replace").strip().splitlines()[-1:] or [f"stopped after {limit:.0f} s"]
        print(f"{Path(command[0]).name} {command[-1]}: {why[0]}", file=sys.stderr)
        return None
    return time.perf_counter() - start, usage.ru_maxrss / 1_000


def compiled(inspect: list[str], folder: Path, env: dict[str, str]) -> dict[str, str]:
    """The environment in which the program's modules are compiled, as those of an installed one are, and its peers'."""
    made = {name: value for name, value in env.items() if name != "PYTHONDONTWRITEBYTECODE"}
    made["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
    (first := folder / "first.jsonl").write_text(made_up(random.Random(1), turns=1, calls=1), encoding="utf-8")
    subprocess.run([*inspect, str(first)], env=made, check=True, stdout=subprocess.DEVNULL)
    return made


def commands(transcript: Path, folder: Path) -> Iterator[tuple[str, list[str], dict[str, str]]]:
    """The programs by name, each with its command and environment."""
    env = {**os.environ, "HOME": str(folder), "PYTHONPATH": str(ROOT / "src")}
    inspect = [sys.executable, "-m", "callsheet", "inspect", "--json"]
    yield "inspect", [*inspect, str(transcript)], compiled(inspect, folder, env)
    beside = Path(sys.executable).parent
    if importlib.util.find_spec("claude_code_log") is not None:
        # A folder of its own each time, because it keeps what it has read.
        with tempfile.TemporaryDirectory(dir=folder) as own:
            (inside := Path(own, transcript.name)).symlink_to(transcript)
            page = str(Path(own, "page.html"))
            yield "claude_code_log", [str(beside / "claude-code-log"), "--no-cache", "-o", page, str(inside)], env
    if shutil.which("aiburn", path=str(beside)):
        yield "aiburn", [str(beside / "aiburn"), "session", "--claude", "--json"], env


def measured(name: str, size: int, limit: float) -> dict[str, Measured]:
    """What each program took for a file of this size."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        home = folder / ".claude" / "projects" / "bench"
        home.mkdir(parents=True)
        transcript = home / f"{name}.jsonl"
        # By a process of its own: what a program starts with counts as its memory, so this one stays small.
        subprocess.run([sys.executable, __file__, "--make", str(transcript), str(size)], check=True)
        written = transcript.stat().st_size
        took = {program: run(command, env, limit) for program, command, env in commands(transcript, folder)}
    return {program: found and (written / 1e6 / found[0], found[1]) for program, found in took.items()}


def figures(names: list[str], limit: float) -> dict[str, dict[str, Any]]:
    told: dict[str, dict[str, Any]] = {}
    peaks: list[float] = []
    for name in names:
        found = measured(name, SIZES[name], limit)
        own = found["inspect"]
        if own is None:
            sys.exit(f"callsheet inspect did not finish {name}")
        peaks.append(own[1])
        for program, each in found.items():
            if each is not None:
                told[f"{program}_{name}"] = {"value": round(each[0], 1), "unit": "MB/s", "n": 1}
                told[f"{program}_{name}_peak"] = {"value": round(each[1]), "unit": "MB", "n": 1}
        for program, each in found.items():
            if program != "inspect" and each is not None:
                beside = {"peer": f"{program}_{name}", "ratio": round(own[0] / each[0], 3)}
                told[f"inspect_{name}_beside_{program}"] = {**told[f"inspect_{name}"], **beside}
    told["memory_growth"] = {"value": round(peaks[-1] / peaks[0], 2), "unit": "times", "n": len(peaks)}
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--quick", action="store_true", help="leave the file of 1 GB out")
    parser.add_argument("--limit", type=float, default=600, help="seconds after which a program is stopped")
    parser.add_argument("--make", nargs=2, metavar=("FILE", "BYTES"), help="only write such a file")
    options = parser.parse_args()
    if options.make:
        make(Path(options.make[0]), int(options.make[1]))
        return
    told = figures([name for name in SIZES if not options.quick or name != "1gb"], options.limit)
    if options.json:
        print(json.dumps({"bench": "inspect", "figures": told}))
    else:
        for name, figure in told.items():
            more = f"   {figure['ratio']} x {figure['peer']}" if "peer" in figure else ""
            print(f"{name:<36} {figure['value']:>9} {figure['unit']}{more}")


if __name__ == "__main__":
    main()
