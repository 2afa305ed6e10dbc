"""The route to the evidence stands in the record, and a search of many rounds is replayed without asking anybody."""

from pathlib import Path

from callsheet.cli.shapes import assemble_json, show_json

from .stage import customer, open_stage, project

TWO = "How are revoked keys replaced and when are invoices sent?"


def told(tmp_path: Path, settings: str) -> None:
    """Writes [knowledge] into the project's settings, before its other tables."""
    open_stage(tmp_path).close()
    file = project(tmp_path) / "callsheet.toml"
    file.write_text(file.read_text(encoding="utf-8") + f"\n[knowledge]\n{settings}\n", encoding="utf-8")


def test_a_greeting_asks_no_knowledge_and_the_manifest_says_so(tmp_path: Path) -> None:
    told(tmp_path, 'route = "auto"')
    with open_stage(tmp_path) as host:
        found = assemble_json(host.assemble("Good morning!", customer()))
    assert found["route"]["name"] == "none" and found["route"]["by"] == "rule" and found["route"]["why"]
    assert found["searches"] == [] and not [each for each in found["items"] if each["kind"] == "evidence"]


def test_one_search_is_on_record_with_what_it_found(tmp_path: Path) -> None:
    with open_stage(tmp_path) as host:
        found = assemble_json(host.assemble("How is a revoked key replaced?", customer()))
    assert found["route"] == {"name": "single", "why": "the settings say so", "by": "settings"}
    (search,) = found["searches"]
    assert search["query"] == "How is a revoked key replaced?" and search["new"] and found["stopped"]


def test_a_search_of_several_rounds_is_on_record_and_replayed_to_the_same_bytes(tmp_path: Path) -> None:
    told(tmp_path, 'route = "iterative"\nsearches = 6')
    with open_stage(tmp_path) as host:
        stored = host.assemble(TWO, customer())
        found = show_json(host.show(stored.task.request_id, customer()))
        assert {each["round"] for each in found["searches"]} > {1}
        assert all(each["why"] for each in found["searches"]) and found["stopped"]
        assert len({each["query"] for each in found["searches"]}) == len(found["searches"]) <= 6
        assert host.replay(stored.task.request_id, customer())["identical"]


def test_the_record_of_the_searches_goes_with_the_subject(tmp_path: Path) -> None:
    with open_stage(tmp_path) as host:
        request_id = host.assemble("My pelican key is revoked", customer()).task.request_id
        host.forget("u1", customer())
        assert host.show(request_id, customer("audit", subject="u2")).manifest.retrieval is None
