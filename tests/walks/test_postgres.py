"""The worked example over PostgreSQL: the same manifests byte for byte, and what an operator does with the store."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from callsheet import Host, MemoryRecord
from callsheet.cli import callsheet
from callsheet.cli.group import run
from callsheet.edges.stores.postgres.migrate import migrate
from callsheet.edges.stores.postgres.schema import MIGRATIONS
from callsheet.edges.stores.postgres.upkeep import erase
from callsheet.errors import UsageError
from callsheet.host.host import open_host
from callsheet.host.wiring import Overrides
from callsheet.testing import NOON, SCRIPTED, FixedClock, ScriptedModel

from ..postgres import Server, Urls
from .residue import left_in, left_in_rows
from .stage import QUESTION, customer, helpful, open_stage, project, told

TEXT = "The deployment of the billing service finished."


@pytest.fixture
def urls(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> Urls:
    """An empty database, its connection strings in the environment."""
    urls = postgres.database()
    monkeypatch.setenv("CALLSHEET_DATABASE_URL", urls.engine)
    monkeypatch.setenv("CALLSHEET_OWNER_URL", urls.owner)
    return urls


def served(tmp_path: Path) -> Path:
    """The support project with its records in PostgreSQL."""
    folder = project(tmp_path)
    settings = folder / "callsheet.toml"
    text = settings.read_text(encoding="utf-8")
    if "postgresql" not in text:
        settings.write_text(text.replace("[store]\n", '[store]\nkind = "postgresql"\n'), encoding="utf-8")
    return folder


def open_served(tmp_path: Path, replies: Any = helpful) -> Host:
    tokens = iter(f"{number:08d}" for number in range(1, 99))
    overrides = Overrides(model=ScriptedModel(SCRIPTED, replies), clock=FixedClock(), token=lambda: next(tokens))
    return open_host(served(tmp_path), overrides=overrides)


def command(*words: str, status: int = 0) -> None:
    assert run(callsheet, [*words]) == status


def test_the_worked_example_gives_the_same_manifests_byte_for_byte_as_over_sqlite(tmp_path, urls, golden):
    migrate(urls.owner, urls.engine)
    with open_stage(tmp_path / "embedded", helpful) as host:
        embedded = host.run(QUESTION, customer())
        bodies = [host.show(each, customer()).wire.body for each in embedded.request_ids]
    with open_served(tmp_path) as host:
        result = host.run(QUESTION, customer())
        golden("worked-example", told(host, result, customer()))
        assert [host.show(each, customer()).wire.body for each in result.request_ids] == bodies
        assert all(host.replay(each, customer())["identical"] for each in result.request_ids)
        reference = f"toolrun://{result.run_id}.1/1"
        assert b"revoked" in host.stores(customer()).artifacts.get(reference)
        assert host.forget("u1", customer())["memories"] > 0
        assert (
            host.memory.load(customer()) == ()
            and "deleted" in host.replay(result.request_ids[0], customer("audit"))["reason"]
        )
    assert not (project(tmp_path) / ".callsheet" / "acme" / "callsheet.db").exists()


def test_knowledge_lies_in_the_database_where_another_engine_finds_it_and_another_tenant_does_not(tmp_path, urls):
    migrate(urls.owner, urls.engine)
    document = {"id": "crane", "version": "v1", "text": "# Gantry\nThe gantry crane lifts forty tons."}
    with open_served(tmp_path / "one") as first, open_served(tmp_path / "two") as second:
        assert second.knowledge.search("gantry crane", customer(), 5).evidence == ()
        assert first.knowledge.ingest([document], customer()).sections == 1
        found = second.knowledge.search("gantry crane", customer(), 5).evidence
        assert [each.evidence_id for each in found] == ["crane@v1#gantry"]
        other = replace(customer(), tenant_id="globex")
        assert second.knowledge.search("gantry crane", other, 5).evidence == ()
        assert second.knowledge.search("revoked API key", other, 5).evidence != ()  # which all tenants share
    with open_stage(tmp_path / "embedded", helpful) as host:
        host.knowledge.ingest([document], customer())
        assert host.knowledge.search("gantry crane", customer(), 5).evidence == found
    assert list(tmp_path.glob("one/**/knowledge.db")) == []


def remembered(host: Host, record_id: str, text: str, subject: str = "u1") -> None:
    record = MemoryRecord(subject, "acme", "support", text, "user_stated", record_id=record_id, created_at=NOON)
    host.memory.add(record, customer(subject=subject))


def recalled(host: Host, subject: str = "u1") -> list[str]:
    """The memories in the request for the question."""
    items = host.assemble(QUESTION, customer(subject=subject)).manifest.items
    return [each.item_id for each in items if each.kind == "memory" and "m-" in each.item_id]


def test_two_engines_share_one_index_of_memories_and_what_one_deletes_the_other_has_no_copy_of(tmp_path, urls):
    migrate(urls.owner, urls.engine)
    with open_served(tmp_path / "one") as first, open_served(tmp_path / "two") as second:
        remembered(first, "m-1", "Why is my API key zyzzyva not working?")
        remembered(second, "m-2", "My API key quokka is not working?", "u2")
        told = [(recalled(each), recalled(each, "u2")) for each in (first, second)]
        assert told[0] == told[1] and all("m-1" in str(own) and "m-2" in str(others) for own, others in told)
        assert "memory_index_section" in left_in_rows(urls.superuser, ["zyzzyva"])
        deletion = first.memory.delete(record="m-1", ctx=customer())
        certificate = deletion.certificate
        assert certificate.residue == () and "callsheet store erase" in certificate.waiting[0]
        assert not any("other machines" in each for each in certificate.ages_out)
        assert left_in_rows(urls.superuser, ["zyzzyva"]) == [] and left_in(tmp_path, ["zyzzyva", "quokka"]) == []
        assert recalled(second) == recalled(first) != told[0][0] and recalled(second, "u2") == told[1][1]
    assert list(tmp_path.glob("**/memory.db")) == []


def test_another_machine_finishes_a_deletion_whose_engine_was_killed_before_the_index_forgot(tmp_path, urls):
    migrate(urls.owner, urls.engine)
    with open_served(tmp_path / "one") as first:
        remembered(first, "m-1", "Why is my API key zyzzyva not working?")
        recalled(first)
        first.stores(customer()).forget("u1")  # as far as the store goes
        assert erase(urls.owner) == 1 and "memory_index_section" in left_in_rows(urls.superuser, ["zyzzyva"])
    with open_served(tmp_path / "two") as second:
        second.stores(customer())
        assert left_in_rows(urls.superuser, ["zyzzyva"]) == []
        assert erase(urls.owner) == 1  # the bytes that only now were let go


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_of_two_engines_that_ask_at_once_one_tells_the_notice(tmp_path, urls, kind):
    """The second asks while the first waits for its model, and both have settled before anything is looked at."""
    migrate(urls.owner, urls.engine)
    bodies: list[bytes] = []

    def slow(body: bytes) -> Any:
        if not bodies:
            bodies.append(body)
            with opened("second", helpful) as second:
                second.run(QUESTION, customer())
                bodies.extend(second._model.bodies)  # type: ignore[union-attr]
        return {"kind": "abstain", "reason": "nothing"}

    def opened(token: str, replies: Any) -> Host:
        overrides = Overrides(model=ScriptedModel(SCRIPTED, replies), clock=FixedClock(), token=lambda: token)
        folder = served(tmp_path) if kind == "postgresql" else project(tmp_path)
        return open_host(folder, overrides=overrides)

    with opened("first", slow) as first:
        first.stores(customer()).events.push(TEXT, "deployments", "u1", NOON)
        told_in = first.run(QUESTION, customer()).request_ids[0]
        (logged,) = first.stores(customer()).events.log()
        assert first.stores(customer()).events.pending("u1", NOON) == ()
    assert len(bodies) == 3 and [TEXT.encode() in body for body in bodies] == [True, False, False]
    assert logged["delivered_in"] == told_in


def test_an_operator_makes_checks_and_erases_the_store_from_the_command_line(tmp_path, urls, capsys):
    folder = str(served(tmp_path))
    command("-C", folder, "state", "show", status=2)
    assert "run `callsheet store migrate`" in capsys.readouterr().err
    command("-C", folder, "store", "migrate", "--json")
    assert json.loads(capsys.readouterr().out) == {"before": 0, "after": len(MIGRATIONS)}
    command("-C", folder, "state", "set", "goal=explain")
    command("-C", folder, "store", "check", "--json")
    with open_served(tmp_path) as host:
        host.forget("u1", customer())
    capsys.readouterr()
    for number in (1, 0):
        command("-C", folder, "store", "erase", "--json")
        assert json.loads(capsys.readouterr().out) == {"tenants": number}
    command("-C", folder, "store", "backup", str(tmp_path / "copy"), status=2)
    assert "pg_dump" in capsys.readouterr().err
    run(callsheet, ["-C", folder, "doctor", "--json"])  # whether all is well depends on the machine's weights too
    rows = {each["name"]: each for each in json.loads(capsys.readouterr().out)["checks"]}
    assert rows["store"]["ok"] and "role 'callsheet_engine' is bound by row-level security" in rows["store"]["detail"]


def test_a_role_that_is_not_bound_fails_the_check_and_the_doctor(tmp_path, urls, capsys, monkeypatch):
    migrate(urls.owner, urls.engine)
    monkeypatch.setenv("CALLSHEET_DATABASE_URL", urls.superuser)
    command("-C", str(served(tmp_path)), "store", "check", status=2)
    assert "role 'postgres' may bypass row-level security" in capsys.readouterr().err
    command("-C", str(served(tmp_path)), "doctor", status=1)


def test_a_folder_named_on_the_command_line_is_sqlite_whatever_the_project_says(tmp_path, urls, capsys):
    folder, data = str(served(tmp_path)), str(tmp_path / "data")
    command("-C", folder, "--data", data, "state", "set", "goal=explain")
    command("-C", folder, "--data", data, "store", "backup", str(tmp_path / "copy"))
    command("-C", folder, "--data", str(tmp_path / "copy"), "state", "show")
    assert "explain" in capsys.readouterr().out
    command("-C", folder, "--data", data, "store", "migrate", status=2)
    for words in ("erase", "check"):
        command("-C", folder, "--data", data, "store", words)


def test_a_variable_that_is_not_set_is_named(tmp_path, urls, monkeypatch):
    monkeypatch.delenv("CALLSHEET_DATABASE_URL")
    with pytest.raises(UsageError, match=r"read from CALLSHEET_DATABASE_URL, which is not set.*\[store\] url_env"):
        open_served(tmp_path)
