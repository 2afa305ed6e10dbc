"""Mission K: "Why is my API key not working?" takes two decisions, cites the runbook, and changes nothing."""

from callsheet import MemoryRecord
from callsheet.testing import NOON

from .stage import ANSWER, CHECK, KEY, QUESTION, changes, customer, helpful, open_stage, told, tools_of

OFFER = "Rotating a key is a separate action that an authorized account admin must request and confirm."


def test_a_revoked_key_is_diagnosed_then_answered_from_its_status_and_the_runbook_in_force(tmp_path, golden):
    with open_stage(tmp_path, helpful) as host:
        result = host.run(QUESTION, customer())
        golden("worked-example", told(host, result, customer()))
    assert result.outcome == "answer"
    assert [(step.decision, step.outcome) for step in result.steps] == [("diagnose", "observed"), ("answer", "answer")]
    assert result.sources == ("runbook/api-keys@v7#revoked-keys", f"toolrun://{result.run_id}.1/1")
    assert "revoked" in result.answer


def test_each_decision_has_a_set_of_its_own_and_the_second_holds_the_observation(tmp_path):
    with open_stage(tmp_path, [CHECK, ANSWER]) as host:
        result = host.run(QUESTION, customer())
        first, second = (host.show(each, customer()) for each in result.request_ids)
    observed = [item.source for item in second.manifest.items if item.kind == "observation"]
    assert observed == [f"toolrun://{result.run_id}.1/1"]
    assert not [item for item in first.manifest.items if item.kind == "observation"]
    assert tools_of(first) == {"check_api_key_status", "search_incidents"}
    assert tools_of(second) == set()


def test_two_spans_of_the_current_runbook_enter_and_the_old_version_is_named_as_superseded(tmp_path):
    with open_stage(tmp_path, [CHECK, ANSWER]) as host:
        result = host.run(QUESTION, customer())
        for request_id, spans in zip(result.request_ids, (2, 1), strict=True):
            # Two to find out with; one to answer from, once the status is known and the other is worth less than half.
            manifest = host.show(request_id, customer()).manifest
            assert len([item for item in manifest.items if item.kind == "evidence"]) == spans
            assert {item.version for item in manifest.items if item.kind == "evidence"} == {"v7"}
            assert {left.reason for left in manifest.left_out if "@v6" in left.item_id} == {"superseded"}
        why = host.why(result.request_ids[0], customer(), item="runbook/api-keys@v6#revoked-keys")
    assert (why["present"], why["reason"]) == (False, "superseded")


def test_one_memory_with_its_provenance_enters_and_the_rest_stays_out_each_for_its_reason(tmp_path):
    with open_stage(tmp_path, [CHECK, ANSWER]) as host:
        manifest = host.show(host.run(QUESTION, customer()).request_ids[0], customer()).manifest
    (memory,) = [item for item in manifest.items if item.kind == "memory"]
    assert memory.text.startswith("fact (system_record): The API key of account A-123 was created three days ago")
    assert memory.source == "key service, audit log"
    reasons = sorted(left.reason for left in manifest.left_out if left.kind == "memory")
    assert reasons == ["expired", "purpose", "source"]


def test_an_inferred_memory_enters_as_a_hypothesis_of_half_the_authority(tmp_path):
    guess = "The customer probably shares one key."
    with open_stage(tmp_path) as host:
        host.memory.add(MemoryRecord("u1", "acme", "support", guess, "model_inferred", created_at=NOON), customer())
        manifest = host.assemble(QUESTION, customer()).manifest
    (memory,) = [item for item in manifest.items if item.kind == "memory" and item.trust == "untrusted"]
    assert (memory.text, memory.authority) == (f"hypothesis, not confirmed (model_inferred): {guess}", 0.5)


def test_rotation_is_offered_by_the_contracts_sentence_alone_and_the_tools_that_change_keys_are_nowhere(tmp_path):
    eager = {
        **ANSWER,
        "next_steps": ["Rotate the key now.", "Create a new key."],
        "answer": "It has the status revoked.",
    }
    with open_stage(tmp_path, [CHECK, eager]) as host:
        result = host.run(QUESTION, customer())
        records = [host.show(each, customer()) for each in result.request_ids]
    assert result.next_steps == (OFFER, "Create a new key.")
    for record in records:
        assert b"rotate_api_key" not in record.wire.body and b"delete_api_key" not in record.wire.body
        assert not [left for left in record.manifest.left_out if left.kind == "tool" and "rotate" in left.item_id]
    assert changes(tmp_path) == []


def test_the_key_is_in_no_request_no_answer_and_no_file_of_the_store(tmp_path):
    with open_stage(tmp_path, [CHECK, ANSWER]) as host:
        result = host.run(QUESTION, customer())
        bodies = [host.show(each, customer()).wire.body.decode() for each in result.request_ids]
        artifact = host.stores(customer()).artifacts.get(f"toolrun://{result.run_id}.1/1").decode()
    assert "sk_live_" in (tmp_path / "support" / "fixtures" / "accounts.json").read_text()
    assert "redacted" in artifact
    assert not any(KEY.search(text) for text in (*bodies, artifact, result.answer))
    kept = [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
    assert kept and not any(KEY.search(path.read_bytes().decode("latin-1")) for path in kept)
