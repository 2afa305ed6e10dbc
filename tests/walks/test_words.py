"""What a person reads after a run, from the commands that look it up."""

import json
import shlex
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from callsheet.cli import callsheet
from callsheet.cli.group import Settings, run
from callsheet.cli.output import plain
from callsheet.cli.run import print_run
from callsheet.cli.shapes import run_json
from callsheet.testing import FixedClock

from .stage import CHECK, QUESTION, ROTATE, customer, helpful, open_stage, project

Read = Callable[..., tuple[int, str]]
UNCITED = {"kind": "answer", "answer": "It is broken.", "sources": [], "next_steps": []}


@pytest.fixture
def read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Read:
    """Runs a command on the stage's project and data; gives its exit code and all of its words."""

    def command(*arguments: str) -> tuple[int, str]:
        code = run(callsheet, ["-C", str(project(tmp_path)), "--data", str(tmp_path / "data"), *arguments])
        out, err = capsys.readouterr()
        return code, out + err

    return command


def test_show_says_why_an_answer_was_refused_and_whose_the_sources_are(tmp_path, read):
    with open_stage(tmp_path, lambda body: UNCITED if b"toolrun://" in body else CHECK) as host:
        refused = host.run(QUESTION, customer()).steps[-1]
    assert refused.outcome == "refused" and refused.fallback
    code, words = read("show", refused.request_id)
    assert code == 0
    for expected in (QUESTION, "no-source", "no evidence of the working set stands under", "It is broken."):
        assert expected in words
    assert "sources of the fallback" in words and refused.fallback[:40] in words


def test_show_says_what_a_person_is_asked(tmp_path, read):
    with open_stage(tmp_path, [ROTATE]) as host:
        asked = host.run("Please rotate the key of my account A-123.", customer("keys:rotate"))
    words = read("show", asked.request_ids[0])[1]
    assert "Run rotate_api_key(account_id='A-123')?" in words and "confirmation-required" in words
    assert f"approve {asked.steps[0].calls[0].approval_id}" in words


def test_show_of_an_answer_has_its_next_steps_and_plain_sources(tmp_path, read):
    with open_stage(tmp_path, helpful) as host:
        last = host.run(QUESTION, customer()).steps[-1]
    words = read("show", last.request_id)[1]
    assert last.next_steps[0] in words and "fallback" not in words


def test_blame_of_a_plain_failure_says_none_of_the_five_and_lists_the_verdicts(tmp_path, read):
    with open_stage(tmp_path, lambda body: UNCITED if b"toolrun://" in body else CHECK) as host:
        failed = host.run(QUESTION, customer()).request_ids[-1]
        blamed = host.blame(failed, customer())
    assert [verdict["rule"] for verdict in blamed["verdicts"]] == ["no-source"]
    words = read("blame", failed)[1]
    assert "none of the five" in words and "no-source" in words and "no evidence of the working set" in words


def test_blame_with_a_cause_names_it_and_its_sign(tmp_path, read):
    with open_stage(tmp_path, helpful) as host:
        last = host.run(QUESTION, customer()).request_ids[-1]
    words = read("blame", last, "--require", "runbook/nowhere@v1#x")[1]
    assert "required-source-absent" in words and "evidence" in words and "it was not found at all" in words


def test_diff_of_a_request_with_itself_says_identical(tmp_path, read):
    with open_stage(tmp_path, helpful) as host:
        first, last = host.run(QUESTION, customer()).request_ids
        assert host.diff(first, first, customer())["identical"] is True
        assert host.diff(first, last, customer())["identical"] is False
    assert read("diff", first, first)[1].startswith("identical")
    assert "identical" not in read("diff", first, last)[1]


def test_show_prints_the_ids_that_why_takes(tmp_path, read):
    with open_stage(tmp_path, helpful) as host:
        last = host.run(QUESTION, customer()).request_ids[-1]
        manifest = host.show(last, customer()).manifest
    words = read("show", last)[1]
    for item in (*manifest.items, *manifest.left_out):
        assert item.item_id in words
    assert "key service, audit log" in words
    assert "seed/memory.toml" in words
    code, words = read("why", last, "--item", "seed/memory.toml")
    assert code == 2 and words.count("memory/m-") == 3


def test_show_without_an_id_lists_this_sessions_requests_newest_first_and_nobody_elses(tmp_path, read):
    assert "no request on record" in read("show")[1]
    clock = FixedClock()
    with open_stage(tmp_path, helpful, clock=clock) as host:
        first = host.run(QUESTION, customer())
        clock.advance(60)
        host.run("What of my key?", customer(subject="u2"))
        second = host.assemble(f"Again: {QUESTION} " + "word " * 40, customer())
        listed = [stored.manifest.request_id for stored in host.recent(customer())]
        assert listed == [second.manifest.request_id, *reversed(first.request_ids)]
        assert [stored.manifest.request_id for stored in host.recent(customer(), 1)] == listed[:1]
        assert len(host.recent(customer("audit"))) > len(listed)
    code, words = read("show")
    lines = [line for line in words.splitlines() if QUESTION in line]
    assert code == 0 and [line.split()[0] for line in lines] == listed
    assert "answer" in lines[1] and "recorded" in lines[0] and "…" in lines[0] and "What of my key" not in words
    document = json.loads(read("show", "--limit", "1", "--json")[1])
    assert [entry["request_id"] for entry in document["requests"]] == listed[:1]


def test_approve_without_an_id_lists_what_waits_for_this_session(tmp_path, read):
    assert "nothing waits" in read("approve")[1]
    please = "Please rotate the key of my account A-123."
    with open_stage(tmp_path, [ROTATE]) as host:
        asked = host.run(please, customer("keys:rotate"))
    approval_id = asked.steps[0].calls[0].approval_id
    (line,) = [line for line in read("approve")[1].splitlines() if approval_id in line]
    assert "Run rotate_api_key(account_id='A-123')?" in line and please in line
    (entry,) = json.loads(read("approve", "--json")[1])["waiting"]
    assert entry["approval_id"] == approval_id
    assert read("refuse", approval_id)[0] == 0
    assert "nothing waits" in read("approve")[1]


def test_a_run_ends_with_the_command_that_shows_it(tmp_path):
    written = StringIO()
    settings = Settings(project=tmp_path / "my support", data=tmp_path / "data")
    with open_stage(tmp_path, [ROTATE]) as host:
        result = host.run("Please rotate the key of my account A-123.", customer("keys:rotate"))
    print_run(Console(file=written, width=200, soft_wrap=True), plain(run_json(result)), settings)
    last = written.getvalue().splitlines()[-1]
    assert last.startswith("next: callsheet -C ")
    _, *arguments = shlex.split(last.removeprefix("next: "))
    assert arguments == ["-C", str(settings.project), "--data", str(settings.data), "show", result.request_ids[-1]]
    assert f"{settings.command('approve')} {result.steps[0].calls[0].approval_id}" in written.getvalue()


def test_the_next_command_names_the_program_as_it_was_called(monkeypatch):
    monkeypatch.setattr(sys, "argv", [".venv/bin/callsheet", "run"])
    assert Settings(project=Path(".demo")).command("show", "r.1") == ".venv/bin/callsheet -C .demo show r.1"
    monkeypatch.setattr(sys, "argv", ["/usr/local/bin/callsheet", "run"])
    assert Settings().command("show", "r.1") == "callsheet show r.1"


def test_the_help_of_init_names_the_templates(capsys):
    assert run(callsheet, ["init", "--help"]) == 0
    assert "[support|empty]" in capsys.readouterr().out
