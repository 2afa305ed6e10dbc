"""`compare --probes` as a person calls it: the project's model is asked, answers are kept, each policy has its row."""

import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from callsheet.cli import callsheet
from callsheet.cli.group import run

from ..edges.providers.loopback import answer, serving

PROBES = """
- id: host
  kind: recall
  expected: db-4471
  phrasings: [Which host is it, Name the host, What is the host, Tell me the host, The host is, Host]
"""
PROJECT = """
[project]
name = "p"
policy_version = "v1"
[model]
provider = "openai-compatible"
name = "m"
base_url = "{address}"
window = 32000
[session]
tenant = "t"
actor = "a"
[decision.answer]
entry = true
purpose = "answer"
proposals = ["answer"]
instruction = "Answer."
"""
TALK = [
    {"role": "user", "content": "Our staging host is called db-4471 and nothing else here."},
    {"role": "assistant", "content": "Noted. The other one is db-4417."},
    {"role": "user", "content": "Go on with the work, please."},
    {"role": "assistant", "content": "I go on."},
]
POLICIES = ("full", "user-words-and-last-turns")


def reading(handler: BaseHTTPRequestHandler, body: bytes) -> None:
    """Answers with the right host where the window holds the wrong one, too, else that it does not know."""
    said = "db-4471" if b"db-4417" in body else "I don't know."
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}
    usage = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}
    answer(body=json.dumps({"id": "1", "model": "m", "choices": [choice], "usage": usage}).encode())(handler, body)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "talk.jsonl").write_text(json.dumps({"messages": TALK}) + "\n", encoding="utf-8")
    (tmp_path / "probes.yaml").write_text(PROBES, encoding="utf-8")
    return tmp_path


def compare(folder: Path, *more: str) -> int:
    command = ["-C", str(folder), "compare", str(folder / "talk.jsonl"), "--policies", ",".join(POLICIES)]
    return run(callsheet, [*command, "--probes", str(folder / "probes.yaml"), *more])


def test_each_policy_has_its_probes_beside_the_control_row_and_nothing_is_asked_twice(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(reading) as server:
        (folder / "callsheet.toml").write_text(PROJECT.format(address=server.address), encoding="utf-8")
        assert compare(folder, "--json") == 0
        printed = json.loads(capsys.readouterr().out)
        asked = len(server.bodies)
        assert compare(folder) == 0
        shown = capsys.readouterr()
        assert len(server.bodies) == asked == 12, "both policies send the whole of so short a talk"

    for row in (row for row in printed["policies"] if row["name"] in POLICIES):
        assert (row["probes"]["all"]["hits"], row["probes"]["all"]["n"]) == (6, 6)
        assert row["probes"]["control"]["abstained"] == 6
        assert row["probes"]["kinds"]["recall"] == row["probes"]["dimensions"]["accuracy"] == row["probes"]["all"]
    assert "control" in shown.out and "6/6" in shown.out
    assert "full, host 1/6 (on file): right: db-4471" in shown.err
    assert (folder / "probes.answers.jsonl").is_file()


def test_a_mistake_in_the_file_is_told_before_anything_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "probes.yaml").write_text(PROBES.replace("recall", "memory"), encoding="utf-8")

    assert compare(folder) == 2
    assert "probes.yaml:2: kind = 'memory' is not valid" in capsys.readouterr().err


def reading_again(handler: BaseHTTPRequestHandler, body: bytes) -> None:
    """Reads message 0 again before it answers."""
    said = {"answer": "db-4471"} if b"Message 0:" in body else {"recall": 0}
    if b"anyOf" not in body:  # the control row has nothing to read again
        said = {"answer": "I don't know."}
    message = {"role": "assistant", "content": json.dumps(said)}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    usage = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}
    answer(body=json.dumps({"id": "1", "model": "m", "choices": [choice], "usage": usage}).encode())(handler, body)


def test_with_recall_each_policy_stands_beside_the_whole_history_in_json_in_the_table_and_on_the_page(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = folder / "page.html"
    with serving(reading_again) as server:
        (folder / "callsheet.toml").write_text(PROJECT.format(address=server.address), encoding="utf-8")
        assert compare(folder, "--recall", "--json") == 0
        printed = json.loads(capsys.readouterr().out)
        assert compare(folder, "--recall", "--html", str(page)) == 0
        shown = capsys.readouterr().out

    for order, row in enumerate((row for row in printed["policies"] if row["name"] in POLICIES), 1):
        pair = row["probes"]["paired"]
        assert (pair["n"], pair["both"], pair["only_with"], pair["only_without"], pair["p"]) == (6, 6, 0, 0, 1.0)
        assert (pair["policy"]["refetches"], pair["policy"]["calls"], pair["policy"]["per_success"]) == (6, 12, 20.0)
        assert (pair["cache"], pair["order"]) == ("cold", order)
        assert "answers" not in row["probes"]
        assert row["probes"]["window"] == 9
    assert "beside full" in shown
    assert "<h2>Probes, pair by pair</h2>" in page.read_text(encoding="utf-8")


def test_only_the_policy_that_was_named_is_shown_and_the_whole_history_is_asked_all_the_same(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(reading_again) as server:
        (folder / "callsheet.toml").write_text(PROJECT.format(address=server.address), encoding="utf-8")
        command = ["-C", str(folder), "compare", str(folder / "talk.jsonl"), "--policies", POLICIES[1]]
        assert run(callsheet, [*command, "--probes", str(folder / "probes.yaml"), "--recall", "--json"]) == 0
    (row,) = [each for each in json.loads(capsys.readouterr().out)["policies"] if each["probes"]]

    assert row["name"] == POLICIES[1]
    assert (row["probes"]["paired"]["n"], row["probes"]["paired"]["order"]) == (6, 2)


def test_recall_without_probes_is_a_mistake_that_names_the_way_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(callsheet, ["compare", str(folder / "talk.jsonl"), "--recall"]) == 2
    assert "--probes FILE" in capsys.readouterr().err
