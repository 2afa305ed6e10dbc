"""A process that kills itself: before, inside and after every effect of a run, each time in a fork of its own.

Usage: python -m tests.walks.crash_worker FOLDER. Prints one line of JSON per kill point. One interpreter is enough,
since nothing of the engine is open when it forks; what a fork did is looked at by another fork, over the same files.

before: effect n has not begun. inside: it was performed and is not journalled. after: it is journalled, and nobody was
told its answer.
"""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from callsheet import Host
from callsheet.drive.outside import Outside
from callsheet.edges.stores.ledger import SqlLedger
from callsheet.host.host import open_host
from callsheet.host.wiring import Overrides
from callsheet.testing import SCRIPTED, FixedClock, ScriptedModel

from .stage import changes, customer, evidence, project, references

MOMENTS = ("before", "inside", "after")
ADMIN = customer("keys:rotate")
QUESTION = "Please rotate the key of my account A-123."
RUN = "20260715-120000-crash"
ACCOUNT = {"account_id": "A-123"}
BOTH = {
    "kind": "calls",
    "calls": [{"tool": "check_api_key_status", "arguments": ACCOUNT}, {"tool": "rotate_api_key", "arguments": ACCOUNT}],
}


def reply(body: bytes) -> dict[str, Any]:
    """A status check and the rotation, until the rotation was observed; then an answer."""
    if b"rotate_api_key says:" not in body:
        return BOTH
    return {"kind": "answer", "answer": "The key is active.", "sources": [*evidence(body), *references(body)]}


def opened(folder: Path, token: str = "crash") -> Host:
    """The host of a kill point's own copy of project and data."""
    overrides = Overrides(model=ScriptedModel(SCRIPTED, reply), clock=FixedClock(), token=lambda: token)
    return open_host(project(folder), folder / "data", overrides)


def ask(folder: Path) -> None:
    """The first half: the status is checked, the rotation waits for a person."""
    with opened(folder) as host:
        host.run(QUESTION, ADMIN)


def act(folder: Path) -> None:
    """The second half, after the approval: the status is checked again, the key rotated, the question answered."""
    with opened(folder) as host:
        host.run(ctx=ADMIN, resume=RUN)


def approve(folder: Path) -> None:
    """Lets every call that waits go ahead."""
    with opened(folder) as host:
        approve_all(host)


def approve_all(host: Host) -> None:
    """As `approve`, with a host that is open."""
    for waiting in host.waiting(ADMIN):
        host.approve(waiting["approval_id"], ADMIN)


def killed(part: Callable[[Path], None], number: int, moment: str) -> Callable[[Path], None]:
    """The part of a run, killed at one moment of its effect `number`; number 0 kills nothing and names them all."""
    begun, written, names = count(1), count(1), list[str]()
    perform, write, intend = Outside.__call__, SqlLedger.write, SqlLedger.intend

    def die_at(here: str, reached: int) -> None:
        if (here, reached) == (moment, number):
            os.kill(os.getpid(), signal.SIGKILL)

    def performing(self: Outside, effect: Any) -> Any:
        names.append(type(effect).__name__)
        die_at("before", next(begun))
        return perform(self, effect)

    def writing(self: SqlLedger, request_id: str, effect: Any, answer: Any) -> None:
        reached = next(written)
        die_at("inside", reached)
        write(self, request_id, effect, answer)
        die_at("after", reached)

    def intending(self: SqlLedger, request_id: str, effect: Any) -> Any:
        reached = next(written)
        die_at("inside", reached)
        answer = intend(self, request_id, effect)
        die_at("after", reached)
        return answer

    def armed(folder: Path) -> None:
        Outside.__call__ = performing  # type: ignore[method-assign]
        SqlLedger.write = writing  # type: ignore[method-assign]
        SqlLedger.intend = intending  # type: ignore[method-assign]
        part(folder)
        (folder / "effects").write_text(" ".join(names))

    return armed


def forked(part: Callable[[Path], None], folder: Path) -> bool:
    """Runs a part in a process of its own; true when it was killed, AssertionError when it failed by itself."""
    child = os.fork()
    if child == 0:
        part(folder)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, f"{folder} ended with {status}"
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def recover(folder: Path) -> None:
    """Opens what a kill left, tells what it reads like, lets the run go on, approves what waits, and on to the end."""
    with opened(folder, "anew") as host:
        found = host.stores(ADMIN).records.run(RUN)
        told: dict[str, Any] = {
            "left": [each.status for each in found],
            "whole": all(each.wire.body and each.manifest.items and each.wire.spans for each in found),
            "changes_left": len(changes(folder)),
        }
        # A run of which no request was recorded left nothing to go on with: it is asked again.
        run_id = (host.run(ctx=ADMIN, resume=RUN) if found else host.run(QUESTION, ADMIN)).run_id
        approve_all(host)
        result = host.run(ctx=ADMIN, resume=run_id)
        told["end"] = result.outcome
        told["statuses"] = [host.show(each, ADMIN).status for each in result.request_ids]
        told["replays"] = all(host.replay(each, ADMIN)["identical"] for each in result.request_ids)
    told["changes"] = len(changes(folder))
    (folder / "told").write_text(json.dumps(told))


def effects(part: Callable[[Path], None], start: Path, folder: Path) -> list[str]:
    """The effects of a part, by name, when nobody kills it."""
    shutil.copytree(start, folder)
    forked(killed(part, 0, ""), folder)
    return (folder / "effects").read_text().split()


def main(folder: Path) -> None:
    """Every kill point of both halves, one after the other."""
    fresh, approved, warm = folder / "fresh", folder / "approved", folder / "warm"
    for part in (ask, approve, act):  # imports and caches are paid for once; each part closes what it opened
        part(warm)
    project(fresh)
    shutil.copytree(fresh, approved)
    forked(ask, approved)
    forked(approve, approved)
    for name, part, start in (("ask", ask, fresh), ("act", act, approved)):
        for number, effect in enumerate(effects(part, start, folder / f"{name}-0"), 1):
            for moment in MOMENTS:
                here = folder / f"{name}-{number}-{moment}"
                shutil.copytree(start, here)
                dead = forked(killed(part, number, moment), here)
                forked(recover, here)
                point = {"half": name, "number": number, "moment": moment, "effect": effect, "killed": dead}
                print(json.dumps({**point, **json.loads((here / "told").read_text())}), flush=True)
                shutil.rmtree(here)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
