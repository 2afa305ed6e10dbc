"""One of three subjects is deleted: nothing of it is left anywhere, which is certified; the others notice nothing."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from callsheet import Host, MemoryRecord
from callsheet.cli.output import plain
from callsheet.edges.stores.postgres.migrate import migrate
from callsheet.errors import StoreError, UnknownName, UsageError
from callsheet.host.host import open_host
from callsheet.host.inspection import replayed
from callsheet.host.wiring import Overrides
from callsheet.model.progress import LogEntry, ScopeItem
from callsheet.model.task import TaskState
from callsheet.testing import NOON, SCRIPTED, FixedClock, ScriptedModel

from ..postgres import Urls
from .residue import left_in, left_in_rows
from .stage import ANSWER, CHECK, customer, project, references

SUBJECTS = ("subject-anna-7731", "subject-boris-4402", "subject-clara-9915")
ANNA, BORIS, CLARA = SUBJECTS
SECRETS = {ANNA: "purple pelican", BORIS: "green giraffe", CLARA: "orange ocelot"}
KEPT = "She keeps a purple pelican at home. Müllers purple pelican."
MANY = 10 * "so much to say of it that it is compressed, "


def said(subject: str) -> list[str]:
    """All that tells of one subject, in every store."""
    word = SECRETS[subject]
    return [
        subject,
        f"keeps a {word} at home",
        f"notes of the {word}",
        f"the {word} was fed",
        f"the {word} comes first",
        f"my {word} ate the key",
        f"whole output on the {word}",
        f"The {word} of the answer",
        f"Müllers {word}",
        f"groom the {word}",
        f"weighed the {word}",
    ]


def answering(body: bytes) -> Any:
    """A model that checks the key and then says the customer's own words back."""
    observed = references(body)
    if not observed:
        return CHECK
    word = next(word for word in SECRETS.values() if f"my {word} ate".encode() in body)
    return {
        **ANSWER,
        "answer": f"The {word} of the answer did it. {ANSWER['answer']}",
        "sources": [*ANSWER["sources"], *observed],
    }


@pytest.fixture(params=["store", "folder", "postgresql"])
def opened(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Host]:
    """Opens the host of one project: memory files in the store or in a folder, records in SQLite or in PostgreSQL."""
    folder = project(tmp_path)
    settings = folder / "callsheet.toml"
    text = settings.read_text(encoding="utf-8")
    if request.param == "folder":
        text += '\n[memory_files]\nbackend = "folder"\n'
    if request.param == "postgresql":
        urls = request.getfixturevalue("postgres").database()
        migrate(urls.owner, urls.engine)
        monkeypatch.setenv("CALLSHEET_DATABASE_URL", urls.engine)
        monkeypatch.setenv("CALLSHEET_OWNER_URL", urls.owner)
        text = text.replace("[store]\n", '[store]\nkind = "postgresql"\nbackup_days = 30\n')
        monkeypatch.setattr("tests.walks.test_deletion.DATABASE", urls)
    settings.write_text(text, encoding="utf-8")
    tokens = iter(f"{number:08d}" for number in range(1, 999))

    def opened() -> Host:
        model = ScriptedModel(SCRIPTED, answering)
        return open_host(folder, overrides=Overrides(model=model, clock=FixedClock(), token=lambda: next(tokens)))

    return opened


DATABASE: Urls | None = None


def left(host: Host, needles: list[str]) -> list[str]:
    """Where one of the texts is left: in any file of the data folder, in any row of the database."""
    rows = left_in_rows(DATABASE.superuser, needles) if DATABASE is not None else []
    return left_in(host.data_dir, needles) + rows


def fill(host: Host, subject: str) -> list[str]:
    """Something of a subject in every store; the ids of its requests."""
    ctx, word = customer(subject=subject), SECRETS[subject]
    host.memory.add(
        MemoryRecord(subject, "acme", "support", f"She keeps a {word} at home. Müllers {word}.", "user_stated"), ctx
    )
    files = host.memory.files(ctx)
    files.perform({"command": "create", "path": "/memories/log.md", "file_text": f"notes of the {word}\n{MANY}"})
    store = host.stores(ctx)
    store.events.push(f"At noon the {word} was fed.", "zoo", subject, NOON)
    account = {"account": ("A-123",)}
    state = TaskState(
        f"the {word} comes first",
        "gather diagnostic evidence",
        facts={"account_id": "A-123"},
        resources=account,
        scope=(ScopeItem("1", f"groom the {word}"),),
        log=(LogEntry("run-0", f"weighed the {word}"),),
    )
    store.states.save(subject, state)
    result = host.run(f"This morning my {word} ate the key of A-123. Why is my API key not working? {MANY}", ctx)
    assert result.outcome == "answer", result
    reference = f"toolrun://{result.request_ids[0]}/9"
    store.artifacts.put(reference, f"whole output on the {word} {MANY}".encode(), subject)
    store.approvals.request(f"approval-{word}", "b2:call", result.request_ids[0], {"of": f"the {word} was fed"}, NOON)
    return list(result.request_ids)


def shown(host: Host, subject: str, requests: list[str]) -> str:
    """All that a subject's session sees, as one text."""
    ctx = customer(subject=subject)
    files = host.memory.files(ctx)
    seen = (
        [host.show(each, ctx) for each in requests],
        [host.replay(each, ctx) for each in requests],
        host.memory.load(ctx),
        host.stores(ctx).states.load(subject),
        host.events(ctx),
        files.perform({"command": "view", "path": "/memories/log.md"}).text,
    )
    return json.dumps(plain(seen), sort_keys=True)


@pytest.fixture
def filled(opened: Callable[[], Host]) -> Iterator[tuple[Host, dict[str, list[str]]]]:
    with opened() as host:
        yield host, {subject: fill(host, subject) for subject in SUBJECTS}


def test_of_one_subject_of_three_nothing_is_left_and_the_others_read_what_they_read_before(filled):
    host, requests = filled
    others = {each: shown(host, each, requests[each]) for each in (BORIS, CLARA)}
    assert all(left(host, [needle]) for needle in said(ANNA)), "or the search would prove nothing"
    done = host.memory.delete(ANNA, customer(subject=ANNA))
    assert left(host, said(ANNA)) == []
    assert {each: shown(host, each, requests[each]) for each in (BORIS, CLARA)} == others
    assert all(left(host, [needle]) for needle in said(BORIS))
    assert done.certificate.residue == () and done.certificate.probes > 10
    kept = ("memories", "states", "events", "approvals")
    assert all(done.destroyed[name] == 1 for name in kept) and done.destroyed["artifacts"] == 2
    assert done.destroyed["memory_files"] >= 1 and done.total == sum(done.destroyed.values())
    with pytest.raises(UnknownName):
        host.show(requests[ANNA][0], customer(subject=ANNA))
    audit = customer("audit")
    assert {host.replay(each, audit)["reason"] for each in requests[ANNA]} == {"content deleted"}


def test_a_deleted_subject_that_comes_back_starts_from_nothing(filled):
    host, _ = filled
    ctx = customer(subject=ANNA)
    host.memory.delete(ANNA, ctx)
    assert host.memory.load(ctx) == () and host.memory.export(ANNA, ctx)["requests"] == []
    again = fill(host, ANNA)
    assert all(host.replay(each, ctx)["identical"] for each in again)


def test_a_run_that_was_under_way_leaves_nothing_of_its_deleted_subject_behind(filled):
    host, requests = filled
    store, (first, *_) = host.stores(customer(subject=ANNA)), requests[ANNA]
    host.memory.delete(ANNA, customer(subject=ANNA))
    for late in (
        lambda: store.artifacts.put(f"toolrun://{first}/3", b"late words of the purple pelican", ANNA),
        lambda: store.approvals.request("late", "b2:call", first, {"of": "the purple pelican"}, NOON),
        lambda: store.ledger.sending(first),
    ):
        with pytest.raises(StoreError, match="its subject was deleted"):
            late()
    assert left(host, said(ANNA)) == []


@pytest.mark.parametrize("name", [f"keys/.{ANNA}.0123456789abcdef"])
def test_what_a_crash_of_a_writer_left_under_the_subjects_name_goes_too(filled, name):
    host, _ = filled
    if DATABASE is not None:
        pytest.skip("keys and leases are not files there")
    left_over = host.data_dir / "acme" / name
    left_over.parent.mkdir(exist_ok=True)
    left_over.write_bytes(b"half")
    there = host.memory.certify(ANNA, customer(subject=ANNA))
    assert name in [each.place for each in there.residue]
    assert host.memory.delete(ANNA, customer(subject=ANNA)).certificate.residue == ()
    assert not left_over.exists()


def test_a_record_leaves_the_decisions_that_carried_it_and_nothing_else_does(filled):
    host, requests = filled
    ctx = customer(subject=ANNA)
    (record,) = host.memory.load(ctx)
    words = ["keeps a purple pelican at home", "Müllers purple pelican"]
    other = host.memory.add(MemoryRecord(ANNA, "acme", "support", "She reads German newspapers.", "user_stated"), ctx)
    made = MemoryRecord(
        ANNA, "acme", "support", "Has an unusual pet bird.", "model_inferred", derived_from=(record.record_id,)
    )
    host.memory.add(made, ctx)
    boris = shown(host, BORIS, requests[BORIS])
    assert all(left(host, [each]) for each in words)
    done = host.memory.delete(None, ctx, record=record.record_id)
    assert left(host, [*words, "unusual pet bird"]) == []
    assert host.memory.load(ctx) == (other,)
    assert shown(host, BORIS, requests[BORIS]) == boris
    found = host.replay(requests[ANNA][0], ctx)
    assert found["reason"] == "content deleted" and f"memory/{record.record_id}" in found["deleted"]
    kept = host.show(requests[ANNA][0], ctx)
    assert kept.task.question.startswith("This morning"), "what was said before the record came in"
    assert kept.reply is None and kept.wire.body == b""
    assert {each.what for each in done.absorbed} >= {"made of the deleted record"}
    assert done.certificate.residue == () and done.certificate.whole == "record"
    with pytest.raises(UnknownName, match="no memory"):
        host.memory.delete(None, ctx, record=record.record_id)


def test_a_record_that_was_only_weighed_leaves_its_decisions_all_the_rest(filled):
    host, others = filled
    ctx = customer(subject=ANNA)
    text, told = "Her uncle owns the teal tapir zoo in Lund.", "a letter of the teal tapir keeper"
    given = MemoryRecord(ANNA, "acme", "billing", text, "user_stated", provenance=told)
    record = host.memory.add(given, ctx)
    requests = host.run("This morning my purple pelican ate it. Why is my API key not working?", ctx).request_ids
    before = [host.show(each, ctx) for each in requests]
    name = f"memory/{record.record_id}"
    assert all(name in [left.item_id for left in each.manifest.left_out] for each in before)
    assert left(host, [text, told])
    boris = shown(host, BORIS, others[BORIS])
    done = host.memory.delete(None, ctx, record=record.record_id)
    assert left(host, [text, told, "teal tapir"]) == [] and done.certificate.residue == ()
    assert [(each.place, each.count) for each in done.absorbed] == [("decisions", len(requests))]
    assert done.absorbed[0].what.startswith("had only weighed the record")
    assert shown(host, BORIS, others[BORIS]) == boris
    for was, request_id in zip(before, requests, strict=True):
        now, replayed = host.show(request_id, ctx), host.replay(request_id, ctx)
        assert (now.wire, now.reply, now.step, now.task) == (was.wire, was.reply, was.step, was.task)
        assert now.manifest.items == was.manifest.items and now.deleted == (name,)
        assert replayed["identical"] and replayed["deleted"] == [name]
        (gone,) = [each for each in now.manifest.left_out if each.item_id == name]
        assert (gone.reason, gone.source, gone.detail) == ("purpose", "", "")


def test_what_a_folder_of_sqlites_still_has_is_named_with_the_way_out(filled, tmp_path):
    host, _ = filled
    if DATABASE is None:
        pytest.skip("of a project that names PostgreSQL now")

    def sqlite() -> Host:
        overrides = Overrides(model=ScriptedModel(SCRIPTED, answering), clock=FixedClock())
        return open_host(project(tmp_path), host.data_dir, overrides)

    with sqlite() as before:
        before.memory.add(MemoryRecord(ANNA, "acme", "support", KEPT, "user_stated"), customer(subject=ANNA))
    found = host.memory.delete(ANNA, customer(subject=ANNA)).certificate
    assert "callsheet.db" in [each.place for each in found.residue]
    assert f"`callsheet --data FOLDER memory delete {ANNA}`" in found.waiting[-1]
    with sqlite() as before:
        before.memory.delete(ANNA, customer(subject=ANNA))
    assert host.memory.certify(ANNA, customer(subject=ANNA), [KEPT]).residue == ()


def test_a_decision_that_is_another_without_what_was_deleted_cannot_be_judged(filled):
    host, requests = filled
    ctx = customer(subject=ANNA)
    stored = host.show(requests[ANNA][0], ctx)
    gathered = stored.entries[0]
    of = next(item.item_id for item in stored.manifest.items if item.kind == "memory")
    found = [replace(each, items=tuple(item for item in each.items if item.item_id != of)) for each in gathered.answer]
    less = replace(gathered, answer=tuple(found))
    without = replace(stored, entries=(less, *stored.entries[1:]), deleted=("memory/m-0",))
    told = replayed(without, host.stores(ctx).records)
    assert (told["identical"], told["reason"], told["deleted"]) == (False, "content deleted", ["memory/m-0"])


def test_a_record_that_was_said_in_an_earlier_question_leaves_that_too(filled):
    host, requests = filled
    ctx = customer(subject=ANNA)
    record = MemoryRecord(ANNA, "acme", "support", "my purple pelican ate the key of A-123", "user_stated")
    kept = host.memory.add(record, ctx)
    host.stores(ctx).events.push(f"She says: {record.text}.", "desk", ANNA, NOON)
    done = host.memory.delete(None, ctx, record=kept.record_id)
    assert left(host, [record.text]) == []
    with pytest.raises(UnknownName):  # whose it was stood there too
        host.show(requests[ANNA][0], ctx)
    assert host.replay(requests[ANNA][0], customer("audit"))["reason"] == "content deleted"
    assert [each["text"] for each in host.events(ctx)] == ["At noon the purple pelican was fed."]
    assert done.certificate.residue == () and done.destroyed["events"] == 1


def test_what_was_deleted_before_with_another_program_goes_with_the_next_deletion(filled):
    host, _ = filled
    path = host.data_dir / "acme" / "callsheet.db"
    if not path.exists():
        pytest.skip("of SQLite's own files")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA secure_delete=OFF")
        connection.execute("DELETE FROM memories WHERE owner = ?", (BORIS,))
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert b"green giraffe at home. M" in path.read_bytes()
    host.memory.delete(BORIS, customer(subject=BORIS))
    assert left(host, said(BORIS)) == []


def test_a_record_is_another_sessions_only_with_a_grant_and_is_unknown_without(filled):
    host, _ = filled
    (record,) = host.memory.load(customer(subject=ANNA))
    for attempt in (record.record_id, "m-nothing"):
        with pytest.raises(UnknownName, match=f"no memory '{attempt}'"):
            host.memory.delete(None, customer(subject=BORIS), record=attempt)
    assert host.memory.delete(None, customer("memory", subject=BORIS), record=record.record_id).total


def test_a_shared_file_that_took_a_memory_over_is_written_again_without_it(filled):
    host, _ = filled
    librarian = customer("memory", subject=BORIS)
    text = f"Opening hours: nine to five.\nAnna: {KEPT}\nClosed on Sunday.\n"
    path = "/memories/shared/handbook.md"
    host.memory.files(librarian).perform({"command": "create", "path": path, "file_text": text})
    done = host.memory.delete(ANNA, customer(subject=ANNA))
    viewed = host.memory.files(customer(subject=BORIS)).perform({"command": "view", "path": path}).text
    assert "Opening hours" in viewed and "Closed on Sunday" in viewed and "Anna" not in viewed
    assert [each.what for each in done.absorbed] == ["rewritten without the words"]
    assert left(host, ["keeps a purple pelican at home"]) == []


def test_nobody_takes_a_line_from_what_all_share_by_remembering_it_and_being_deleted(filled):
    host, _ = filled
    path, line = "/memories/shared/hours.md", "The office opens at nine o'clock."
    given = {"command": "create", "path": path, "file_text": f"{line}\n"}
    librarian = host.memory.files(customer("memory", subject="librarian"))
    librarian.perform(given)
    file = host.data_dir / "acme" / "memories" / "=tenant" / "hours.md"
    if file.exists():  # the system's clock is not the stage's
        os.utime(file, (NOON.timestamp(), NOON.timestamp()))
    later = NOON + timedelta(minutes=1)
    host.memory.add(
        MemoryRecord(ANNA, "acme", "support", line, "user_stated", created_at=later), customer(subject=ANNA)
    )
    done = host.memory.delete(ANNA, customer(subject=ANNA))
    assert done.absorbed == () and done.certificate.residue == ()
    assert line in host.memory.files(customer(subject=BORIS)).perform({"command": "view", "path": path}).text


def test_words_that_another_subject_said_too_are_named_and_stay(filled):
    host, _ = filled
    twin = MemoryRecord(BORIS, "acme", "support", "She keeps a purple pelican at home.", "user_stated")
    host.memory.add(twin, customer(subject=BORIS))
    certificate = host.memory.delete(ANNA, customer("delete", subject="operator")).certificate
    assert certificate.residue == ()
    assert "memories" in [each.place for each in certificate.held_by_others]
    assert any(each.text == twin.text for each in host.memory.load(customer(subject=BORIS)))


def test_a_deleted_tenant_leaves_no_folder_and_no_row(filled):
    host, _ = filled
    other = customer("delete", tenant="globex")
    host.memory.add(
        MemoryRecord("u1", "globex", "support", "Their office has a grey gorilla.", "user_stated"),
        customer(tenant="globex"),
    )
    host.ingest([{"id": "notes/x", "text": "# Notes\n\nAll about the yellow yak."}], customer(subject=ANNA))
    with pytest.raises(UsageError, match="session is of tenant 'globex'"):
        host.memory.delete(None, other, tenant="acme")
    with pytest.raises(UsageError, match="grant 'delete'"):
        host.memory.delete(None, customer(subject=ANNA), tenant="acme")
    done = host.memory.delete(None, customer("delete"), tenant="acme")
    assert not (host.data_dir / "acme").exists() and not (host.data_dir / ".gone").exists()
    needles = [each for subject in SUBJECTS for each in said(subject)]
    assert left(host, [*needles, "yellow yak"]) == []
    assert done.certificate.residue == () and done.destroyed["memories"] >= 3
    assert [each.text for each in host.memory.load(customer(tenant="globex"))] == ["Their office has a grey gorilla."]
    assert host.memory.load(customer(subject=ANNA)) == ()


def test_what_is_exported_is_all_that_is_kept_with_where_it_was_used(filled):
    host, requests = filled
    ctx = customer(subject=ANNA)
    found = plain(host.memory.export(ANNA, ctx))
    text = json.dumps(found, ensure_ascii=False)
    assert all(needle in text for needle in said(ANNA))
    assert not any(needle in text for needle in (*said(BORIS), *said(CLARA)))
    (record,) = found["records"]
    assert record["used_in"] == requests[ANNA] and record["trust"] == "confirmed" and record["source"] == "user_stated"
    assert [each["request_id"] for each in found["requests"]] == requests[ANNA]
    assert (
        found["files"][0]["path"] == "/memories/log.md" and found["state"]["goal"] == "the purple pelican comes first"
    )
    assert len(found["events"]) == len(found["approvals"]) == 1
    assert sorted(bool(each["reference"]) for each in found["artifacts"]) == [False, True]
    with pytest.raises(UsageError, match="not this session's"):
        host.memory.export(ANNA, customer(subject=BORIS))


def test_a_subjects_own_certificate_tells_of_nobody_else_neither_names_nor_sizes_nor_words(filled):
    host, _ = filled
    twin = MemoryRecord(BORIS, "acme", "support", "She keeps a purple pelican at home.", "user_stated")
    host.memory.add(twin, customer(subject=BORIS))
    ctx = customer(subject=ANNA)
    before = host.memory.certify(ANNA, ctx, [twin.text])
    after = host.memory.delete(ANNA, ctx).certificate
    for certificate in (before, after):
        assert BORIS not in repr(certificate) and CLARA not in repr(certificate)
        assert certificate.held_by_others == () and "memories" in [each.place for each in certificate.looked_in]
        assert not any(
            each.size or each.rows or each.sha256 for each in certificate.looked_in if ANNA not in each.place
        )
    assert after.residue == () and host.memory.verify(json.dumps(plain(after)).encode(), ctx)["valid"]


def test_an_operators_certificate_names_every_place_and_what_is_there(filled):
    host, _ = filled
    ctx = customer("delete", subject="operator")
    there = host.memory.certify(ANNA, ctx, ["keeps a purple pelican at home"])
    assert {each.what for each in there.residue} >= {"rows of the subject"}
    host.memory.delete(ANNA, ctx)
    gone = host.memory.certify(ANNA, ctx, ["keeps a purple pelican at home"])
    assert gone.residue == () and gone.held_by_others == ()
    files = {each.place: each for each in gone.looked_in if each.kind == "file"}
    folder = host.data_dir / "acme"
    assert set(files) >= {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    tables = {each.place for each in gone.looked_in if each.kind == "table"}
    assert tables >= {"blobs", "memories", "memory_files", "states", "events", "approvals", "entries", "requests"}
    assert (gone.waiting != ()) == (DATABASE is not None)
    assert ("2026-08-14" in gone.ages_out[0]) == (DATABASE is not None)


def test_a_certificate_that_anybody_changed_does_not_verify(filled, tmp_path):
    host, _ = filled
    ctx = customer(subject=ANNA)
    made = plain(host.memory.delete(ANNA, ctx).certificate)
    whole = json.dumps(made).encode()
    assert host.memory.verify(whole, ctx)["valid"] and host.memory.verify(whole, ctx, made["public_key"])["valid"]
    assert host.memory.verify(json.dumps({"deleted": 3, "certificate": made}, indent=2).encode(), ctx)["valid"]
    changes = dict.fromkeys(made, "changed") | {
        "residue": [{"place": "x", "what": "y", "count": 1}],
        "probes": made["probes"] + 1,
        "looked_in": made["looked_in"][1:],
    }
    for name, value in changes.items():
        assert made[name] != value
        assert not host.memory.verify(json.dumps({**made, name: value}).encode(), ctx)["valid"], name
    for spoiled in (
        whole[:-1],
        whole[: len(whole) // 2],
        b"",
        b"[]",
        b"\xff",
        whole.replace(b'"format"', b'"format": 1, "format"'),
    ):
        assert not host.memory.verify(spoiled, ctx)["valid"]
    assert not host.memory.verify(json.dumps({**made, "more": 1}).encode(), ctx)["valid"]
    assert host.memory.verify(whole, customer(tenant="globex"))["why"] == "it is of another tenant"
    assert host.memory.verify(whole, ctx, "00" * 32)["why"] == "it was signed by another key"
