"""An index that is damaged, or of another version: told by every command that meets it, found by doctor, begun anew."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from callsheet.cli import callsheet
from callsheet.cli.group import run

from .stage import customer, open_stage, project

Tell = Callable[..., tuple[int, Any]]
FOREIGN = "UPDATE knowledge_state SET version = 1"


@pytest.fixture
def tell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Tell:
    """Runs a command on the support project; gives its exit code and its JSON, or its words on stderr."""

    def command(*arguments: str) -> tuple[int, Any]:
        code = run(callsheet, ["-C", str(project(tmp_path)), "--data", str(tmp_path / "data"), *arguments, "--json"])
        out, err = capsys.readouterr()
        return code, json.loads(out) if out else err

    return command


def change(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement)
    connection.close()


def indexes(tell: Tell) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in tell("doctor")[1]["checks"] if each["name"] == "indexes")
    return found


def pelicans(folder: Path) -> str:
    (folder / "docs").mkdir()
    (folder / "docs" / "pelican.md").write_text("# Pelicans\n\nPelicans nest by the lake.\n")
    return str(folder / "docs")


@pytest.mark.parametrize("options", [(), ("--shared",)])
def test_doctor_finds_an_index_that_cannot_be_used_and_names_the_command_that_mends_it(
    tmp_path: Path, tell: Tell, options: tuple[str, ...]
) -> None:
    docs = pelicans(tmp_path)
    assert tell("ingest", docs, *options)[0] == 0 and indexes(tell)["ok"]
    path = tmp_path / "data" / ("shared" if options else "acme") / "knowledge.db"
    change(path, FOREIGN)
    code, told = tell("search", "pelicans")
    assert code == 2 and f"{path} was written by another version" in told
    words = " ".join(("callsheet ingest --anew", *options, docs))
    assert not indexes(tell)["ok"] and f"`{words}`" in indexes(tell)["detail"]
    code, done = tell("ingest", "--anew", *options, docs)
    assert (code, done["documents"], Path(done["set_aside"]).name) == (0, 1, "knowledge.unusable-1.db")
    assert indexes(tell)["ok"] and tell("search", "pelicans")[1]["results"][0]["source"] == "pelican"
    assert tell("search", "revoked key")[1]["results"][0]["source"] == "runbook/api-keys"


def test_a_damaged_index_that_an_application_wrote_is_begun_anew_though_nothing_of_it_can_be_read(
    tmp_path: Path, tell: Tell
) -> None:
    with open_stage(tmp_path) as host:
        host.ingest([{"id": "notes/pelican", "text": "Pelicans nest."}], customer())
    path = tmp_path / "data" / "acme" / "knowledge.db"
    change(path, FOREIGN)
    assert "have the application hand its documents over again" in indexes(tell)["detail"]
    path.write_bytes(path.read_bytes()[:5_000])
    assert "is damaged" in indexes(tell)["detail"] and "with each PATH that it was made from" in indexes(tell)["detail"]
    code, done = tell("ingest", "--anew")
    assert code == 0 and Path(done["set_aside"]).stat().st_size == 5_000
    assert indexes(tell)["ok"] and tell("search", "revoked key")[1]["results"]


def test_a_usable_index_is_never_set_aside(tmp_path: Path, tell: Tell) -> None:
    docs = pelicans(tmp_path)
    tell("ingest", docs)
    code, done = tell("ingest", "--anew", docs)
    assert (code, done["set_aside"], done["unchanged"]) == (0, None, 1)


def test_the_projects_own_knowledge_is_made_anew_by_itself_after_another_version(tmp_path: Path, tell: Tell) -> None:
    before = tell("search", "revoked key")[1]["results"]
    change(tmp_path / "data" / "shared" / "knowledge.db", FOREIGN)
    assert tell("search", "revoked key")[1]["results"] == before and before
    assert [each.name for each in (tmp_path / "data" / "shared").glob("*unusable*")] == []


def test_a_host_that_is_open_goes_on_with_the_index_that_was_begun_anew(tmp_path: Path) -> None:
    with open_stage(tmp_path) as host:
        for shared, ctx in ((False, customer()), (True, customer("publish"))):
            host.ingest([{"id": "notes/pelican", "text": "Pelicans nest."}], ctx, shared=shared)
            assert host.search("pelicans revoked key", ctx)
            change(tmp_path / "data" / ("shared" if shared else "acme") / "knowledge.db", FOREIGN)
            assert host.knowledge.set_aside(ctx, shared=shared) is not None
            host.ingest([{"id": "notes/gull", "text": "Gulls nest."}], ctx, shared=shared)
            assert "notes/gull" in {each.document_id for each in host.search("gulls", ctx)}
        assert {each.document_id for each in host.search("revoked key", customer())} >= {"runbook/api-keys"}


def test_an_abstention_while_the_knowledge_cannot_be_asked_says_so(tmp_path: Path) -> None:
    settings = project(tmp_path) / "callsheet.toml"
    settings.write_text(settings.read_text(encoding="utf-8") + "\n[knowledge]\nsufficient = 0.5\n", encoding="utf-8")
    with open_stage(tmp_path) as host:
        host.ingest([{"id": "notes/pelican", "text": "Pelicans nest."}], customer())
    path = tmp_path / "data" / "acme" / "knowledge.db"
    path.write_bytes(path.read_bytes()[:5_000])
    with open_stage(tmp_path) as host:
        result = host.run("Can a revoked key be restored?", customer(), decision="answer")
    assert result.outcome == "abstained" and "knowledge could not answer" in result.why and "is damaged" in result.why


@pytest.mark.parametrize("damage", ["page", "schema", "version", "no database"])
@pytest.mark.parametrize(
    "command", [("memory", "certify", "u1"), ("memory", "delete", "u1"), ("assemble", "which key")]
)
def test_an_index_of_memories_is_a_copy_and_is_begun_anew_by_itself(
    tmp_path: Path, tell: Tell, damage: str, command: tuple[str, ...]
) -> None:
    remember = ("memory", "add", "I keep a purple pelican.", "--purpose", "support", "--source", "user_stated")
    assert tell(*remember)[0] == 0 and tell("assemble", "Which pelican?")[0] == 0
    path = tmp_path / "data" / "acme" / "memory.db"
    if damage == "version":
        change(path, FOREIGN)
    else:
        data = bytearray(path.read_bytes())
        start = {"page": 1024, "schema": 600, "no database": 0}[damage]
        data[start : start + 2_000] = b"\xff" * 2_000
        path.write_bytes(data)
    code, told = tell(*command)
    assert code == (1 if "certify" in command else 0), told
    assert tell("memory", "list")[0] == 0 and tell("store", "check")[0] == 0
    if command[0] == "assemble":
        assert b"pelican" in path.read_bytes()
    if "delete" in command:
        assert told["certificate"]["residue"] == []
        assert not any(b"pelican" in each.read_bytes() for each in path.parent.glob("memory.db*"))
