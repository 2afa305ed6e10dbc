"""What a session may do beyond its own subject, and the grant that opens it: memories, shared knowledge, records."""

import sqlite3
import zlib
from dataclasses import replace

import pytest

from callsheet import Host, MemoryRecord, RequestContext
from callsheet.errors import StoreError, UnknownName, UsageError
from callsheet.host.inspection import replayed
from callsheet.testing import NOON

from .stage import QUESTION, customer, helpful, open_stage, scripted

SECRET = "sk_live_Zq7Vb2Nf8Xw4Lm1Rt6Yc3Hd9"
OTHER = customer(subject="u2")
COLLEAGUE = RequestContext("acme", "agent:7", "u1")
"""Another actor who speaks of the same subject."""


def remembered(subject: str = "u1", source: str = "user_stated", text: str = "Likes tea.") -> MemoryRecord:
    return MemoryRecord(subject, "acme", "support", text, source, created_at=NOON)


def test_a_memory_of_another_subject_is_written_and_deleted_only_with_the_grant(tmp_path):
    with open_stage(tmp_path) as host:
        host.memory.add(remembered(), customer())
        before = host.memory.load(customer())
        for attempt in (
            lambda: host.memory.add(remembered(), OTHER),
            lambda: host.memory.delete("u1", OTHER),
            lambda: host.memory.add(remembered(), RequestContext("acme", "nobody")),
        ):
            with pytest.raises(UsageError, match=r"not this session's.*grant 'memory'"):
                attempt()
        assert host.memory.load(customer()) == before
        application = customer("memory", subject="service")
        host.memory.add(remembered(text="Likes milk."), application)
        assert len(host.memory.load(customer())) == len(before) + 1
        assert host.memory.delete("u1", application).destroyed["memories"] == len(before) + 1


def test_a_secret_never_enters_a_memory_and_half_a_character_neither(tmp_path):
    with open_stage(tmp_path) as host:
        said = replace(remembered(text=f"The key is {SECRET}."), provenance=f"a mail with {SECRET}")
        stored = host.memory.add(said, customer())
        assert SECRET not in stored.text + stored.provenance and stored in host.memory.load(customer())
        with pytest.raises(UsageError, match="provenance is not valid text"):
            host.memory.add(replace(remembered(), provenance="\ud800"), customer())
        with pytest.raises(UsageError, match="not valid text"):
            host.stores(customer()).events.push("It is done.", "jobs\udfff", "u1", NOON)


def test_knowledge_for_every_tenant_needs_the_grant_to_publish(tmp_path):
    page = [{"id": "notes/pelican", "text": "# Pelican\n\nA pelican."}]
    with open_stage(tmp_path) as host:
        with pytest.raises(UsageError, match="grant 'publish'"):
            host.ingest(page, customer(), shared=True)
        assert host.search("pelican", customer(tenant="globex")) == []
        assert host.ingest(page, customer("publish"), shared=True) == 1
        assert len(host.search("pelican", customer(tenant="globex"))) == 1


def test_a_search_makes_no_folder_for_a_tenant_that_wrote_nothing(tmp_path):
    with open_stage(tmp_path) as host:
        assert host.search("revoked key", customer(tenant="globex"))
        assert [each.name for each in (tmp_path / "data").iterdir() if "globex" in each.name] == []
        host.ingest([{"id": "notes/own", "text": "# Pelican\n\nA pelican."}], customer(tenant="globex"))
        assert len(host.search("pelican", customer(tenant="globex"))) == 1


def test_another_actor_of_the_same_subject_neither_reads_a_request_nor_goes_on_with_its_run(tmp_path):
    with open_stage(tmp_path, helpful) as host:
        result = host.run(QUESTION, customer())
        with pytest.raises(UnknownName):
            host.show(result.request_ids[0], COLLEAGUE)
        with pytest.raises(UnknownName):
            host.run(ctx=COLLEAGUE, resume=result.run_id)
        assert host.recent(COLLEAGUE) == () and len(host.recent(customer())) == len(result.request_ids)
        audit = RequestContext("acme", "agent:7", "u1", grants=("audit",))
        assert host.show(result.request_ids[0], audit).manifest.request_id == result.request_ids[0]


def test_a_replay_says_where_verdicts_or_bytes_came_out_otherwise(tmp_path):
    with open_stage(tmp_path, helpful) as host:
        found = host.show(host.run(QUESTION, customer()).request_ids[-1], customer())
        records = host.stores(customer()).records
        assert found.step is not None and found.step.verdicts and replayed(found, records)["identical"] is True
        judged = replayed(replace(found, step=replace(found.step, verdicts=())), records)
        assert (judged["identical"], judged["body_identical"], judged["verdicts_identical"]) == (False, True, False)
        body = found.wire.body.replace(b"revoked", b"REVOKED")
        sent = replayed(replace(found, wire=replace(found.wire, body=body)), records)
        assert (sent["identical"], sent["body_identical"], sent["verdicts_identical"]) == (False, False, True)


def content(data: bytes) -> bytes:
    """What a blob holds, packed or not."""
    return zlib.decompress(data[1:]) if data[:1] == b"z" else data[1:]


def test_a_body_that_is_not_the_one_recorded_is_never_shown(tmp_path):
    with open_stage(tmp_path, helpful) as host:
        request_id = host.run(QUESTION, customer()).request_ids[0]
        (path,) = (tmp_path / "data").rglob("callsheet.db")
    with sqlite3.connect(path) as connection:
        rows = [(key, content(data)) for key, data in connection.execute("SELECT hash, data FROM blobs") if data]
        changed = [(b"=" + data.replace(b"my API", b"my APX"), key) for key, data in rows if QUESTION.encode() in data]
        assert changed
        connection.executemany("UPDATE blobs SET data = ? WHERE hash = ?", changed)
    with open_stage(tmp_path) as host, pytest.raises(StoreError, match="not the one that was recorded"):
        host.show(request_id, customer())


def interrupted(host: Host) -> str:
    """The id of a run whose process ended while its first request was under way."""
    with pytest.raises(KeyboardInterrupt):
        host.run(QUESTION, customer())
    (request,) = host.recent(customer())
    assert request.status == "sent, outcome unknown"
    return request.task.run_id


def test_a_request_that_was_under_way_is_not_sent_again_when_its_run_goes_on(tmp_path):
    def dying(body: bytes) -> str:
        raise KeyboardInterrupt

    with open_stage(tmp_path, dying) as host:
        run_id = interrupted(host)
    with open_stage(tmp_path, helpful) as host:
        result = host.run(ctx=customer(), resume=run_id)
        first = host.show(f"{run_id}.1", customer())
        assert first.step is not None and first.step.outcome == "unknown" and first.reply is not None
        assert len(scripted(host).bodies) == len(result.request_ids) - 1 and result.outcome == "answer"
