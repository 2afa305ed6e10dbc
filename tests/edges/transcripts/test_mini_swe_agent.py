"""mini-swe-agent's messages as events: fenced commands, tool calls, what the harness noted beside them."""

from typing import Any

from callsheet.model.transcript import Called, Ended, Offered, Reported, Said

from .replayed import fates, only, read_document, used, windows

Row = dict[str, Any]
SYSTEM = {"role": "system", "content": "You can run commands."}
TASK = {"role": "user", "content": "Fix it."}


def answer(command: str, **fields: Any) -> Row:
    return {"role": "assistant", "content": f"THOUGHT: look\n\n```bash\n{command}\n```", **fields}


def result(words: str, code: int = 0) -> Row:
    return {"role": "user", "content": f"<returncode>{code}</returncode>\n<output>\n{words}\n</output>"}


def test_a_fenced_command_is_a_call_and_the_next_message_its_result() -> None:
    found = read_document([SYSTEM, TASK, answer("ls"), result("a.py", 2)], "mini-swe-agent")
    call = only(found, Said)[1].message.calls[0]
    assert (call.name, call.arguments) == ("bash", {"command": "ls"})
    assert windows(found)[""] == ["Fix it.", "THOUGHT: look[action-2-0]", ">action-2-0"]
    assert only(found, Said)[-1].facts == {"exit_code": 2}
    assert only(found, Offered)[0].system is not None
    assert [each[0] for each in fates(found)] == [0, 1, 2, 3]


def test_an_answer_with_two_commands_is_a_mistake_and_runs_nothing() -> None:
    twice = {"role": "assistant", "content": "```bash\nls\n```\n```bash\npwd\n```"}
    found = read_document([SYSTEM, TASK, twice, TASK, answer("ls"), result("a")], "mini-swe-agent")
    assert sum(len(each.message.calls) for each in only(found, Said)) == 1
    assert [each.speaker for each in only(found, Said)] == ["person", "model", "harness", "model", "tool"]


def test_usage_cost_and_outcome_of_a_document_are_kept() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}
    extra = {"actions": [{"command": "ls"}], "cost": 0.25, "response": {"id": "r1", "model": "m", "usage": usage}}
    observed = {"role": "user", "content": "out", "extra": {"returncode": 1, "timestamp": 5.0}}
    left = {"role": "exit", "content": "diff", "extra": {"exit_status": "Submitted", "submission": "diff"}}
    messages = [SYSTEM, TASK, answer("ls", extra=extra), observed, left]
    document = {"messages": messages, "info": {"mini_version": "2"}, "trajectory_format": "mini-swe-agent-1.1"}
    found = read_document(document, "mini-swe-agent")
    assert [(each.response, each.model) for each in only(found, Called)] == [("r1", "m")]
    assert (used(found).input, used(found).cached_read, used(found).output) == (6, 4, 2)
    assert only(found, Reported)[0].cost == 0.25
    assert only(found, Said)[-1].facts == {"exit_code": 1}
    assert only(found, Said)[-1].at == 5.0
    assert only(found, Ended)[0].facts == {"status": "Submitted", "patch": "diff"}


def test_tool_calls_and_their_results_keep_their_ids() -> None:
    calls = [
        {"id": name, "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
        for name in "ab"
    ]
    spoken = {"role": "assistant", "content": None, "tool_calls": calls, "extra": {"actions": []}}
    results = [{"role": "tool", "tool_call_id": name, "content": "out"} for name in "ab"]
    document = {"messages": [TASK, spoken, *results], "info": {}, "trajectory_format": "mini-swe-agent-1.1"}
    found = read_document(document, "mini-swe-agent")
    assert windows(found)[""] == ["Fix it.", "[a][b]", ">a", ">b"]


def test_items_of_the_responses_api_are_read() -> None:
    output = [{"type": "function_call", "call_id": "c", "name": "bash", "arguments": '{"command": "ls"}', "id": "f"}]
    usage = {"input_tokens": 9, "output_tokens": 1, "input_tokens_details": {"cached_tokens": 3}}
    spoken = {"object": "response", "id": "r", "model": "m", "status": "completed", "output": output, "usage": usage}
    result_item = {"type": "function_call_output", "call_id": "c", "output": "out", "extra": {"returncode": 0}}
    document = {"messages": [TASK, spoken, result_item], "info": {}, "trajectory_format": "mini-swe-agent-1.1"}
    found = read_document(document, "mini-swe-agent")
    assert windows(found)[""] == ["Fix it.", "[c]", ">c"]
    assert (used(found).input, used(found).cached_read) == (6, 3)
