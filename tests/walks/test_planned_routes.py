"""The model chooses the route and plans the searches: a decision of its own, on record, replayed, not relied on."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from callsheet import Host
from callsheet.cli.shapes import show_json
from callsheet.host.host import open_host
from callsheet.host.wiring import Overrides
from callsheet.model.message import Reply
from callsheet.testing import SCRIPTED, FixedClock, ScriptedModel
from callsheet.testing.scripted import Said

from .stage import customer, evidence, open_stage, project, scripted

DONE: dict[str, Any] = {"kind": "abstain", "reason": "nothing more to say"}
QUESTION = "How are revoked keys replaced and when are invoices sent?"


def planned(tmp_path: Path, replies: Sequence[Said], settings: str = "") -> Host:
    """The support project where the model chooses the route of a decision that answers."""
    open_stage(tmp_path).close()
    file = project(tmp_path) / "callsheet.toml"
    text = file.read_text(encoding="utf-8")
    if "[knowledge]" not in text:
        file.write_text(f'{text}\n[knowledge]\nroute = "model"\n{settings}\n', encoding="utf-8")
    return open_stage(tmp_path, replies)


def queries(*texts: str) -> dict[str, Any]:
    return {"kind": "queries", "queries": list(texts)}


def walked(host: Host, question: str = QUESTION) -> list[dict[str, Any]]:
    """The requests of a run that begins with the decision that answers, as `show` prints them."""
    result = host.run(question, customer(), decision="answer")
    shown = [show_json(host.show(each, customer())) for each in result.request_ids]
    return [{**each, "outcome": step.outcome} for each, step in zip(shown, result.steps, strict=True)]


def test_the_queries_of_the_models_plan_are_what_is_searched_for(tmp_path: Path) -> None:
    with planned(tmp_path, [queries("revoked key replacement", "invoice dates"), DONE]) as host:
        plan, answer = walked(host)
    assert plan["decision"] == "plan-search" and plan["outcome"] == "planned"
    assert answer["decision"] == "answer" and answer["route"]["by"] == "model"
    assert answer["route"]["name"] == "iterative" and plan["request_id"] in answer["route"]["why"]
    asked = [each["query"] for each in answer["searches"]]
    assert asked[0] == QUESTION and {"invoice dates", "revoked key replacement"} & set(asked)


def test_a_planning_request_holds_the_question_and_no_evidence_and_little_room_for_the_reply(tmp_path: Path) -> None:
    with planned(tmp_path, [queries(), DONE]) as host:
        plan = walked(host)[0]
        body = json.loads(scripted(host).bodies[0])
    assert {each["kind"] for each in plan["items"]} == {"instruction", "conversation"}
    assert body["max_tokens"] == 160 and QUESTION in body["messages"][-1]["content"]


def test_every_request_of_a_planned_run_is_replayed_to_the_same_bytes(tmp_path: Path) -> None:
    with planned(tmp_path, [queries("invoice dates"), DONE]) as host:
        requests = walked(host)
        assert [host.replay(each["request_id"], customer())["identical"] for each in requests] == [True, True]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("I would look at the runbooks.", "the reply is no proposal"),
        (DONE, "plan-search takes queries, not abstain"),
        (queries("search keywords", "what this person needs, each another topic"), "say nothing of the question"),
        (queries(), "an answer has to cite"),
    ],
)
def test_a_plan_that_is_none_leaves_the_route_to_the_rule_and_is_on_record(
    tmp_path: Path, reply: Said, reason: str
) -> None:
    with planned(tmp_path, [reply, DONE]) as host:
        plan, answer = walked(host)
    assert (answer["route"]["name"], answer["route"]["by"]) == ("iterative", "rule")
    assert reason in answer["route"]["why"] and plan["request_id"] in answer["route"]["why"]
    assert answer["outcome"] == "abstained"


def test_a_plan_that_only_repeats_the_question_is_one_search(tmp_path: Path) -> None:
    with planned(
        tmp_path, [queries(QUESTION, "  when are invoices sent and revoked keys replaced, how?"), DONE]
    ) as host:
        answer = walked(host)[-1]
    assert (answer["route"]["name"], answer["route"]["by"]) == ("single", "model")
    assert len(answer["searches"]) == 1


def test_a_model_that_cannot_be_reached_for_its_plan_is_asked_for_the_answer_all_the_same(tmp_path: Path) -> None:
    with planned(tmp_path, [Reply(error="connection refused"), DONE]) as host:
        requests = walked(host)
    assert requests[0]["outcome"] == "unfinished"
    assert requests[-1]["outcome"] == "abstained" and requests[-1]["route"]["by"] == "rule"


def test_nothing_outside_the_session_is_found_by_a_plan_that_names_it(tmp_path: Path) -> None:
    with planned(tmp_path, [queries("other tenant pelican account", "secret scope"), DONE]) as host:
        host.ingest([{"id": "private", "text": "pelican account of another", "scope": "board"}], customer())
        answer = walked(host)[-1]
    assert "private" not in json.dumps(answer)


def test_an_assembled_request_asks_no_model_and_says_who_chose_the_route(tmp_path: Path) -> None:
    with planned(tmp_path, []) as host:
        stored = host.assemble(QUESTION, customer(), decision="answer")
        assert stored.manifest.retrieval is not None and stored.manifest.retrieval.route.by == "rule"
        assert evidence(stored.wire.body) and scripted(host).bodies == []


def test_a_search_ends_at_its_limit_of_tokens_and_says_so(tmp_path: Path) -> None:
    with planned(tmp_path, [queries("invoice dates", "pelican"), DONE], "search_tokens = 1") as host:
        answer = walked(host)[-1]
    assert len(answer["searches"]) == 1 and answer["stopped"].startswith("the limit of 1 tokens")


def test_a_run_that_was_cut_off_after_its_plan_goes_on_with_it(tmp_path: Path) -> None:
    with planned(tmp_path, [queries("invoice dates")]) as host:
        with pytest.raises(AssertionError, match="no more"):  # the model dies under the second request
            host.run(QUESTION, customer(), decision="answer")
        run_id = host.recent(customer())[0].task.run_id
    with planned(tmp_path, [DONE]) as host:
        result = host.run(resume=run_id, ctx=customer())
        last = show_json(host.show(result.request_ids[-1], customer()))
    assert [each.decision for each in result.steps] == ["plan-search", "answer", "answer"]
    assert last["route"]["by"] == "model" and "invoice dates" in [each["query"] for each in last["searches"]]


def test_a_model_that_calls_tools_makes_its_plan_as_a_call(tmp_path: Path) -> None:
    planned(tmp_path, []).close()
    calls = replace(SCRIPTED, dialect="anthropic", channel="native-calls")
    model = ScriptedModel(calls, [queries("invoice dates"), DONE])
    with open_host(project(tmp_path), tmp_path / "native", Overrides(model=model, clock=FixedClock())) as host:
        plan, answer = walked(host)
    assert [each["name"] for each in json.loads(plan["body"])["tools"]] == ["queries"]
    assert answer["route"]["by"] == "model" and "invoice dates" in [each["query"] for each in answer["searches"]]
