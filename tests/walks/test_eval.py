"""A task set from the command line, on a server of this machine: what it says of a case that fails."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from callsheet.cli import callsheet
from callsheet.cli.group import run

from .loopback import pointed, serving
from .stage import helpful

TASKS = """
- {name: good, input: "Why is my API key not working?", expected_outcome: answer}
- {name: bad, input: "Why is my API key not working?", actor: "customer:u9", expected_outcome: answer,
   required_evidence: ["runbook/api-keys@v7#revoked-key"]}
"""
Evaluate = Callable[..., tuple[int, str]]


@pytest.fixture
def evaluate(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Evaluate:
    """Runs the task set above with options; gives the exit code and stdout, else stderr."""
    monkeypatch.setenv("LOOPBACK_KEY", "key")
    (tmp_path / "tasks.yaml").write_text(TASKS, encoding="utf-8")

    def command(*options: str) -> tuple[int, str]:
        with serving(helpful) as provider:
            folder = tmp_path / "support"
            project = folder if folder.exists() else pointed(folder, provider)
            code = run(callsheet, ["-C", str(project), "eval", str(tmp_path / "tasks.yaml"), *options])
        out, err = capsys.readouterr()
        return code, out or err

    return command


def test_a_kept_failure_names_its_run_its_requests_and_a_command_that_shows_them(tmp_path, evaluate, capsys):
    code, words = evaluate("--keep", str(tmp_path / "kept"))
    assert code == 1, words
    assert "did you mean 'runbook/api-keys@v7#revoked-keys'?" in words
    (look,) = [line.partition("look with")[2].strip() for line in words.splitlines() if "look with" in line]
    assert run(callsheet, shlex.split(look)[1:]) == 0
    shown = capsys.readouterr().out
    request_id = shlex.split(look)[-1]
    assert shown.split()[:2] == ["request", request_id] and words.count(request_id) == 2
    assert words.count(request_id.rpartition(".")[0]) >= 4


def test_the_same_folder_is_not_kept_into_twice(tmp_path, evaluate):
    keep = ("--keep", str(tmp_path / "kept"))
    assert evaluate(*keep)[0] == 1
    code, words = evaluate(*keep)
    assert code == 2 and words.startswith("callsheet: ") and "is not empty; name a new folder" in words
    twins = ("--twins", str(tmp_path / "support" / "evals" / "injections.yaml"))
    assert evaluate(*keep, *twins) == (code, words)


def test_without_keep_a_failure_says_how_to_keep_its_records(evaluate):
    code, words = evaluate()
    assert code == 1 and "--keep DIR" in words and "look with" not in words


def test_every_case_says_in_json_where_it_was_kept(tmp_path, evaluate):
    cases = json.loads(evaluate("--keep", str(tmp_path / "kept"), "--json")[1])["cases"]
    assert [case["folder"] for case in cases] == [str(tmp_path / "kept" / n) for n in "12"]
    assert json.loads((tmp_path / "kept" / "2" / "session.json").read_text())["actor"] == "customer:u9"
