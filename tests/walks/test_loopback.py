"""A real server on this machine receives exactly the recorded bytes, and three ways of driving give one result."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from callsheet import Host
from callsheet.cli import callsheet
from callsheet.cli.group import run
from callsheet.cli.run import followed
from callsheet.host.host import open_host
from callsheet.host.wiring import Overrides
from callsheet.model.effect import Call, Record, RunResult
from callsheet.model.message import Reply
from callsheet.testing import FixedClock

from .loopback import Provider, pointed, serving
from .stage import QUESTION, customer, helpful

KEY = "sk-loopback-0123456789abcdef"


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A server that answers as the helpful model does."""
    with serving(helpful) as server:
        yield server


def opened(folder: Path, provider: Provider) -> Host:
    """The support project with that server as its model."""
    project = pointed(folder / "support", provider)
    return open_host(project, folder / "data", Overrides(clock=FixedClock(), token=lambda: "loopback"))


def streamed(host: Host) -> tuple[list[str], RunResult]:
    """The names of the effects in order, and the result the generator returns."""
    names, events = [], host.stream(QUESTION, customer())
    while True:
        try:
            effect, _ = next(events)
        except StopIteration as end:
            return names, end.value
        names.append(type(effect).__name__)


def test_the_server_received_exactly_the_recorded_bytes_and_each_request_replays(tmp_path, provider, monkeypatch):
    monkeypatch.setenv("LOOPBACK_KEY", KEY)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # must not matter: the address is no https
    with opened(tmp_path, provider) as host:
        result = host.run(QUESTION, customer())
        records = [host.show(each, customer()) for each in result.request_ids]
        replays = [host.replay(each, customer()) for each in result.request_ids]
    assert result.outcome == "answer" and len(records) == 2
    assert provider.bodies == [record.wire.body for record in records]
    assert provider.bodies == [b"".join(segment.data for segment in record.wire.segments) for record in records]
    assert set(provider.paths) == {"/v1/chat/completions"}
    assert all(replay["identical"] and replay["body_identical"] for replay in replays)


def test_the_providers_key_goes_into_a_header_and_into_no_file(tmp_path, provider, monkeypatch):
    monkeypatch.setenv("LOOPBACK_KEY", KEY)
    with opened(tmp_path, provider) as host:
        host.run(QUESTION, customer())
    assert set(provider.keys) == {f"Bearer {KEY}"}
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert kept and not any(KEY.encode() in path.read_bytes() for path in kept)


def test_run_arun_and_stream_give_equal_steps_and_send_equal_bytes(tmp_path, provider, monkeypatch):
    monkeypatch.setenv("LOOPBACK_KEY", KEY)
    with opened(tmp_path / "run", provider) as host:
        ran = host.run(QUESTION, customer())
    with opened(tmp_path / "arun", provider) as host:
        awaited = asyncio.run(host.arun(QUESTION, customer()))
    with opened(tmp_path / "stream", provider) as host:
        names, told = streamed(host)
    assert ran == awaited == told
    assert provider.bodies[0:2] == provider.bodies[2:4] == provider.bodies[4:6] and len(provider.bodies) == 6
    once = ["Gather", Record.__name__, Call.__name__, "Received"]
    assert names == [*once, "Intend", "Execute", "Observed", "Settle", *once, "Settle"]


def test_a_server_that_is_gone_ends_the_run_in_words_and_nothing_was_sent(tmp_path, provider, monkeypatch):
    monkeypatch.setenv("LOOPBACK_KEY", KEY)
    gone = Provider("http://127.0.0.1:9/v1")
    with opened(tmp_path, gone) as host:
        result = host.run(QUESTION, customer())
        record = host.show(result.request_ids[0], customer())
    assert (result.outcome, result.why.partition(":")[0]) == ("unfinished", "model-outage")
    assert record.reply is not None and "could not connect" in record.reply.error and not record.reply.unknown


def test_at_a_terminal_a_run_says_its_steps_while_they_happen_and_elsewhere_nothing(tmp_path, provider):
    folder = pointed(tmp_path / "support", provider)
    command = [sys.executable, "-m", "callsheet", "-C", str(folder), "run", QUESTION, "--json"]
    environment = {**os.environ, "LOOPBACK_KEY": KEY, "TERM": "dumb"}
    terminal, end = os.openpty()
    try:
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=end, env=environment, check=True, timeout=120)
        os.close(end)
        said = os.read(terminal, 65536).decode()
    finally:
        os.close(terminal)
    first, second = json.loads(ran.stdout)["request_ids"]
    lines = said.splitlines()
    assert [line.partition(":")[0] for line in lines] == [first] * 4 + [second] * 3
    assert "recorded" in lines[0] and lines[1].endswith("the model replied")
    assert lines[2].endswith("check_api_key_status: ok") and lines[-1].endswith(": answer")
    piped = subprocess.run(command, capture_output=True, env=environment, check=True, timeout=120)
    assert piped.stderr == b""


def test_a_web_page_in_the_place_of_a_reply_points_at_the_address(tmp_path, monkeypatch):
    monkeypatch.setenv("LOOPBACK_KEY", KEY)
    with serving(lambda _: Reply(b"\n<!doctype html><html>welcome</html>")) as page, opened(tmp_path, page) as host:
        result = host.run(QUESTION, customer())
    assert result.outcome == "unfinished" and "a web page; check base_url" in result.why


def test_a_run_that_a_model_left_unfinished_says_how_it_goes_on(tmp_path, provider, monkeypatch, capsys):
    monkeypatch.setenv("LOOPBACK_KEY", KEY)
    folder = pointed(tmp_path / "support", Provider("http://127.0.0.1:9/v1"))
    assert run(callsheet, ["-C", str(folder), "run", QUESTION]) == 0
    words = capsys.readouterr().out
    (way,) = [line for line in words.splitlines() if line.startswith("once the model answers: callsheet ")]
    settings = folder / "callsheet.toml"
    settings.write_text(settings.read_text().replace("http://127.0.0.1:9/v1", provider.address))
    assert run(callsheet, way.removeprefix("once the model answers: callsheet ").split()) == 0
    words = capsys.readouterr().out
    assert "answer" in words.splitlines()[0] and "once the model answers" not in words


def test_ctrl_c_says_how_the_run_goes_on(tmp_path, provider, monkeypatch):
    monkeypatch.setenv("LOOPBACK_KEY", KEY)
    told: list[str] = []
    with opened(tmp_path, provider) as host:

        def cut():
            for event in host.stream(QUESTION, customer()):
                yield event
                if isinstance(event.effect, Call):
                    raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            followed(cut(), None, told.append)
        (run_id,) = told
        assert host.run(ctx=customer(), resume=run_id).outcome == "answer"
