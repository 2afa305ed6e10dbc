"""A run is worked on by one at a time: over hosts, threads and processes, and however the work ends (A2, C10)."""

import asyncio
import gc
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from callsheet.errors import UnknownName, UsageError

from .stage import (
    ANSWER,
    CHECK,
    QUESTION,
    ROTATE,
    at_once,
    changes,
    customer,
    evidence,
    helpful,
    open_stage,
    references,
)

ADMIN = customer("keys:rotate")
BUSY = r"run \S+ is being worked on by another process; wait for it, or end it"


def rotating(body: bytes) -> Any:
    """The rotation, until it was observed; then an answer."""
    found = references(body)
    return {**ANSWER, "sources": [*evidence(body), *found]} if found else ROTATE


def resume(folder: str, run_id: str) -> None:
    """One of several processes that resume the same run; each waits until it is told to begin."""
    with open_stage(Path(folder), rotating) as host:
        print("ready", flush=True)
        sys.stdin.readline()
        try:
            print(json.dumps(host.run(ctx=ADMIN, resume=run_id).outcome))
        except UsageError as error:
            print(json.dumps(str(error)))


def leases(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "data" / "acme" / "leases").iterdir())


def test_a_run_whose_process_is_alive_cannot_be_resumed_and_its_record_stays_whole(tmp_path):
    asked, go = Event(), Event()

    def waiting(body: bytes) -> Any:
        asked.set()
        assert go.wait(60)
        return helpful(body)

    with open_stage(tmp_path, waiting) as live, open_stage(tmp_path) as other, ThreadPoolExecutor(1) as pool:
        running = pool.submit(live.run, QUESTION, customer())
        try:
            assert asked.wait(60)
            (under_way,) = live.recent(customer())
            with pytest.raises(UsageError, match=BUSY):
                other.run(ctx=customer(), resume=under_way.task.run_id)
        finally:
            go.set()
        result = running.result()
        assert result.outcome == "answer"
        assert all(other.replay(each, customer())["identical"] for each in result.request_ids)
        assert other.run(ctx=customer(), resume=result.run_id).outcome == "answer"
    assert leases(tmp_path) == []


def test_two_processes_that_resume_an_approved_run_make_its_change_once(tmp_path):
    with open_stage(tmp_path, [ROTATE]) as host:
        result = host.run("Please rotate the key of my account A-123.", ADMIN)
        host.approve(result.steps[0].calls[0].approval_id or "", ADMIN)
    told = at_once("test_one_at_a_time", f"resume({str(tmp_path)!r}, {result.run_id!r})", 3)
    assert "answer" in told and all(said == "answer" or "another process" in said for said in told)
    assert len(changes(tmp_path)) == 1
    with open_stage(tmp_path) as host:
        requests = host.stores(ADMIN).records.run(result.run_id)
        assert all(host.replay(each.manifest.request_id, ADMIN)["identical"] for each in requests)


def test_a_stream_holds_its_run_until_it_is_closed_or_dropped(tmp_path):
    with open_stage(tmp_path, helpful) as host, open_stage(tmp_path, helpful) as other:
        for end in ("close", "drop"):
            steps = host.stream(QUESTION, customer())
            for _ in range(2):
                effect, _answer = next(steps)
            run_id = effect.manifest.request_id.rpartition(".")[0]  # type: ignore[attr-defined]
            with pytest.raises(UsageError, match=BUSY):
                other.run(ctx=customer(), resume=run_id)
            if end == "close":
                steps.close()
            del steps
            gc.collect()
            assert leases(tmp_path) == []
            assert other.run(ctx=customer(), resume=run_id).outcome == "answer"


def test_an_awaited_run_that_is_cancelled_lets_go_of_its_run_after_its_last_entry(tmp_path):
    asked, go = Event(), Event()

    def waiting(body: bytes) -> Any:
        asked.set()
        assert go.wait(60)
        return CHECK

    async def cancelled() -> None:
        task = asyncio.create_task(host.arun(QUESTION, customer()))
        await asyncio.to_thread(asked.wait)
        task.cancel()
        await asyncio.sleep(0)
        held = leases(tmp_path)
        go.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(held) == 1 and leases(tmp_path) == []

    with open_stage(tmp_path, waiting) as host:
        asyncio.run(cancelled())
        (stored,) = host.recent(customer())
        assert [entry.effect for entry in stored.entries] == ["Gather", "Record", "Call"]


def test_an_awaited_stream_that_is_closed_lets_go_of_its_run(tmp_path):
    async def begun() -> None:
        steps = host.astream(QUESTION, customer())
        await anext(steps)
        assert len(leases(tmp_path)) == 1
        await steps.aclose()

    with open_stage(tmp_path, helpful) as host:
        asyncio.run(begun())
    assert leases(tmp_path) == []


def test_a_run_that_is_not_there_leaves_no_file(tmp_path):
    with open_stage(tmp_path) as host, pytest.raises(UnknownName):
        host.run(ctx=customer(tenant="globex"), resume="20260715-120000-none")
    assert not (tmp_path / "data" / "globex").exists()
