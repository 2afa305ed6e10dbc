"""OpenHands' events as events: both versions, condensations, usage that only the end tells."""

from typing import Any

import pytest

from callsheet.model.message import ResultBlock
from callsheet.model.transcript import Began, Called, Ended, Offered, Replaced, Reported, Said

from .replayed import fates, only, read, read_document, used, windows

Row = dict[str, Any]


def event(number: int, source: str, **fields: Any) -> Row:
    return {"id": number, "timestamp": f"2026-01-01T00:00:0{number % 10}", "source": source, **fields}


def task(number: int = 0, words: str = "Fix it.") -> Row:
    return event(number, "user", action="message", args={"content": words})


def response(name: str, *calls: str, text: str = "I look.") -> Row:
    listed = [
        {"id": each, "type": "function", "function": {"name": "execute_bash", "arguments": "{}"}} for each in calls
    ]
    message = {"role": "assistant", "content": text, "tool_calls": listed}
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}
    return {"id": name, "model": "m", "choices": [{"message": message}], "usage": usage}


def acted(number: int, call: str, answer: Row) -> Row:
    metadata = {"function_name": "execute_bash", "tool_call_id": call, "model_response": answer}
    return event(number, "agent", action="run", args={"command": "ls"}, tool_call_metadata=metadata)


def observed(number: int, call: str, cause: int, words: str = "a.py") -> Row:
    about = {"exit_code": 1, "working_dir": "/w", "prefix": "", "suffix": ""}
    metadata = {"function_name": "execute_bash", "tool_call_id": call}
    extras = {"command": "ls", "metadata": about}
    fields = {"observation": "run", "content": words, "extras": extras, "tool_call_metadata": metadata}
    return event(number, "agent", cause=cause, **fields)


def test_an_action_is_a_part_of_its_response_and_usage_counts_once() -> None:
    both = response("r1", "a", "b")
    rows = [task(), acted(1, "a", both), observed(2, "a", 1), acted(3, "b", both), observed(4, "b", 3)]
    found = read_document(rows, "openhands")
    assert [each.response for each in only(found, Called)] == ["r1"]
    assert windows(found)[""] == ["Fix it.", "I look.[a]", ">a", "[b]", ">b"]
    assert len(only(found, Reported)) == 1
    assert (used(found).input, used(found).cached_read, used(found).output) == (6, 4, 2)
    assert [each[1] for each in fates(found)] == ["kept"] * 5


def test_a_result_is_what_the_agent_reads_with_exit_code_and_folder() -> None:
    found = read_document([task(), acted(1, "a", response("r", "a")), observed(2, "a", 1)], "openhands")
    told = only(found, Said)[-1]
    block = told.message.blocks[0]
    assert isinstance(block, ResultBlock)
    assert block.text == "a.py\n[Current working directory: /w]\n[Command finished with exit code 1]"
    assert (told.facts["exit_code"], told.facts["cwd"]) == (1, "/w")


def test_older_files_name_no_cause_and_the_result_follows_its_action() -> None:
    rows: list[Row] = [
        {"action": "message", "content": "Fix it."},
        {"action": "run", "command": "ls", "thought": "I look."},
        {"observation": "run", "content": "a.py", "exit_code": 0, "command": "ls"},
        {"action": "finish", "thought": "Done.", "outputs": {}},
    ]
    document = {"history": rows, "git_patch": "diff", "success": True, "metrics": {"accumulated_cost": 0.5}}
    found = read_document(document, "openhands")
    assert windows(found)[""] == ["Fix it.", "I look.[call-1]", ">call-1", "Done.[call-3]"]
    assert [call.name for each in only(found, Said) for call in each.message.calls] == ["execute_bash", "finish"]
    assert only(found, Ended)[0].facts == {"patch": "diff", "status": "success"}
    assert only(found, Reported)[0].cost == 0.5


def test_usage_that_only_the_metrics_know_belongs_to_the_failed_call() -> None:
    error = event(3, "agent", observation="error", content="bad arguments", extras={})
    listed = [
        {"response_id": name, "prompt_tokens": 10, "completion_tokens": 2, "cache_read_tokens": cached}
        for name, cached in (("r1", 4), ("lost", 0))
    ]
    document = {
        "history": [task(), acted(1, "a", response("r1", "a")), observed(2, "a", 1), error],
        "metrics": {"token_usages": listed, "accumulated_cost": 0.0},
    }
    found = read_document(document, "openhands")
    assert [(each.response, each.error) for each in only(found, Called)] == [("r1", ""), ("error-3", "bad arguments")]
    assert [each.response for each in only(found, Reported)] == ["r1", "error-3"]
    assert (used(found).input, used(found).cached_read, used(found).output) == (16, 4, 4)


def test_accumulated_figures_are_counted_by_their_growth() -> None:
    def told(number: int, prompt: int) -> Row:
        figures = {"accumulated_token_usage": {"prompt_tokens": prompt, "completion_tokens": prompt // 10}}
        return event(number, "agent", action="message", args={"content": "hm"}, llm_metrics=figures)

    found = read_document([task(), told(1, 100), told(2, 250)], "openhands")
    assert [each.usage.input for each in only(found, Reported) if each.response] == [100, 150]
    assert used([each for each in only(found, Reported) if each.response]).output == 25


@pytest.mark.parametrize("named", [True, False])
def test_a_condensation_forgets_events_and_puts_the_summary_in_their_place(named: bool) -> None:
    rows = [task(), *(task(number, f"m{number}") for number in range(1, 6))]
    span = (
        {"forgotten_event_ids": [1, 2, 3]} if named else {"forgotten_events_start_id": 1, "forgotten_events_end_id": 3}
    )
    told = event(6, "agent", action="condensation", args={**span, "summary": "short", "summary_offset": 1})
    found = read_document([*rows, told, task(7, "on")], "openhands")
    assert windows(found)[""] == ["Fix it.", "short", "m4", "m5", "on"]
    assert [(each.change, each.kept) for each in only(found, Replaced)] == [("compaction", 1)]
    assert [(each.speaker, each.again) for each in only(found, Said)][6:] == [
        ("summary", False),
        ("person", True),
        ("person", True),
        ("person", False),
    ]


def test_a_second_condensation_can_forget_the_first_ones_summary() -> None:
    def condensed(number: int, *names: str | int) -> Row:
        args = {"forgotten_event_ids": list(names), "summary": f"s{number}", "summary_offset": 1}
        return event(number, "agent", action="condensation", args=args)

    rows = [task(), task(1, "m1"), condensed(2, 1), task(3, "m3"), condensed(4, "2-summary", 3), task(5, "m5")]
    assert windows(read_document(rows, "openhands"))[""] == ["Fix it.", "s4", "m5"]


def test_each_line_of_an_evaluations_output_is_a_conversation() -> None:
    rows = [{"instance_id": f"i{n}", "history": [task()], "test_result": {"git_patch": f"p{n}"}} for n in range(2)]
    found = read(rows, "openhands")
    assert [(each.record, each.thread, each.facts["patch"]) for each in only(found, Ended)] == [
        (0, "i0", "p0"),
        (1, "i1", "p1"),
    ]
    assert fates(found) == [(0, "kept", "output"), (1, "kept", "output")]


def test_what_was_delegated_is_a_conversation_of_its_own() -> None:
    handed = event(1, "agent", action="delegate", args={"agent": "Browser", "inputs": {"task": "look"}})
    back = event(4, "agent", observation="delegate", content="found", extras={}, cause=1)
    rows = [task(), handed, acted(2, "a", response("r1", "a")), observed(3, "a", 2), back, task(5, "on")]
    listed = [{"response_id": "r1", "prompt_tokens": 10, "completion_tokens": 2, "cache_read_tokens": 4}]
    found = read_document({"history": rows, "metrics": {"token_usages": listed}}, "openhands")
    assert windows(found)[""] == ["Fix it.", "[call-1]", ">call-1", "on"]
    assert windows(found, "delegate 1")[""] == ["I look.[a]", ">a"]
    assert [(each.thread, each.parent) for each in only(found, Began)] == [("", None), ("delegate 1", "")]
    assert [(each.thread, each.record) for each in only(found, Ended)] == [("delegate 1", 4), ("", 5)]
    assert [each.response for each in only(found, Reported)] == ["r1"]


# Version 1


def kind(name: str, number: int, source: str = "agent", **fields: Any) -> Row:
    return {"kind": name, "id": f"e{number}", "timestamp": "2026-01-01T00:00:00", "source": source, **fields}


def message(number: int, source: str, words: str, **fields: Any) -> Row:
    role = "user" if source == "user" else "assistant"
    content = [{"type": "text", "text": words}]
    return kind("MessageEvent", number, source, llm_message={"role": role, "content": content}, **fields)


def action(number: int, call: str, name: str, words: str = "") -> Row:
    given = {"id": call, "name": "terminal", "arguments": '{"command": "ls"}', "origin": "completion"}
    thought = [{"type": "text", "text": words}] if words else []
    fields = {"thought": thought, "tool_call": given, "llm_response_id": name, "tool_call_id": call}
    return kind("ActionEvent", number, tool_name="terminal", action={"kind": "TerminalAction"}, **fields)


def observation(number: int, call: str, after: int) -> Row:
    seen = {"kind": "TerminalObservation", "content": [{"type": "text", "text": "a.py"}], "exit_code": 0}
    fields = {"tool_name": "terminal", "tool_call_id": call, "action_id": f"e{after}"}
    return kind("ObservationEvent", number, "environment", observation=seen, **fields)


PROMPT = kind("SystemPromptEvent", 0, system_prompt={"text": "You are."}, dynamic_context={"text": "Here."}, tools=[])


def test_the_sdks_events_are_read_parallel_calls_as_one_response() -> None:
    rows = [
        PROMPT,
        message(1, "user", "Fix it.", extended_content=[{"text": "rule"}]),
        action(2, "a", "r1", "I look."),
        action(3, "b", "r1"),
        observation(4, "a", 2),
        kind("AgentErrorEvent", 5, error="no tool", tool_call_id="b", tool_name="x"),
        kind("ConversationStateUpdateEvent", 6, "environment", key="stats", value=STATS),
        kind("Later", 7),
    ]
    found = read(rows, "openhands")
    assert [each.text for each in only(found, Offered)[0].system or ()] == ["You are.Here."]
    assert [each.response for each in only(found, Called)] == ["r1"]
    assert windows(found)[""] == ["Fix it.rule", "I look.[a]", "[b]", ">a", ">b"]
    assert only(found, Said)[0].facts == {"kinds": {1: "memory"}}
    assert [
        block.is_error for each in only(found, Said) for block in each.message.blocks if isinstance(block, ResultBlock)
    ] == [
        None,
        True,
    ]
    assert (used(found).input, used(found).cached_read, used(found).output) == (6, 4, 2)
    assert fates(found)[-1] == (7, "unknown", "Later")


STATS = {
    "usage_to_metrics": {
        "agent": {
            "token_usages": [
                {"response_id": "r1", "prompt_tokens": 10, "completion_tokens": 2, "cache_read_tokens": 4, "model": "m"}
            ]
        }
    }
}


def test_the_sdks_condensation_keeps_the_head_and_the_tail() -> None:
    rows = [PROMPT, *(message(number, "user", f"m{number}") for number in range(1, 6))]
    fields = {"forgotten_event_ids": ["e2", "e3"], "summary": "short", "summary_offset": 1, "llm_response_id": "c"}
    found = read([*rows, kind("Condensation", 6, "environment", **fields), message(7, "agent", "on")], "openhands")
    assert windows(found)["message-e7"] == ["m1", "short", "m4", "m5"]
    assert only(found, Replaced)[0].kept == 1
