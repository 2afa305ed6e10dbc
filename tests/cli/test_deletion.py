"""`memory delete`, `certify` and `export` as a person types them: what they print, and what they exit with."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from callsheet.cli import callsheet
from callsheet.cli.group import run

Tell = Callable[..., tuple[int, Any]]
TEXT = "I keep a purple pelican at home."


@pytest.fixture
def tell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Tell:
    """Runs a command on a support project with one memory; gives its exit code and its JSON, or its words on stderr."""
    run(callsheet, ["init", str(tmp_path / "project"), "--template", "support"])
    capsys.readouterr()

    def command(*arguments: str, json_: bool = True) -> tuple[int, Any]:
        code = run(callsheet, ["-C", str(tmp_path / "project"), *arguments, *(["--json"] if json_ else [])])
        out, err = capsys.readouterr()
        return code, (json.loads(out) if json_ and out else out + err)

    assert command("memory", "add", TEXT, "--purpose", "support", "--source", "user_stated")[0] == 0
    return command


@pytest.mark.parametrize("words", [["u1"], ["--subject", "u1"], ["u1", "--everything"]])
def test_a_subject_is_deleted_and_the_certificate_is_printed(tell: Tell, words: list[str]) -> None:
    code, told = tell("memory", "delete", *words)
    assert code == 0 and told["subject_id"] == "u1" and told["deleted"] >= 2
    certificate = told["certificate"]
    assert certificate["residue"] == [] and certificate["subject"] == "u1" and certificate["signature"]
    assert {each["place"] for each in certificate["looked_in"]} >= {"callsheet.db", "memories", "blobs"}
    assert TEXT not in json.dumps(certificate)
    assert tell("memory", "list")[1] == {"records": []}


def test_one_record_is_deleted_and_the_others_stay(tell: Tell) -> None:
    before = tell("memory", "list")[1]["records"]
    (mine,) = (each for each in before if each["text"] == TEXT)
    code, told = tell("memory", "delete", "--record", mine["record_id"])
    assert code == 0 and told["record_id"] == mine["record_id"] and told["destroyed"]["memories"] == 1
    assert tell("memory", "list")[1]["records"] == [each for each in before if each != mine]
    assert tell("memory", "delete", "--record", mine["record_id"])[0] == 2


def test_a_tenant_needs_the_grant_and_its_own_session(tell: Tell, tmp_path: Path) -> None:
    code, said = tell("memory", "delete", "--tenant", "acme")
    assert code == 2 and "grant 'delete'" in said
    session = tmp_path / "operator.toml"
    session.write_text('tenant = "acme"\nactor = "operator"\ngrants = ["delete"]\n', encoding="utf-8")
    assert tell("memory", "delete", "--tenant", "globex", "--session", str(session))[0] == 2
    code, told = tell("memory", "delete", "--tenant", "acme", "--session", str(session))
    assert code == 0 and told["tenant_id"] == "acme"
    assert not (tmp_path / "project" / ".callsheet" / "acme").exists()
    code, told = tell("memory", "certify", "--tenant", "acme", "--text", TEXT, "--session", str(session))
    assert code == 0 and told["whole"] == "tenant" and told["residue"] == [] and told["signature"]
    assert not (tmp_path / "project" / ".callsheet" / "acme").exists(), "looking makes no folder"
    assert tell("memory", "list")[0] == 0, "a session of its own begins the tenant anew"
    code, told = tell("memory", "certify", "--tenant", "acme", "--session", str(session))
    assert code == 1 and told["residue"]


@pytest.mark.parametrize(
    "words",
    [
        ["delete"],
        ["delete", "u1", "--record", "m-1"],
        ["delete", ""],
        ["certify", ""],
        ["certify", "u1", "--tenant", "acme"],
        ["certify", "--tenant", "acme"],
        ["certify", "u1", "--verify", __file__],
        ["certify", "--verify", "nowhere.json"],
        *(["certify", "u2"], ["export", "u2"], ["delete", "u2"]),
    ],
)
def test_what_names_nothing_or_two_things_or_anothers_is_bad_usage_in_one_line(tell: Tell, words: list[str]) -> None:
    code, said = tell("memory", *words)
    assert code == 2 and said.startswith("callsheet: ") and said.count("\n") == 1


def test_a_certificate_finds_what_is_there_and_exits_with_1(tell: Tell, tmp_path: Path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text(f"{TEXT}\n", encoding="utf-8")
    assert tell("memory", "certify")[1]["subject"] == "u1", "by default the session's own"
    for given in ([], ["--text", TEXT], ["--texts", str(texts)]):
        code, told = tell("memory", "certify", "u1", *given)
        assert code == 1 and {"place": "memories", "what": "rows of the subject", "count": 1} in told["residue"]
    assert tell("memory", "delete", "u1")[0] == 0
    code, told = tell("memory", "certify", "--subject", "u1", "--texts", str(texts))
    assert code == 0 and told["residue"] == [] and told["probes"] == 2


def test_a_certificate_verifies_until_a_byte_of_it_is_changed(tell: Tell, tmp_path: Path) -> None:
    file = tmp_path / "certificate.json"
    for made in (tell("memory", "delete", "u1")[1], tell("memory", "certify", "u1")[1]):
        file.write_text(json.dumps(made), encoding="utf-8")
        code, said = tell("memory", "certify", "--verify", str(file))
        assert code == 0 and said["valid"] and said["subject"] == "u1" and said["residue"] == []
        for changed in (json.dumps(made).replace('"u1"', '"u2"'), json.dumps(made)[:-2], "", "{}", "[1]"):
            file.write_text(changed, encoding="utf-8")
            code, said = tell("memory", "certify", "--verify", str(file))
            assert code == 1 and said["valid"] is False and said["why"]
    file.write_text(json.dumps(made), encoding="utf-8")
    assert tell("memory", "certify", "--verify", str(file), "--key", made["public_key"])[0] == 0
    assert tell("memory", "certify", "--verify", str(file), "--key", "ab" * 32)[0] == 1
    session = tmp_path / "other.toml"
    session.write_text('tenant = "globex"\nactor = "bob"\n', encoding="utf-8")
    assert tell("memory", "certify", "--verify", str(file), "--session", str(session))[0] == 1


def test_an_export_is_json_with_or_without_being_asked_for_it(tell: Tell) -> None:
    code, told = tell("memory", "export")
    assert code == 0 and TEXT in [each["text"] for each in told["records"]] and told["subject_id"] == "u1"
    assert tell("memory", "export", "u1", json_=False)[1].startswith('{\n  "subject_id": "u1"')


def test_a_person_reads_what_went_and_where_was_looked(tell: Tell) -> None:
    code, said = tell("memory", "delete", "u1", json_=False)
    assert code == 0 and "pieces deleted" in said and "0 traces left" in said and "signed by" in said
    assert TEXT not in said


def test_a_file_of_words_that_is_no_text_is_named_in_one_line(tell: Tell, tmp_path: Path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_bytes(b"caf\xe9 in another encoding")
    for words in (["memory", "certify", "u1", "--texts", str(texts)], ["state", "begin", str(texts)]):
        code, said = tell(*words)
        assert code == 2 and "UTF-8" in said and said.count("\n") == 1


def test_words_are_looked_for_behind_a_byte_order_mark_too(tell: Tell, tmp_path: Path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text(f"{TEXT}\n", encoding="utf-8-sig")
    assert "memories" in {each["place"] for each in found_of_another(tell, tmp_path, "--texts", str(texts))}


def test_a_short_text_is_looked_for_whole_and_one_that_is_too_short_is_not_passed_over(
    tell: Tell, tmp_path: Path
) -> None:
    assert "memories" in {each["place"] for each in found_of_another(tell, tmp_path, "--text", "pelican")}
    code, said = tell("memory", "certify", "u1", "--text", "Ann")
    assert code == 2 and "'Ann'" in said and "6 characters" in said


def found_of_another(tell: Tell, tmp_path: Path, *words: str) -> list[dict[str, Any]]:
    """What a search for a subject that never was says is held by others."""
    session = tmp_path / "operator.toml"
    session.write_text('tenant = "acme"\nactor = "operator"\ngrants = ["delete"]\n', encoding="utf-8")
    held: list[dict[str, Any]] = tell("memory", "certify", "nobody", *words, "--session", str(session))[1][
        "held_by_others"
    ]
    return held
