"""A person asks to be forgotten: nothing of them is left in any file, and it does not come back (C8)."""

import pytest

from callsheet.errors import UnknownName, UsageError

from .stage import QUESTION, customer, helpful, open_stage

SAID = "My dog Bruno ate the key of A-123. Why is my API key not working?"


def test_a_forgotten_subject_leaves_no_byte_and_is_not_seeded_again(tmp_path):
    with open_stage(tmp_path, helpful) as host:
        result = host.run(SAID, customer())
        host.stores(customer()).events.push(
            "The job of Bruno finished.", "jobs", "u1", host.show(result.request_ids[0], customer()).created_at
        )
        assert host.memory.load(customer())
        destroyed = host.forget("u1", customer())
    assert destroyed["memories"] and destroyed["blobs"] and destroyed["artifacts"]
    for file in (path for path in (tmp_path / "data").rglob("*") if path.is_file()):
        assert b"Bruno" not in file.read_bytes()
    with open_stage(tmp_path, helpful) as host:
        assert host.memory.load(customer()) == ()
        assert host.events(customer()) == ()
        with pytest.raises(UnknownName):
            host.show(result.request_ids[0], customer())
        audit = customer("audit")
        assert host.replay(result.request_ids[0], audit)["reason"] == "content deleted"
        again = host.run(QUESTION, customer())
        assert all(host.replay(each, customer())["identical"] for each in again.request_ids)


def test_a_session_forgets_its_own_subject_and_another_only_with_the_grant(tmp_path):
    with open_stage(tmp_path, helpful) as host:
        host.run(QUESTION, customer())
        with pytest.raises(UsageError, match="needs the grant 'delete'"):
            host.forget("u1", customer(subject="u2"))
        assert host.memory.load(customer())
        assert host.forget("u1", customer("delete", subject="u2"))["memories"]
