"""The project folder is the truth about its knowledge: what is deleted there is served no more."""

from callsheet.cli.shapes import search_json

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


def bird(version: str, day: str, where: str, **more: str) -> dict[str, str]:
    text = f"# Pelicans\n\nPelicans nest {where}, and nobody may come near."
    return {"id": "notes/pelican", "version": version, "effective": day, "text": text, **more}


def test_history_is_searched_when_it_is_asked_for_and_marked(tmp_path):
    with open_stage(tmp_path) as host:
        host.ingest([bird("v1", "2025-01-01", "on the roof"), bird("v2", "2026-01-01", "by the lake")], customer())
        served = search_json(host.knowledge.search("pelicans nest on the roof", customer(), 10))
        whole = search_json(host.knowledge.search("pelicans nest on the roof", customer(), 10, history=True))
    assert [each["version"] for each in served["results"] if each["source"] == "notes/pelican"] == ["v2"]
    first = whole["results"][0]
    assert (first["version"], first["superseded"], first["effective"]) == ("v1", True, "2025-01-01T00:00:00+00:00")


def test_what_is_overdue_is_marked_in_results_and_in_what_the_model_reads(tmp_path):
    with open_stage(tmp_path) as host:
        host.ingest([bird("v1", "2025-01-01", "by the API key", review_by="2025-06-01")], customer())
        (found,) = [
            each
            for each in search_json(host.knowledge.search("pelicans nest", customer(), 10))["results"]
            if each["source"] == "notes/pelican"
        ]
        body = host.assemble("Where do pelicans nest?", customer()).wire.body.decode()
    assert found["overdue"] and "notes/pelican@v1#pelicans (review overdue since 2025-06-01)" in body


def test_the_printed_score_falls_with_the_rank_over_both_stores(tmp_path):
    with open_stage(tmp_path) as host:
        host.ingest([bird("v1", "2025-01-01", "where a revoked API key lies")], customer())
        results = search_json(host.knowledge.search("revoked API key", customer(), 20))["results"]
    scores = [each["score"] for each in results]
    assert len(scores) > 3 and scores == sorted(scores, reverse=True) and scores[0] == 1.0 and scores[-1] > 0
    assert {"notes/pelican", "runbook/api-keys"} <= {each["source"] for each in results[:2]}


def test_only_an_auditor_is_told_that_there_is_more_than_the_session_may_see(tmp_path):
    def searched(name, *grants, ingested=()):
        with open_stage(tmp_path / name) as host:
            host.ingest(ingested, customer(tenant="globex"))
            return search_json(host.knowledge.search("pelicans nest", customer(*grants, tenant="globex"), 10))

    hidden = [bird("v1", "2025-01-01", "by the lake", scope="internal")]
    nothing, scoped = searched("a", ingested=[]), searched("b", ingested=hidden)
    assert nothing == scoped and "outside" not in nothing
    told = searched("c", "audit", ingested=hidden)
    assert told["results"] == nothing["results"] and told["outside"]["internal"] >= 1
    assert searched("d", "internal", ingested=hidden)["results"][0]["source"] == "notes/pelican"


def test_a_document_that_is_withdrawn_or_superseded_is_served_no_more(tmp_path):
    other = {"id": "notes/gull", "version": "v1", "effective": "2026-02-01", "supersedes": "notes/pelican"}
    with open_stage(tmp_path) as host:
        host.ingest([bird("v1", "2025-01-01", "by the lake")], customer())
        assert "notes/pelican" in {each.document_id for each in host.search("pelicans nest", customer())}
        host.ingest([{**other, "text": "# Gulls\n\nGulls nest there now."}], customer())
        assert "notes/pelican" not in {each.document_id for each in host.search("pelicans nest", customer())}
        host.ingest([bird("v1", "2025-01-01", "by the lake", id="notes/heron", withdrawn="2026-01-01")], customer())
        assert "notes/heron" not in {each.document_id for each in host.search("pelicans nest", customer())}
