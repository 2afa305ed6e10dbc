"""What a person reads after a run, from the commands that look it up."""

from collections.abc import Callable
from pathlib import Path

import pytest

from callsheet.cli import callsheet
from callsheet.cli.group import run

from .stage import CHECK, QUESTION, ROTATE, customer, helpful, open_stage

Read = Callable[..., tuple[int, str]]
UNCITED = {"kind": "answer", "answer": "It is broken.", "sources": [], "next_steps": []}


@pytest.fixture
def read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Read:
    """Runs a command on the stage's project and data; gives its exit code and all of its words."""

    def command(*arguments: str) -> tuple[int, str]:
        code = run(callsheet, ["-C", str(tmp_path / "support"), "--data", str(tmp_path / "data"), *arguments])
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
    assert f"callsheet approve {asked.steps[0].calls[0].approval_id}" in words


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
