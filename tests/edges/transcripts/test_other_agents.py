"""Copilot CLI, Gemini CLI and `codex exec --json` as events."""

import json
from typing import Any

from callsheet.model.message import CallBlock
from callsheet.model.transcript import Began, Called, Ended, Offered, Replaced, Reported, Said

from .replayed import fates, only, read, read_bytes, used, windows

Row = dict[str, Any]


def copilot(kind: str, **data: Any) -> Row:
    return {
        "type": kind,
        "data": data,
        "id": f"{kind}-{len(str(data))}",
        "timestamp": "2026-01-01T00:00:00Z",
        "parentId": None,
    }


def asked(name: str, response: str, **fields: Any) -> Row:
    requests = [{"toolCallId": name, "name": "bash", "arguments": '{"command":"ls"}'}]
    return copilot("assistant.message", messageId=response, content="", toolRequests=requests, outputTokens=4, **fields)


def test_copilot_a_session_is_read_with_its_usage_as_a_whole() -> None:
    metrics = {"m": {"usage": {"inputTokens": 100, "outputTokens": 9, "cacheReadTokens": 60, "cacheWriteTokens": 10}}}
    done = {"content": "x\n<exited with exit code 1>"}
    rows = [
        copilot("session.start", sessionId="s", selectedModel="m", context={"cwd": "/w"}),
        copilot("system.message", content="Be brief."),
        copilot("user.message", content="hi", transformedContent="<now/>hi"),
        asked("a", "r1"),
        copilot("tool.execution_complete", toolCallId="a", success=False, result=done),
        copilot("assistant.message", messageId="r2", content="bye", toolRequests=[], outputTokens=5),
        copilot("session.shutdown", modelMetrics=metrics),
        copilot("session.novelty"),
    ]
    found = read(rows, "copilot-cli")
    assert windows(found)[""] == ["<now/>hi", "[a]", ">a", "bye"]
    assert only(found, Said)[1].message.calls[0].arguments == {"command": "ls"}
    assert only(found, Said)[2].facts["exit_code"] == 1
    assert [each.system[0].text for each in only(found, Offered) if each.system] == ["Be brief."]
    assert [each.response for each in only(found, Reported)] == [""]
    assert (used(found).input, used(found).cached_read, used(found).cache_write, used(found).output) == (30, 60, 10, 9)
    assert fates(found)[-1] == (7, "unknown", "session.novelty")


def test_copilot_without_an_end_the_tokens_written_are_all_that_is_known() -> None:
    found = read([copilot("user.message", content="hi"), asked("a", "r1"), asked("b", "r2")], "copilot-cli")
    assert (used(found).prompt, used(found).output) == (0, 8)


def test_copilot_sub_agents_have_their_own_conversation_and_compactions_replace() -> None:
    rows = [
        copilot("user.message", content="hi"),
        asked("task", "r1"),
        copilot("subagent.started", toolCallId="task", agentName="explore"),
        asked("inner", "r2", parentToolCallId="task"),
        copilot("subagent.completed", toolCallId="task"),
        copilot("tool.execution_complete", toolCallId="task", success=True, result={"content": "found"}),
        copilot("session.compaction_complete", success=True, summaryContent="in short", preCompactionTokens=9),
    ]
    found = read(rows, "copilot-cli")
    assert [(each.thread, each.parent) for each in only(found, Began)] == [("", None), ("task", "")]
    assert windows(found, "task")[""] == ["[inner]"]
    assert windows(found)[""] == ["in short"]
    assert [each.thread for each in only(found, Ended)] == ["task", ""]


TOKENS = {"input": 100, "cached": 60, "output": 5, "thoughts": 7, "tool": 2, "total": 114}
RESULT = [{"functionResponse": {"id": "c", "name": "run", "response": {"output": "x\nExit Code: 2\nSignal: 0"}}}]
CALL = {
    "id": "c",
    "name": "run",
    "args": {"command": "ls"},
    "status": "success",
    "result": RESULT,
    "resultDisplay": "x",
}


def gemini(name: str, **fields: Any) -> Row:
    return {"id": name, "timestamp": "2026-01-01T00:00:00Z", **fields}


def test_gemini_a_document_and_its_lines_say_the_same() -> None:
    messages = [
        gemini("u", type="user", content=[{"text": "hi"}]),
        gemini(
            "g",
            type="gemini",
            content="",
            thoughts=[{"subject": "S", "description": "D"}],
            toolCalls=[CALL],
            tokens=TOKENS,
        ),
        gemini("i", type="info", content="cancelled"),
        gemini("h", type="gemini", content="bye"),
    ]
    meta = {"sessionId": "s", "projectHash": "p", "startTime": "x", "lastUpdated": "y"}
    whole = read_bytes(json.dumps({**meta, "messages": messages}, indent=1).encode(), "gemini-cli")
    lines = read([meta, *messages], "gemini-cli")
    for found in (whole, lines):
        assert windows(found)[""] == ["hi", "(S\nD)[c]", ">c", "bye"]
        assert only(found, Said)[2].facts == {"results": {"c": "x"}, "exit_code": 2}
        assert (used(found).input, used(found).cached_read, used(found).output) == (42, 60, 12)
        assert only(found, Began)[0].facts["sessionId"] == "s"
    assert fates(whole) == [(at, "kept", kind) for at, kind in enumerate(("user", "gemini", "info", "gemini"))]


def test_gemini_a_line_written_anew_tells_only_what_it_adds() -> None:
    grown = gemini("g", type="gemini", content="so", tokens=TOKENS)
    meta = {"sessionId": "s", "projectHash": "p"}
    pending = {**CALL, "result": None, "status": "executing"}
    rows = [
        meta,
        gemini("u", type="user", content="hi"),
        grown,
        {**grown, "toolCalls": [pending]},
        {**grown, "toolCalls": [CALL]},
    ]
    found = read(rows, "gemini-cli")
    assert windows(found)[""] == ["hi", "so", "[c]", ">c"]
    assert len(only(found, Called)) == 1
    assert used(found).output == 12


def test_gemini_a_rewind_goes_back_to_before_its_message() -> None:
    rows: list[Row] = [{"sessionId": "s", "projectHash": "p"}]
    rows += [gemini(name, type="user", content=name) for name in "abc"]
    found = read(
        [*rows, {"$rewindTo": "b"}, gemini("d", type="user", content="d"), {"$set": {"summary": "T"}}], "gemini-cli"
    )
    assert [(each.change, each.kept) for each in only(found, Replaced)] == [("rewind", 1)]
    assert windows(found)[""] == ["a", "d"]
    assert only(found, Ended)[0].facts == {"title": "T"}


def test_codex_exec_items_are_taken_when_they_are_done_and_counts_are_the_threads() -> None:
    command = {
        "id": "i1",
        "type": "command_execution",
        "command": "ls",
        "aggregated_output": "a",
        "exit_code": 1,
        "status": "failed",
    }
    change = {"id": "i2", "type": "file_change", "changes": [{"path": "/a", "kind": "add"}], "status": "completed"}
    rows: list[Row] = [
        {"type": "thread.started", "thread_id": "t"},
        {"type": "turn.started"},
        {"type": "item.started", "item": {**command, "status": "in_progress"}},
        {"type": "item.completed", "item": command},
        {"type": "item.completed", "item": change},
        {"type": "item.completed", "item": {"id": "i3", "type": "agent_message", "text": "done"}},
        {"type": "turn.completed", "usage": {"input_tokens": 10, "cached_input_tokens": 4, "output_tokens": 2}},
        {"type": "turn.started"},
        {"type": "item.completed", "item": {"id": "i4", "type": "agent_message", "text": "more"}},
        {"type": "turn.completed", "usage": {"input_tokens": 30, "cached_input_tokens": 14, "output_tokens": 5}},
        {"type": "turn.failed", "error": {"message": "limit"}},
        {"type": "novelty"},
    ]
    found = read(rows, "codex-exec")
    assert windows(found)[""] == ["[i1]", ">i1", "[i2]", ">i2", "done", "more"]
    block = only(found, Said)[2].message.blocks[0]
    assert isinstance(block, CallBlock) and block.arguments == {"changes": change["changes"]}
    assert only(found, Said)[1].facts["exit_code"] == 1
    assert [each.error for each in only(found, Called)] == ["", "", "limit"]
    assert (used(found).input, used(found).cached_read, used(found).output) == (16, 14, 5)
    assert fates(found)[-1] == (11, "unknown", "novelty")
