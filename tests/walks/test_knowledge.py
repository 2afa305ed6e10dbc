"""The project folder is the truth about its knowledge: what is deleted there is served no more."""

from .stage import customer, open_stage, project


def test_a_deleted_file_is_served_no_more_and_what_others_shared_stays(tmp_path):
    with open_stage(tmp_path) as host:
        host.ingest(
            [{"id": "notes/shared", "text": "# Refunds\n\nA refund of a pelican."}], customer("publish"), shared=True
        )
        before = {each.document_id for each in host.search("refund", customer())}
    (project(tmp_path) / "knowledge" / "runbook" / "billing.md").unlink()
    with open_stage(tmp_path) as host:
        after = {each.document_id for each in host.search("refund", customer())}
    assert before - after == {"runbook/billing"} and "notes/shared" in after


def test_a_section_ingested_beside_the_projects_own_is_found_once(tmp_path):
    with open_stage(tmp_path) as host:
        before = [each.evidence_id for each in host.search("revoked key", customer(), k=20)]
        host.ingest([project(tmp_path) / "knowledge"], customer())
        after = [each.evidence_id for each in host.search("revoked key", customer(), k=20)]
    assert sorted(after) == sorted(before) and len(set(after)) == len(after)


def test_any_number_of_results_may_be_asked_for(tmp_path):
    with open_stage(tmp_path) as host:
        assert host.search("revoked key", customer(), k=10**30) == host.search("revoked key", customer(), k=1_000)


def test_a_search_gives_what_is_in_force_and_no_version_that_another_replaced(tmp_path):
    versions = [("v1", "2025-01-01", "within 30 days"), ("v2", "2026-01-01", "within 14 days")]
    documents = [
        {"id": "notes/pelican", "version": version, "effective": date, "text": f"# Pelicans\n\nPelicans leave {words}."}
        for version, date, words in versions
    ]
    with open_stage(tmp_path) as host:
        host.ingest(documents, customer())
        found = [each.version for each in host.search("pelicans leave", customer()) if "pelican" in each.document_id]
    assert found == ["v2"]
