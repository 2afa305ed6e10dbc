"""What someone meets in a first hour: a mistake says what to do, and what goes on is said where it stops."""

from pathlib import Path

import pytest
from rich.console import Console

from callsheet import history
from callsheet.cli import callsheet
from callsheet.cli.group import Settings, run
from callsheet.cli.run import print_run
from callsheet.cli.shapes import run_json
from callsheet.errors import UsageError

from .stage import ANSWER, QUESTION, ROTATE, customer, helpful, open_stage, project, references

PLEASE = "Please rotate the key of my account A-123."
ADMIN = customer("keys:rotate")


@pytest.fixture
def read(tmp_path, capsys):
    """Runs a command on the stage's project and data; gives its exit code and all of its words."""

    def command(*arguments: str) -> tuple[int, str]:
        code = run(callsheet, ["-C", str(project(tmp_path)), "--data", str(tmp_path / "data"), *arguments])
        out, err = capsys.readouterr()
        return code, " ".join((out + err).split())

    return command


def test_a_decision_on_a_waiting_call_says_how_the_run_goes_on(tmp_path, read):
    with open_stage(tmp_path, [ROTATE]) as host:
        asked = host.run(PLEASE, ADMIN)
    code, words = read("approve", asked.steps[0].calls[0].approval_id)
    assert code == 0 and words.endswith(f"run --resume {asked.run_id}")


def test_a_question_back_is_not_called_an_answer(tmp_path, read):
    with open_stage(tmp_path, [{"kind": "ask", "question": "Which account is it?"}]) as host:
        asked = host.run(QUESTION, customer())
    words = read("show", asked.request_ids[-1])[1]
    assert " asks Which account is it?" in words and " answer Which" not in words


def test_a_run_that_got_its_approval_does_not_ask_for_it_again(tmp_path, capsys):
    def finish(body: bytes):
        return {**ANSWER, "answer": "Done.", "sources": references(body)} if references(body) else ROTATE

    with open_stage(tmp_path, finish) as host:
        asked = host.run(PLEASE, ADMIN)
        host.approve(asked.steps[0].calls[0].approval_id, ADMIN)
        done = host.run(ctx=ADMIN, resume=asked.run_id)
    for result, expected in ((asked, True), (done, False)):
        print_run(Console(), run_json(result, None), Settings())
        assert ("approve with" in capsys.readouterr().out) is expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("memory", "list"), "nothing is remembered of this session's subject"),
        (("memory", "load", "--purpose", "none"), "nothing is remembered of this session's subject"),
        (("show", "20261130-122619-053ec899"), "as '20261130-122619-053ec899.1'; `callsheet show` lists them"),
        (
            ("memory", "add", "It is so.", "--purpose", "x"),
            "user_stated, system_record, model_inferred, foreign_text. See: callsheet",
        ),
    ],
)
def test_a_command_that_finds_nothing_says_so_and_an_error_is_one_sentence(tmp_path, read, arguments, expected):
    (project(tmp_path) / "seed" / "memory.toml").unlink()
    assert expected in read(*arguments)[1]


def test_a_document_is_counted_as_a_person_would(tmp_path, read):
    page = tmp_path / "page.md"
    page.write_text("---\nid: desk/tips\nversion: v1\n---\n# Tips\n## One\nOne tip.\n", encoding="utf-8")
    assert read("ingest", str(page)) == (0, "1 section written")


def test_broken_json_is_called_that_and_not_every_format_in_turn(tmp_path, read):
    page = tmp_path / "session.jsonl"
    page.write_text('{"type": "user", "mess\n', encoding="utf-8")
    code, words = read("inspect", str(page))
    assert (
        code == 2
        and "begins like JSON, but is cut off or is not JSON all through" in words
        and "SWE-agent" not in words
    )


def test_a_reply_that_is_not_json_is_refused_in_plain_words(tmp_path):
    with open_stage(tmp_path, lambda body: "I cannot say.") as host:
        result = host.run(QUESTION, customer())
    assert result.why == "unreadable-proposal: the reply is no proposal: it is not JSON at line 1, column 1"


def test_a_call_by_another_key_is_told_the_one_it_lacks(tmp_path):
    said = '{"kind": "calls", "calls": [{"name": "rotate_key", "arguments": {}}]}'
    with open_stage(tmp_path, lambda body: said) as host:
        result = host.run(QUESTION, customer())
    assert 'call 1 names no tool: it is {"tool": NAME, "arguments": {…}}' in result.why


@pytest.mark.parametrize(
    ("mistake", "expected"),
    [
        (lambda host: host.run(QUESTION, "ann"), "ctx is a str, not a callsheet.RequestContext"),
        (lambda host: host.memory.add({"text": "x"}, ADMIN), "the record is a dict; pass a callsheet.MemoryRecord"),
        (lambda host: host.ingest("page.md", ADMIN), "the documents are one str; pass a list of them"),
        (lambda host: host.ingest(Path("page.md"), ADMIN), "pass a list of them"),
        (lambda host: host.ingest({"id": "a", "text": "b"}, ADMIN), "the documents are one dict"),
        (lambda host: history.apply("full", [{"role": "user"}], window=1_000), "transcripts.read.path..messages"),
    ],
)
def test_a_wrong_kind_of_argument_is_named_with_the_right_one(tmp_path, mistake, expected):
    with open_stage(tmp_path, helpful) as host, pytest.raises(UsageError, match=expected):
        mistake(host)
