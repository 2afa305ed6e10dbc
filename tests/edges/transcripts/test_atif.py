"""ATIF trajectories as events: steps with calls and results, metrics, copied steps, sub-agents."""

from typing import Any

from callsheet.model.message import MediaBlock
from callsheet.model.transcript import Began, Called, Ended, Offered, Reported, Said

from .replayed import fates, only, read, read_document, used, windows

Row = dict[str, Any]


def step(number: int, source: str, message: Any, **fields: Any) -> Row:
    return {"step_id": number, "source": source, "message": message, "timestamp": "2026-01-01T00:00:00Z", **fields}


def calling(number: int, call: str, **fields: Any) -> Row:
    calls = [{"tool_call_id": call, "function_name": "bash", "arguments": {"command": "ls"}}]
    observation = {"results": [{"source_call_id": call, "content": f"out {call}"}]}
    metrics = {"prompt_tokens": 10, "completion_tokens": 2, "cached_tokens": 4, "cost_usd": 0.5}
    known = {"tool_calls": calls, "observation": observation, "metrics": metrics, "reasoning_content": "hm"}
    return step(number, "agent", "I look.", **{**known, **fields})


def trajectory(*steps: Row, **members: Any) -> Row:
    tools = [{"type": "function", "function": {"name": "bash", "parameters": {}}}]
    agent = {"name": "a", "version": "1", "model_name": "m", "tool_definitions": tools}
    return {"schema_version": "ATIF-v1.7", "session_id": "s", "agent": agent, "steps": list(steps), **members}


def test_a_step_is_a_call_of_the_model_with_its_calls_results_and_metrics() -> None:
    found = read_document(trajectory(step(1, "system", "You are."), step(2, "user", "hi"), calling(3, "c")), "atif")
    assert windows(found)[""] == ["hi", "I look.(hm)[c]", ">c"]
    assert [(each.response, each.model) for each in only(found, Called)] == [("step-3", "m")]
    assert (used(found).input, used(found).cached_read, used(found).output) == (6, 4, 2)
    assert only(found, Reported)[0].cost == 0.5
    offered = only(found, Offered)
    assert [[tool.name for tool in each.tools or ()] for each in offered] == [["bash"], []]
    assert offered[1].system is not None
    assert fates(found) == [(0, "kept", "system"), (1, "kept", "user"), (2, "kept", "agent")]


def test_copied_steps_stand_in_the_window_and_did_not_happen_here() -> None:
    copied = calling(2, "c", is_copied_context=True)
    dispatched = step(4, "agent", "", llm_call_count=0)
    found = read_document(trajectory(step(1, "user", "hi"), copied, calling(3, "d"), dispatched), "atif")
    assert windows(found)["step-3"] == ["hi", "I look.(hm)[c]", ">c"]
    assert [each.response for each in only(found, Called)] == ["step-3"]
    assert [each.again for each in only(found, Said)] == [False, True, True, False, False, False]
    assert used(found).output == 2


def test_the_totals_count_only_where_no_step_has_its_own() -> None:
    final = {"total_prompt_tokens": 30, "total_completion_tokens": 3, "total_cached_tokens": 10, "total_cost_usd": 1.5}
    found = read_document(trajectory(step(1, "user", "hi"), step(2, "agent", "ho"), final_metrics=final), "atif")
    assert (used(found).input, used(found).cached_read, used(found).output) == (20, 10, 3)
    assert [each.response for each in only(found, Reported)] == [""]


def test_an_embedded_sub_agent_is_a_conversation_begun_by_the_step_that_names_it() -> None:
    refer = {"results": [{"source_call_id": "c", "subagent_trajectory_ref": [{"trajectory_id": "sub"}]}]}
    inner = {**trajectory(step(1, "user", "sub task"), calling(2, "x")), "trajectory_id": "sub"}
    document = trajectory(step(1, "user", "hi"), calling(2, "c", observation=refer), subagent_trajectories=[inner])
    found = read_document(document, "atif")
    assert [(each.thread, each.parent, each.record) for each in only(found, Began)] == [("", None, 0), ("sub", "", 1)]
    assert windows(found, "sub")[""] == ["sub task", "I look.(hm)[x]", ">x"]
    assert [each.thread for each in only(found, Ended)] == ["sub", ""]


def test_pictures_and_what_the_environment_tells_are_kept() -> None:
    picture = [
        {"type": "image", "source": {"media_type": "image/png", "path": "a.png"}},
        {"type": "text", "text": "see"},
    ]
    told = step(2, "system", "restarted", observation={"results": [{"content": "ready"}]})
    found = read_document(trajectory(step(1, "user", picture), told), "atif")
    said = only(found, Said)
    assert isinstance(said[0].message.blocks[0], MediaBlock)
    assert [(each.speaker, each.message.text) for each in said[1:]] == [("harness", "restarted"), ("harness", "ready")]


def test_a_trajectory_on_each_line_is_a_conversation() -> None:
    found = read([trajectory(step(1, "user", "hi")), trajectory(step(1, "user", "ho"), session_id="t")], "atif")
    assert [each.thread for each in only(found, Ended)] == ["s", "t"]
    assert fates(found) == [(0, "kept", "trajectory"), (1, "kept", "trajectory")]
