"""Chat messages, fine-tuning rows, tau-bench's and tau2's trials as events."""

from typing import Any

from callsheet.model.message import CallBlock, ResultBlock
from callsheet.model.transcript import Began, Called, Ended, Offered, Said

from .replayed import fates, only, read, read_document, used, windows

Row = dict[str, Any]
CALL = {"id": "c", "type": "function", "function": {"name": "find", "arguments": '{"q": 1}'}}
TALK: list[Row] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c", "name": "find", "content": "found"},
    {"role": "assistant", "content": "here", "weight": 0},
]
SAID = ["hi", "[c]", ">c", "here"]
TOOL = {"type": "function", "function": {"name": "find", "description": "Finds.", "parameters": {"type": "object"}}}


def test_each_fine_tuning_row_is_a_conversation_with_its_tools() -> None:
    found = read([{"messages": TALK, "tools": [TOOL]}, {"messages": TALK}], "openai-chat")
    assert windows(found)[""] == SAID
    assert windows(found, "row 1")[""] == SAID
    offered = [each.tools for each in only(found, Offered) if each.tools is not None]
    assert [[tool.name for tool in tools] for tools in offered] == [["find"]]
    assert len(only(found, Called)) == 4
    assert fates(found) == [(0, "kept", "row"), (1, "kept", "row")]


def test_messages_that_stand_alone_are_one_conversation() -> None:
    for found in (read(TALK, "openai-chat"), read_document(TALK, "openai-chat")):
        assert windows(found)[""] == SAID
        assert [each.record for each in only(found, Said)] == [1, 2, 3, 4]
        assert len(only(found, Began)) == len(only(found, Ended)) == 1


def test_arguments_that_are_an_object_and_an_old_function_call_are_calls() -> None:
    loose = {"role": "assistant", "content": "", "tool_calls": [{"id": "x", "name": "find", "arguments": {"q": 2}}]}
    older = {"role": "assistant", "content": None, "function_call": {"name": "find", "arguments": '{"q": 3}'}}
    found = read(
        [{"messages": [TALK[1], loose, older, {"role": "function", "name": "find", "content": "f"}]}], "openai-chat"
    )
    blocks = [block for each in only(found, Said) for block in each.message.blocks]
    calls = [block for block in blocks if isinstance(block, CallBlock)]
    assert [(each.name, each.arguments) for each in calls] == [("find", {"q": 2}), ("find", {"q": 3})]
    assert isinstance(blocks[-1], ResultBlock)


def test_what_is_no_message_is_kept_whole() -> None:
    odd = {"role": "narrator", "content": 7}
    found = read([{"messages": [TALK[1], odd, {"role": "user", "content": {"a": 1}}]}], "openai-chat")
    assert [each.message.blocks[0].fields for each in only(found, Said)[1:]] == [odd, {"content": {"a": 1}}]  # type: ignore[union-attr]


def trial(number: int, **fields: Any) -> Row:
    return {"task_id": number, "trial": 0, "reward": 1.0, "info": {}, "traj": TALK, **fields}


def test_a_trial_is_a_conversation_with_its_reward() -> None:
    for found in (read([trial(3), trial(4)], "tau-bench"), read_document([trial(3), trial(4)], "tau-bench")):
        assert windows(found, "task 3, trial 0")[""] == SAID
        ends = [(each.thread, each.facts["reward"]) for each in only(found, Ended)]
        assert ends == [("task 3, trial 0", 1.0), ("task 4, trial 0", 1.0)]
        assert fates(found) == [(0, "kept", "trial"), (1, "kept", "trial")]


def test_trials_of_the_same_name_are_told_apart() -> None:
    found = read([trial(3), trial(3)], "tau-bench")
    assert [each.thread for each in only(found, Began)] == ["task 3, trial 0", "task 3, trial 0, record 1"]


def test_a_display_has_results_and_no_calls_that_were_not_kept() -> None:
    shown = "user: hi\nthere\nassistant: None\ntool: found\nassistant: here"
    found = read([{"messages_display": shown}], "tau-bench")
    assert windows(found, "row 0")[""] == ["hi\nthere", "", ">None", "here"]
    assert len(only(found, Called)) == 2


def test_a_simulations_person_has_tools_of_its_own_and_the_agent_sees_none_of_it() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    messages = [
        {"role": "assistant", "content": "How can I help?"},
        {"role": "user", "content": "hi", "usage": usage, "cost": 9.0},
        {
            "role": "user",
            "content": None,
            "tool_calls": [{"id": "u", "name": "look", "arguments": {}, "requestor": "user"}],
        },
        {"role": "tool", "id": "u", "content": "dark", "requestor": "user", "error": False},
        {
            "role": "assistant",
            "content": "",
            "usage": usage,
            "cost": 0.5,
            "tool_calls": [{"id": "c", "name": "find", "arguments": {"q": 1}, "requestor": "assistant"}],
        },
        {"role": "tool", "id": "c", "content": "no", "requestor": "assistant", "error": True},
    ]
    one = {
        "task_id": "t",
        "trial": 1,
        "messages": messages,
        "reward_info": {"reward": 0.0},
        "termination_reason": "done",
    }
    found = read_document({"info": {}, "tasks": [], "simulations": [one]}, "tau-bench")
    assert windows(found, "task t, trial 1")[""] == ["How can I help?", "hi", "[c]", ">c"]
    assert windows(found, "task t, trial 1 (person)")[""] == ["[u]", ">u"]
    assert len(only(found, Called)) == 1
    assert (used(found).input, used(found).output) == (10, 2)
    assert only(found, Ended)[-1].facts == {"reward": 0.0, "status": "done"}
    failed = [block for each in only(found, Said) for block in each.message.blocks if isinstance(block, ResultBlock)]
    assert [each.is_error for each in failed] == [False, True]
