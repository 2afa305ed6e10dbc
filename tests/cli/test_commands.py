"""The commands on a real project and real stores, without a model: what they print, as a script reads it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from callsheet.cli import callsheet
from callsheet.cli.group import run

QUESTION = "Why is my API key not working?"
Tell = Callable[..., tuple[int, Any]]


@pytest.fixture
def tell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Tell:
    """Runs a command on a fresh support project; gives its exit code and its JSON, or its words on stderr."""
    assert run(callsheet, ["init", str(tmp_path / "project"), "--template", "support", "--json"]) == 0
    assert "callsheet.toml" in capsys.readouterr().out

    def command(*arguments: str) -> tuple[int, Any]:
        code = run(callsheet, ["-C", str(tmp_path / "project"), *arguments, "--json"])
        out, err = capsys.readouterr()
        return code, json.loads(out) if out else err

    return command


def test_a_template_is_never_written_over_a_project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(callsheet, ["init", str(tmp_path)]) == 0
    (tmp_path / "callsheet.toml").write_text("mine", encoding="utf-8")
    assert run(callsheet, ["init", str(tmp_path)]) == 2
    assert (tmp_path / "callsheet.toml").read_text(encoding="utf-8") == "mine"
    assert "nothing was written" in capsys.readouterr().err


def test_an_assembled_request_can_be_shown_explained_replayed_and_compared(tell: Tell) -> None:
    code, first = tell("assemble", QUESTION)
    assert code == 0
    shown = tell("show", first["request_id"])[1]
    assert {name: shown[name] for name in first} == first and shown["status"] == "recorded"
    assert tell("replay", first["request_id"])[1]["identical"] is True
    item = next(item for item in first["items"] if item["kind"] == "evidence")
    at = str(item["spans"][0]["start"])
    assert tell("why", first["request_id"], "--byte", at)[1]["item_id"] == item["item_id"]
    left = first["left_out"][0]
    assert tell("why", first["request_id"], "--item", left["item_id"])[1]["reason"] == left["reason"]
    second = tell("assemble", QUESTION, "--decision", "answer")[1]
    assert tell("diff", first["request_id"], second["request_id"])[1]["first_difference"]["byte"] > 0
    wanted = tell("blame", first["request_id"], "--require", "runbook/nowhere@v1#x")[1]
    assert wanted["missing"] == "evidence"


def test_two_assemblies_of_one_question_differ_only_in_id_and_time(tell: Tell) -> None:
    documents = [tell("assemble", QUESTION)[1] for _ in range(2)]
    for document in documents:
        del document["request_id"]
        for item in document["items"]:
            del item["retrieved_at"]
    assert documents[0] == documents[1]


def test_another_sessions_request_reads_like_one_that_does_not_exist(tell: Tell, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text('tenant = "acme"\nactor = "customer:u2"\nsubject = "u2"\n', encoding="utf-8")
    known = tell("assemble", QUESTION)[1]["request_id"]
    unknown = known[:-3] + "zz.1"
    answers = [tell("show", request_id, "--session", str(other)) for request_id in (known, unknown)]
    assert [code for code, _ in answers] == [2, 2]
    assert answers[0][1].replace(known, "ID") == answers[1][1].replace(unknown, "ID")


def test_state_events_and_memories_are_kept_between_commands(tell: Tell) -> None:
    assert tell("state", "set", "phase=answer", "resources.account=A-123,A-124")[0] == 0
    assert tell("state", "show")[1]["resources"] == {"account": ["A-123", "A-124"]}
    tell("events", "push", "The deployment of api-gateway 4.2 finished at 10:02.", "--producer", "deploys")
    (event,) = tell("events", "list")[1]["events"]
    assert event["producer"] == "deploys"
    tell("memory", "add", "Prefers mail.", "--purpose", "support", "--source", "user_stated")
    tell("memory", "add", "Is on a trial.", "--purpose", "billing", "--source", "user_stated")
    loaded = tell("memory", "load", "--purpose", "support")[1]
    assert "Prefers mail." in [record["text"] for record in loaded["facts"]]
    assert {entry["reason"] for entry in loaded["refused"]} >= {"purpose"}
    assert tell("memory", "delete", "u1")[1]["deleted"] >= 2
    assert tell("memory", "list")[1] == {"records": []}


def test_an_ingested_document_is_found_and_only_its_tenants_own(tell: Tell, tmp_path: Path) -> None:
    file = tmp_path / "more.jsonl"
    file.write_text('{"id": "faq/zebra", "text": "A zebra crossing is striped."}\n', encoding="utf-8")
    told = tell("ingest", str(file))[1]
    assert (told["documents"], told["sections"], told["skipped"], told["shared"]) == (1, 1, [], False)
    (result, *_) = tell("search", "zebra crossing")[1]["results"]
    assert result["source"] == "faq/zebra" and result["text"] == "A zebra crossing is striped."
    other = tmp_path / "other.toml"
    other.write_text('tenant = "other"\nactor = "bob"\n', encoding="utf-8")
    found = tell("search", "zebra crossing", "--session", str(other))[1]["results"]
    assert not [result for result in found if result["source"] == "faq/zebra"]


def test_a_batch_of_queries_gives_a_line_each(tell: Tell, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    batch = tmp_path / "queries.jsonl"
    batch.write_text('{"id": 1, "query": "revoked"}\n{"id": 2, "query": "limits"}\n', encoding="utf-8")
    assert run(callsheet, ["-C", str(tmp_path / "project"), "search", "--batch", str(batch)]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["id"] for line in lines] == [1, 2] and all(line["results"] for line in lines)
    batch.write_text("{", encoding="utf-8")
    assert tell("search", "--batch", str(batch))[0] == 2


def test_the_template_has_no_finding_and_a_broken_one_names_file_line_and_rule(tell: Tell, tmp_path: Path) -> None:
    assert tell("lint") == (0, {"findings": []})
    (tmp_path / "project" / "instructions" / "new.md").write_text("Be kind.\n", encoding="utf-8")
    code, document = tell("lint")
    assert code == 1 and document["findings"][0]["rule"] == "instruction-without-version"
    (tmp_path / "project" / "evals" / "new.yaml").write_text("- name: a\n", encoding="utf-8")
    findings = tell("lint")[1]["findings"]
    assert [found["file"] for found in findings] == ["evals/new.yaml", "instructions/new.md"]


@pytest.mark.parametrize("arguments", [("lint",), ("run", QUESTION), ("assemble", QUESTION), ("search", "x")])
def test_a_folder_that_is_no_project_is_bad_input(
    arguments: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(callsheet, ["-C", str(tmp_path), *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and "callsheet.toml" in err and "callsheet init" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "nope.1"),
        ("replay", "nope.1"),
        ("approve", "nope"),
        ("refuse", "nope"),
        ("assemble", QUESTION, "--decision", "nope"),
        ("assemble", " "),
        ("state", "set", "colour=red"),
        ("run", "--resume", "nope"),
        ("run",),
    ],
)
def test_bad_input_is_one_line_and_leaves_with_2(arguments: tuple[str, ...], tell: Tell) -> None:
    code, words = tell(*arguments)
    assert code == 2 and words.startswith("callsheet: ") and words.count("\n") == 1
    assert "defect" not in words


def test_doctor_says_where_there_is_no_project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(callsheet, ["-C", str(tmp_path), "doctor", "--json"])
    checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert checks["project folder"]["ok"] and "has no callsheet.toml" in checks["project folder"]["detail"]


@pytest.mark.parametrize(
    "line",
    [
        b"\xff", b"{", b"[" * 200_000, b"[]", b'{"query": 1}', b'{"query": "\\ud800"}', b'{"query": "a", "id": NaN}',
        b'{"query": "a", "id": 1e999}', b'{"query": "a", "id": "\\ud800"}',
    ],
)  # fmt: skip
def test_a_line_of_a_batch_that_is_no_query_is_named_by_file_and_line(tell: Tell, tmp_path: Path, line: bytes) -> None:
    file = tmp_path / "many.jsonl"
    file.write_bytes(b"\n" + line)
    code, said = tell("search", "--batch", str(file))
    assert code == 2 and "many.jsonl:2" in said and said.count("\n") == 1


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a.md": "# A\nwords", "b.md": "---\nversion: v2\n---\n# B\nwords"}, "a names no version"),
        ({"a.md": "# A\nwords", "c.jsonl": '{"id": "c", "text": "words"}'}, "2 documents name no version"),
        ({"c.jsonl": '{"id": "c", "text": "words", "version": 3}'}, ""),
    ],
)
def test_a_document_without_a_version_is_filed_and_said_to_have_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str], said: str
) -> None:
    assert run(callsheet, ["init", str(tmp_path / "project")]) == 0
    capsys.readouterr()
    (tmp_path / "documents").mkdir()
    for name, text in files.items():
        (tmp_path / "documents" / name).write_text(text, encoding="utf-8")
    paths = [str(tmp_path / "documents" / name) for name in files]
    assert run(callsheet, ["-C", str(tmp_path / "project"), "ingest", *paths]) == 0
    notes = capsys.readouterr().err
    assert said in notes if said else notes == ""


def test_a_catalogue_is_checked_and_counted_and_an_error_of_it_ends_with_1(tell: Tell, tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"id": {"type": "string"}, "day": {"type": "string"}}}
    tools = [{"name": name, "description": "Gets an order.", "inputSchema": schema} for name in ("get_it", "fetch_it")]
    (tmp_path / "tools.json").write_text(json.dumps({"tools": tools}))
    code, told = tell("tools", "lint", "--catalogue", str(tmp_path / "tools.json"))
    assert code == 1 and told["tools"] == 2 and told["errors"] == 1
    assert told["findings"][0]["rule"] == "indistinguishable-tools"
    assert told["findings"][0]["tools"] == ["get_it", "fetch_it"]
    code, told = tell("tools", "cost", "--catalogue", str(tmp_path / "tools.json"))
    assert code == 0 and told["total"] == sum(each["tokens"] for each in told["tools"]) and told["calls"] is None
    code, told = tell("tools", "lint")
    assert code == 0 and told["errors"] == 0 and {"tools", "message", "fix"} <= told["findings"][0].keys()
    code, told = tell("tools", "cost")
    assert code == 0 and told["calls"] == 0 and told["unused"] == told["invented"] == []
