"""SWE-agent's trajectories as events: the window equals every recorded query, actions are calls."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from callsheet.model.message import ResultBlock
from callsheet.model.transcript import Called, Event, Offered, Replaced, Reported, Said

from .replayed import fates, only, read_document, windows

Row = dict[str, Any]
SYSTEM = {"role": "system", "content": "You are an agent.", "agent": "main", "message_type": "system_prompt"}
TASK = {"role": "user", "content": "Fix it.", "agent": "main", "message_type": "observation"}
OMITTED = "Old environment output: (1 lines omitted)"


def said(number: int, text: str | None = None) -> Row:
    words, action = f"I look {number}.", f"cat file{number}.py"
    content = f"{words}\n```\n{action}\n```" if text is None else text
    return {"role": "assistant", "content": content, "thought": words, "action": action, "agent": "main"}


def heard(number: int, content: str | None = None) -> Row:
    words = f"print({number})\n(Open file: n/a)" if content is None else content
    return {"role": "user", "content": words, "agent": "main", "message_type": "observation"}


def step(number: int, query: list[Row] | None = None, **fields: Any) -> Row:
    answer = said(number)
    own = {"action": answer["action"], "observation": f"print({number})", "response": answer["content"]}
    state = {"working_dir": f"/w{number}", "open_file": "n/a"}
    return {**own, "thought": answer["thought"], "state": state, **({"query": query} if query else {}), **fields}


def history(steps: int) -> list[Row]:
    return [SYSTEM, TASK, *(each for number in range(steps) for each in (said(number), heard(number)))]


def elided(steps: int, keep: int) -> list[Row]:
    """The history as it is sent: older observations are shortened."""
    sent = history(steps)
    for at in range(3, len(sent) - 2 * keep, 2):
        sent[at] = {**sent[at], "content": OMITTED}
    return sent


def document(trajectory: list[Row], entries: list[Row], **members: Any) -> Row:
    return {"environment": "main", "trajectory": trajectory, "history": entries, "info": {}, **members}


def texts(found: list[Event]) -> list[list[str]]:
    """The texts of the window at each call."""
    window: list[str] = []
    seen = []
    for each in found:
        if isinstance(each, Replaced):
            del window[each.kept :]
        elif isinstance(each, Said):
            blocks = each.message.blocks
            window.append(each.message.text + "".join(one.text for one in blocks if isinstance(one, ResultBlock)))
        elif isinstance(each, Called):
            seen.append(list(window))
    return seen


def sent(query: list[Row]) -> list[str]:
    return [each.get("thought") or each["content"] for each in query if each["role"] != "system"]


def test_an_action_is_a_call_of_the_shell_and_its_observation_the_result() -> None:
    found = read_document(document([step(0), step(1)], history(2)), "swe-agent")
    calls = [call for each in only(found, Said) for call in each.message.calls]
    assert [(call.name, call.arguments) for call in calls] == [
        ("bash", {"command": "cat file0.py"}),
        ("bash", {"command": "cat file1.py"}),
    ]
    assert windows(found)[""] == ["Fix it.", "I look 0.[action-0]", ">action-0", "I look 1.[action-1]", ">action-1"]
    assert only(found, Offered)[0].system[0].text == "You are an agent."  # type: ignore[index]
    assert fates(found) == [(0, "kept", "step"), (1, "kept", "step")]


def test_a_result_is_what_was_put_to_the_model_and_belongs_to_its_step() -> None:
    found = read_document(document([step(0), step(1)], history(2)), "swe-agent")
    results = [(each.record, each.message.blocks[0].text) for each in only(found, Said) if each.speaker == "tool"]  # type: ignore[union-attr]
    assert results == [(0, "print(0)\n(Open file: n/a)"), (1, "print(1)\n(Open file: n/a)")]


@given(steps=st.integers(1, 7), keep=st.integers(1, 3), with_history=st.booleans())
def test_the_window_at_each_call_is_the_recorded_query(steps: int, keep: int, with_history: bool) -> None:
    queries = [elided(number, keep) for number in range(steps)]
    entries = history(steps) if with_history else []
    found = read_document(document([step(n, query) for n, query in enumerate(queries)], entries), "swe-agent")
    assert texts(found) == [sent(query) for query in queries]
    assert len([each for each in only(found, Said) if each.message.calls and not each.again]) == steps
    assert len([each for each in only(found, Said) if each.speaker == "tool" and not each.again]) == steps


def test_a_shortened_observation_is_an_eviction_and_no_new_result() -> None:
    found = read_document(document([step(n, elided(n, 1)) for n in range(4)], history(4)), "swe-agent")
    replaced = only(found, Replaced)
    assert [(each.record, each.change, each.kept) for each in replaced] == [(2, "eviction", 2), (3, "eviction", 4)]
    short = [each for each in only(found, Said) if OMITTED in str(each.message)]
    assert all(each.again for each in short)
    assert [each.message.blocks[0].call_id for each in short] == ["action-0", "action-1"]  # type: ignore[union-attr]


def test_older_files_keep_the_messages_after_each_step() -> None:
    trajectory = [step(n, messages=history(n + 1)) for n in range(3)]
    found = read_document(document(trajectory, history(3)), "swe-agent")
    assert texts(found) == [sent(history(n)) for n in range(3)]
    assert not only(found, Replaced)


def test_an_answer_that_was_asked_for_again_happened_and_is_not_sent_again() -> None:
    failed = {"action": "", "observation": "", "response": "no code", "thought": "no code", "query": history(1)}
    asked = [*history(1), {"role": "assistant", "content": "no code"}, {"role": "user", "content": "Format!"}]
    trajectory = [step(0, history(0)), failed, step(1, asked), step(2, history(2))]
    found = read_document(document(trajectory, history(3)), "swe-agent")
    assert texts(found) == [sent(history(0)), sent(history(1)), sent(asked), sent(history(2))]
    assert [each.change for each in only(found, Replaced)] == ["rewind"]
    assert len(only(found, Called)) == 4
    assert sum(len(each.message.calls) for each in only(found, Said) if not each.again) == 3


def test_a_step_that_only_the_trajectory_holds_does_not_stand_for_a_later_one_like_it() -> None:
    trajectory = [step(0), {**step(4), "observation": "refused"}, *(step(n) for n in range(1, 5))]
    found = read_document(document(trajectory, history(5)), "swe-agent")
    assert texts(found)[2:] == [sent(history(n)) for n in range(1, 5)]
    assert [(each.change, each.kept) for each in only(found, Replaced)] == [("rewind", 3)]
    assert len(only(found, Called)) == 6


def test_a_run_that_ended_by_force_called_no_model_for_it() -> None:
    forced = {"action": "", "observation": "Exited (autosubmitted)", "response": "Exit due to cost limit"}
    found = read_document(document([step(0, history(0)), {**forced, "query": [{}]}], history(1)), "swe-agent")
    assert len(only(found, Called)) == 1
    assert only(found, Said)[-1].message.text == "Exited (autosubmitted)"


def test_function_calls_keep_their_own_names_and_ids() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "open", "arguments": '{"path": "a.py"}'}}
    answer = {
        **said(0, "I open it."),
        "tool_calls": [call],
        "thinking_blocks": [{"type": "thinking", "thinking": "hm"}],
    }
    result = {"role": "tool", "content": "a", "tool_call_ids": ["c1"], "agent": "main"}
    own = {"action": 'open "a.py"', "observation": "a", "response": "I open it.", "thought": "I open it."}
    found = read_document(document([own], [SYSTEM, TASK, answer, result]), "swe-agent")
    assert windows(found)[""] == ["Fix it.", "I open it.(hm)[c1]", ">c1"]
    spoken = next(each.message.calls[0] for each in only(found, Said) if each.message.calls)
    assert (spoken.name, spoken.arguments) == ("open", {"path": "a.py"})


def test_a_demonstration_is_the_harness_and_holds_no_calls() -> None:
    demo = [{**said(9), "is_demo": True}, {**heard(9), "is_demo": True}]
    found = read_document(document([step(0)], [SYSTEM, *demo, TASK, said(0), heard(0)]), "swe-agent")
    assert [each.speaker for each in only(found, Said)] == ["harness", "harness", "person", "model", "tool"]
    assert sum(len(each.message.calls) for each in only(found, Said)) == 1


def test_the_state_is_taken_before_the_action_in_old_files_and_after_it_in_new_ones() -> None:
    found = read_document(document([step(0), step(1)], history(2)), "swe-agent")
    assert [each.facts.get("cwd") for each in only(found, Said)] == [None, "/w0", "/w0", "/w0", "/w1"]
    old = [{**step(n), "state": f'{{"working_dir": "/w{n}", "open_file": "/w/a.py"}}\n'} for n in range(2)]
    facts = [each.facts for each in only(read_document(document(old, history(2)), "swe-agent"), Said)]
    assert facts == [{}, {"cwd": "/w0", "open_file": "/w/a.py"}, {}, {"cwd": "/w1", "open_file": "/w/a.py"}, {}]


def test_the_outcome_and_the_usage_of_the_whole_are_kept() -> None:
    stats = {"instance_cost": 0.5, "tokens_sent": 70, "tokens_received": 3, "api_calls": 1}
    info = {"submission": "diff --git a b", "exit_status": "submitted", "model_stats": stats}
    found = read_document(document([step(0)], history(1), info=info), "swe-agent")
    assert found[-1].facts == {"patch": "diff --git a b", "status": "submitted"}  # type: ignore[attr-defined]
    reported = only(found, Reported)[0]
    assert (reported.response, reported.usage.input, reported.usage.output, reported.cost) == ("", 70, 3, 0.5)


def test_the_order_of_the_members_does_not_matter() -> None:
    trajectory = [step(n, elided(n, 1)) for n in range(4)]
    first = read_document({"trajectory": trajectory, "history": history(4), "info": {}}, "swe-agent")
    last = read_document({"info": {}, "history": history(4), "trajectory": trajectory}, "swe-agent")
    assert windows(first) == windows(last)
    assert texts(first) == texts(last)


def test_a_history_alone_is_read_entry_by_entry() -> None:
    found = read_document({"history": history(2)}, "swe-agent")
    assert windows(found)[""] == ["Fix it.", "I look 0.[action-2]", ">action-2", "I look 1.[action-4]", ">action-4"]
    assert [each[0] for each in fates(found)] == list(range(6))


def test_a_step_that_is_none_is_unknown_and_the_others_are_read() -> None:
    found = read_document(document([step(0), {"odd": 1}, step(1)], history(2)), "swe-agent")  # type: ignore[list-item]
    assert sorted(fates(found)) == [(0, "kept", "step"), (1, "unknown", "step"), (2, "kept", "step")]
