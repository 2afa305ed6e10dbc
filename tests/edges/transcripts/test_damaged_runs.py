"""Whatever stands in a run's file in the place of a value: nothing is fatal, and every record is accounted for once."""

import copy
import io
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callsheet.core.diagnose.session import session
from callsheet.edges.transcripts import (
    atif,
    copilot,
    langchain,
    ledger,
    mini_swe_agent,
    openai_chat,
    pi,
    pydantic_ai,
    tau_bench,
    traces,
)
from callsheet.edges.transcripts.claude_code import session as claude_code
from callsheet.edges.transcripts.codex import rollout as codex
from callsheet.edges.transcripts.format import Format
from callsheet.edges.transcripts.inspect_log import log as inspect_log
from callsheet.edges.transcripts.openhands import conversation as openhands
from callsheet.edges.transcripts.reading.records import Source
from callsheet.edges.transcripts.recordings import recordings
from callsheet.edges.transcripts.spans import spans
from callsheet.edges.transcripts.swe_agent import trajectory as swe_agent
from callsheet.model.transcript import Accounted

from . import (
    test_atif,
    test_chats,
    test_claude_stream,
    test_copies,
    test_inspect_log,
    test_messages,
    test_mini_swe_agent,
    test_openhands,
    test_recordings,
    test_swe_agent,
    test_traces,
)

ODD = st.sampled_from([None, True, 5, -1.5, "", "odd", [], {}, ["odd"], [None], {"odd": None}, [{}], [[]]])

SWE = test_swe_agent.document(
    [test_swe_agent.step(n, test_swe_agent.elided(n, 1)) for n in range(3)],
    test_swe_agent.history(3),
    info={"model_stats": {"tokens_sent": 1, "tokens_received": 1}},
)
HANDS = {
    "history": [
        test_openhands.task(),
        test_openhands.acted(1, "a", test_openhands.response("r", "a")),
        test_openhands.observed(2, "a", 1),
        test_openhands.event(3, "agent", action="condensation", args={"forgotten_event_ids": [1], "summary": "s"}),
    ],
    "metrics": {"token_usages": [{"response_id": "r", "prompt_tokens": 1}], "accumulated_cost": 0.1},
}
KINDS = [
    test_openhands.PROMPT,
    test_openhands.message(1, "user", "hi"),
    test_openhands.action(2, "a", "r", "hm"),
    test_openhands.observation(3, "a", 2),
    test_openhands.kind("ConversationStateUpdateEvent", 4, key="stats", value=test_openhands.STATS),
    test_openhands.kind("Condensation", 5, forgotten_event_ids=["e2"], summary="s", summary_offset=0),
]
USED = {"prompt_tokens": 2, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 1}}
MINI = {
    "messages": [
        test_mini_swe_agent.TASK,
        test_mini_swe_agent.answer("ls", extra={"actions": [{"command": "ls"}], "response": {"usage": USED}}),
        test_mini_swe_agent.result("a"),
    ],
    "info": {"mini_version": "2"},
}
ATIF = test_atif.trajectory(
    test_atif.step(1, "system", "You are."),
    test_atif.step(2, "user", [{"type": "image", "source": {"path": "a.png"}}]),
    test_atif.calling(3, "c"),
    subagent_trajectories=[test_atif.trajectory(test_atif.calling(1, "c"))],
    final_metrics={"total_prompt_tokens": 1},
)
FILES: list[tuple[Format, Any]] = [
    (swe_agent.FORMAT, SWE),
    (swe_agent.HISTORY, {"history": SWE["history"]}),
    (mini_swe_agent.FORMAT, MINI),
    (openhands.FORMAT, HANDS),
    (openhands.FORMAT, KINDS),
    (tau_bench.FORMAT, [test_chats.trial(1), {"messages_display": "user: hi"}]),
    (tau_bench.FORMAT, {"simulations": [{"task_id": 1, "messages": test_chats.TALK, "termination_reason": "x"}]}),
    (inspect_log.FORMAT, test_inspect_log.log(test_inspect_log.sample(events=test_inspect_log.EVENTS))),
    (atif.FORMAT, ATIF),
    (openai_chat.FORMAT, [{"messages": test_chats.TALK, "tools": [test_chats.TOOL]}]),
    (ledger.FORMAT, [test_messages.recorded(1, "Why?")]),
    (langchain.FORMAT, test_messages.FORMS["dumpd"]),
    (langchain.FORMAT, {"messages": test_messages.FORMS["model_dump"]}),
    (pydantic_ai.FORMAT, test_messages.PYDANTIC),
    (spans.FORMAT, {"resourceSpans": [{"scopeSpans": [{"spans": test_traces.TALK}]}]}),
    (traces.FORMAT, [{"id": "a", "trace_id": "t", "run_type": "llm", "inputs": {"messages": test_chats.TALK}}]),
    (recordings.FORMAT, {"interactions": [test_recordings.HTTP]}),
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of everything inside a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [each for key, inner in items for each in ((*path, key), *places(inner, (*path, key)))]


def damaged(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    whole = copy.deepcopy(value)
    inner = whole
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = odd
    return whole


@pytest.mark.parametrize("number", range(len(FILES)))
@settings(max_examples=60)
@given(data=st.data())
def test_no_odd_value_is_fatal_and_every_record_has_one_fate(number: int, data: st.DataObject) -> None:
    form, value = FILES[number]
    value = damaged(value, data.draw(st.sampled_from(places(value))), data.draw(ODD))
    source = Source(io.BytesIO(json.dumps(value).encode()), "run.json")
    records = list(source.records("list" if isinstance(value, list) else "object", form.entries))
    found = list(form.read(iter(records)))
    session(form.name, found)
    fates = Counter(each.record for each in found if isinstance(each, Accounted))
    assert fates == Counter(each.index for each in records if each.index >= 0)


ROWS: list[tuple[Format, list[Any]]] = [
    (claude_code.FORMAT, test_copies.claude()),
    (claude_code.FORMAT, test_claude_stream.TALK),
    (pi.FORMAT, test_copies.pi()),
    (codex.FORMAT, test_copies.codex()),
    (copilot.FORMAT, test_copies.copilot()),
]


@pytest.mark.parametrize("number", range(len(ROWS)))
@settings(max_examples=60)
@given(data=st.data())
def test_no_odd_value_in_a_row_of_a_log_is_fatal(number: int, data: st.DataObject) -> None:
    form, rows = ROWS[number]
    rows = damaged(rows, data.draw(st.sampled_from(places(rows))), data.draw(ODD))
    source = Source(io.BytesIO("\n".join(map(json.dumps, rows)).encode()), "log.jsonl")
    assert all(isinstance(form.refuses(sample), str) for sample in source.samples())
    found = list(form.read(source.records("lines", form.entries)))
    session(form.name, found)
    assert Counter(each.record for each in found if isinstance(each, Accounted)) == Counter(range(len(rows)))


@pytest.mark.parametrize("number", range(len(FILES)))
def test_a_refusal_never_fails(number: int) -> None:
    form, value = FILES[number]
    for path in places(value):
        for odd in (None, 5, [], {}, [None]):
            source = Source(io.BytesIO(json.dumps(damaged(value, path, odd)).encode()), "run.json")
            assert all(isinstance(form.refuses(sample), str) for sample in source.samples())
        if len(path) > 3:
            break
