"""A process that kills itself in the middle of deletions, each time in a fork of its own, over a copy of the same data.

Usage: python -m tests.walks.deletion_worker FOLDER POINTS. It is killed before the n-th call that writes to a database
or to a folder, for POINTS numbers n spread over the whole deletion. Prints one line of JSON per kill point: what was
deleted, whether the process died, and what the next opening left: `words` that should be gone, and whether all of the
others' is as it was.
"""

import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

from callsheet import Host
from callsheet.host.host import open_host
from callsheet.host.wiring import Overrides
from callsheet.testing import SCRIPTED, FixedClock, ScriptedModel

from .residue import left_in
from .stage import customer, project
from .test_deletion import ANNA, BORIS, answering, fill, said, shown

WRITING = frozenset(("execute", "rename", "replace", "unlink", "rmdir", "fsync", "close"))
KINDS = ("subject", "record", "tenant")


def opened(folder: Path, token: str = "00000001") -> Host:
    overrides = Overrides(model=ScriptedModel(SCRIPTED, answering), clock=FixedClock(), token=lambda: token)
    return open_host(project(folder), folder / "data", overrides)


def delete(host: Host, kind: str, record_id: str) -> None:
    if kind == "subject":
        host.memory.delete(ANNA, customer(subject=ANNA))
    elif kind == "record":
        host.memory.delete(None, customer(subject=ANNA), record=record_id)
    else:
        host.memory.delete(None, customer("delete", subject=ANNA), tenant="acme")


def counted(folder: Path, kind: str, record_id: str, last: int | None) -> int:
    """How many writing calls a deletion makes; killed before the last of them, where one is given."""
    calls = 0

    def profile(frame: Any, event: str, called: Any) -> None:
        nonlocal calls
        if event == "c_call" and called.__name__ in WRITING:
            calls += 1
            if calls == last:
                os.kill(os.getpid(), signal.SIGKILL)

    with opened(folder) as host:
        host.memory.load(customer(subject=ANNA))
        sys.setprofile(profile)
        delete(host, kind, record_id)
        sys.setprofile(None)
    return calls


def in_fork(work: Any) -> tuple[bool, Any]:
    """Whether a fork was killed, and what it came to where it was not."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.write(writing, json.dumps(work()).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status), json.loads(told) if told else None


def looked_at(folder: Path, kind: str, record_id: str, requests: list[str]) -> dict[str, Any]:
    """What the next opening finds, and leaves."""
    with opened(folder) as host:
        there = bool(host.memory.load(customer(subject=ANNA)))
        other = "" if kind == "tenant" and not there else shown(host, BORIS, requests)
    words = ["keeps a purple pelican at home"] if kind == "record" else said(ANNA)
    return {"there": there, "other": other, "words": left_in(folder / "data", words)}


def main(folder: Path, points: int) -> None:
    whole = folder / "whole"
    whole.mkdir()
    file = project(whole) / "callsheet.toml"
    file.write_text(file.read_text(encoding="utf-8") + '\n[memory_files]\nbackend = "folder"\n', encoding="utf-8")

    def filled() -> Any:
        with opened(whole) as host:
            fill(host, ANNA)
        with opened(whole, "00000002") as host:
            requests = fill(host, BORIS)
            (record,) = host.memory.load(customer(subject=ANNA))
            return record.record_id, requests, shown(host, BORIS, requests)

    _, (record_id, requests, before) = in_fork(filled)
    for kind in KINDS:
        shutil.copytree(whole, folder / kind)
        _, calls = in_fork(lambda: counted(folder / kind, kind, record_id, None))  # noqa: B023
        for number in sorted({1 + calls * point // points for point in range(points)}):
            here = folder / f"{kind}-{number}"
            shutil.copytree(whole, here)
            killed, _ = in_fork(lambda: counted(here, kind, record_id, number))  # noqa: B023
            _, after = in_fork(lambda: looked_at(here, kind, record_id, requests))  # noqa: B023
            same = after.pop("other") == before
            print(json.dumps({"kind": kind, "number": number, "of": calls, "killed": killed, "same": same, **after}))
            shutil.rmtree(here)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
