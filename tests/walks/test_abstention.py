"""Nothing that answers was found: no model is asked, and the result says what was searched and what to do next (B7)."""

import pytest

from callsheet.model.effect import RunResult

from .stage import customer, open_stage, project, told

FOREIGN = "Which colour does the pelican on an API key of Peru have?"
KNOWN = "Can a revoked key be restored?"
NEXT = "Write to the keepers of the handbook."
REPLY = {
    "kind": "answer",
    "answer": "A revoked key cannot be restored. Pelicans restore it.",
    "sources": ["runbook/api-keys@v7#revoked-keys"],
    "next_steps": [],
}


@pytest.fixture
def strict(tmp_path):
    """The support project with a least worth of evidence, and unsupported claims refused."""
    settings = project(tmp_path) / "callsheet.toml"
    table = f'\n[knowledge]\nsufficient = 0.5\nnext_step = "{NEXT}"\nclaims = "refuse"\n'
    settings.write_text(settings.read_text(encoding="utf-8") + table, encoding="utf-8")
    return tmp_path


def run(tmp_path, question: str, *grants: str) -> RunResult:
    with open_stage(tmp_path, [REPLY, REPLY]) as host:
        return host.run(question, customer(*grants), decision="answer")


def test_a_question_beside_all_knowledge_abstains_without_a_call(strict, golden):
    with open_stage(strict) as host:  # its model has nothing to say: a call would fail
        result = host.run(FOREIGN, customer(), decision="answer")
        golden("abstention", told(host, result))
        assert (result.outcome, result.answer, result.next_steps) == ("abstained", "", (NEXT,))
        assert "pelican" in result.why
        assert host.replay(result.request_ids[0])["identical"]


def test_an_abstention_tells_every_store_that_was_searched(strict):
    own, shared = run(strict, FOREIGN).searched
    assert (own.store, own.sections, own.found, own.query) == ("acme", 0, 0, FOREIGN)
    assert shared.store == "shared" and shared.sections > shared.found


def test_a_claim_that_nothing_supports_refuses_the_answer_and_the_record_is_told(strict):
    result = run(strict, KNOWN)
    assert result.outcome == "partial" and "Revoked keys" in result.answer and "Pelicans" not in result.answer
    assert [(each.text, each.supported) for each in result.claims] == [
        ("A revoked key cannot be restored.", True), ("Pelicans restore it.", False),
    ]  # fmt: skip
    assert result.why.startswith("claim-unsupported")


def test_what_lies_outside_the_scopes_of_a_session_is_told_to_an_auditor_alone(strict):
    secret = {"id": "zoo/pelicans", "text": "# Pelicans\n\nThe pelican of Peru is grey.", "scope": "zoo:read"}
    with open_stage(strict) as host:
        host.ingest([secret], customer())
    assert [each.outside for each in run(strict, FOREIGN).searched] == [None, None]
    own, shared = run(strict, FOREIGN, "audit").searched
    assert own.outside == 1 and shared.outside is not None
