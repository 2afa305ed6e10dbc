"""Message dumps of LangChain and pydantic-ai, and the ledger of our own."""

import json
from typing import Any

import pytest

from callsheet.edges.transcripts import langchain, ledger, pydantic_ai
from callsheet.model.message import CallBlock, ResultBlock
from callsheet.model.transcript import Called, Offered, Replaced, Reported, Said

from .reads import events, fates, lines, of, refused, windows

USED = {"input_tokens": 30, "output_tokens": 2, "total_tokens": 32, "input_token_details": {"cache_read": 10}}
FIELDS: list[tuple[str, str, dict[str, Any]]] = [
    ("system", "SystemMessage", {"content": "be brief"}),
    ("human", "HumanMessage", {"content": "Where?"}),
    ("ai", "AIMessage", {"content": "", "tool_calls": [{"name": "find", "args": {"id": 7}, "id": "c"}],
                         "usage_metadata": USED, "response_metadata": {"model_name": "gpt-5"}, "id": "run-1"}),
    ("tool", "ToolMessage", {"content": "at sea", "tool_call_id": "c", "status": "error", "name": "find"}),
    ("ai", "AIMessage", {"content": [{"type": "text", "text": "At sea."}]}),
]  # fmt: skip
FORMS = {
    "to_dict": [{"type": kind, "data": {**fields, "type": kind}} for kind, _, fields in FIELDS],
    "dumpd": [
        {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": fields}
        for _, name, fields in FIELDS
    ],
    "model_dump": [{**fields, "type": kind} for kind, _, fields in FIELDS],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_langchain_dump_says_the_same(form: str) -> None:
    for data in (FORMS[form], {"messages": FORMS[form]}, lines(*FORMS[form])):
        found = events(langchain.FORMAT, data)
        said = of(Said, found)
        assert [each.speaker for each in said] == ["harness", "person", "model", "tool", "model"]
        assert [(each.response, each.model) for each in of(Called, found)] == [("run-1", "gpt-5"), ("#2", "")]
        call, result = said[2].message.blocks[0], said[3].message.blocks[0]
        assert isinstance(call, CallBlock)
        assert isinstance(result, ResultBlock)
        assert (call.arguments, result.call_id, result.is_error) == ({"id": 7}, "c", True)
        assert [(each.usage.input, each.usage.cached_read) for each in of(Reported, found)] == [(20, 10)]
        assert fates(found) == [(at, "kept") for at in range(5)]


def test_each_line_with_a_conversation_is_a_thread() -> None:
    found = events(langchain.FORMAT, lines({"messages": FORMS["model_dump"]}, FORMS["to_dict"]))
    assert list(windows(found)) == ["", "2"]
    assert len({each.response for each in of(Called, found)}) == 3


def test_rows_of_other_tools_are_no_langchain_messages() -> None:
    assert refused(langchain.FORMAT, [{"type": "system", "content": "x"}, {"type": "user", "message": {}}])
    assert refused(langchain.FORMAT, {"messages": [{"role": "user", "content": "x"}]})


PYDANTIC = [
    {
        "kind": "request",
        "instructions": "be true",
        "timestamp": "2026-11-30T10:00:00Z",
        "parts": [
            {"part_kind": "system-prompt", "content": "be brief"},
            {"part_kind": "user-prompt", "content": ["Where?", {"kind": "image-url", "url": "https://x/y.png"}]},
        ],
    },
    {
        "kind": "response",
        "model_name": "gpt-5",
        "provider_response_id": "r1",
        "usage": {"input_tokens": 30, "cache_read_tokens": 10, "cache_write_tokens": 5, "output_tokens": 2},
        "parts": [
            {"part_kind": "thinking", "content": "hm"},
            {"part_kind": "tool-call", "tool_name": "find", "args": '{"id": 7}', "tool_call_id": "c"},
        ],
    },
    {
        "kind": "request",
        "instructions": "be true",
        "parts": [
            {"part_kind": "user-prompt", "content": "Quick!"},
            {"part_kind": "retry-prompt", "tool_name": "find", "tool_call_id": "c", "content": "no such id"},
        ],
    },
]


def test_pydantic_ai_messages_are_read_with_results_before_what_a_person_says() -> None:
    found = events(pydantic_ai.FORMAT, PYDANTIC)
    said = of(Said, found)
    assert [each.speaker for each in said] == ["harness", "person", "model", "tool", "person"]
    assert [each.system[0].text for each in of(Offered, found)] == ["be true"]
    call, result = said[2].message.blocks[1], said[3].message.blocks[0]
    assert isinstance(call, CallBlock)
    assert isinstance(result, ResultBlock)
    assert (call.arguments, result.call_id, result.is_error) == ({"id": 7}, "c", True)
    used = of(Reported, found)[0].usage
    assert (used.input, used.cached_read, used.cache_write, used.output) == (15, 10, 5, 2)
    assert of(Called, found)[0].response == "r1"
    assert fates(found) == [(0, "kept"), (1, "kept"), (2, "kept")]


def test_an_unknown_row_among_pydantic_ai_messages_is_unknown() -> None:
    assert fates(events(pydantic_ai.FORMAT, [*PYDANTIC, {"kind": "summary"}]))[-1] == (3, "unknown")
    assert refused(pydantic_ai.FORMAT, [{"kind": "request", "parts": "x"}])


def recorded(number: int, question: str) -> dict[str, Any]:
    asked = f'<e>Keys "expire".</e>\n{question}'
    messages = [{"role": "system", "content": "policy"}, {"role": "user", "content": asked}]
    body = json.dumps({"messages": messages}, separators=(",", ":"))
    start = body.index("Keys")
    reply = {"id": "x", "choices": [{"message": {"role": "assistant", "content": "ok"}}], "usage": {"prompt_tokens": 9}}
    return {
        "request_id": f"run.{number}",
        "tenant_id": "t",
        "decision": "answer",
        "dialect": "openai_chat",
        "model": "m",
        "created_at": "2026-11-30T10:00:00+00:00",
        "items": [
            {"item_id": "doc", "kind": "evidence", "spans": [{"start": start, "end": body.index("</e>")}]},
            {"item_id": "i", "kind": "instruction", "spans": []},
        ],
        "body": body,
        "reply": json.dumps(reply),
        "error": None,
        "usage": {"input": 9, "cached_read": 4, "cache_write": 0, "output": 1},
    }


@pytest.mark.parametrize("lined", [True, False])
def test_the_ledger_tells_evidence_from_what_stands_around_it(lined: bool) -> None:
    data = lines(recorded(1, "Why?")) if lined else recorded(1, "Why?")
    found = events(ledger.FORMAT, data)
    asked = of(Said, found)[1]
    assert [str(each.text) for each in asked.message.blocks] == ["<e>", 'Keys "expire".', "</e>\nWhy?"]
    assert asked.facts == {"kinds": {1: "evidence"}}
    (called,), (used,) = of(Called, found), of(Reported, found)
    assert (called.response, called.model) == ("run.1", "m")
    assert (used.usage.input, used.usage.cached_read) == (9, 4)


def test_decisions_of_one_run_are_fresh_requests() -> None:
    found = events(ledger.FORMAT, lines(recorded(1, "Why?"), recorded(2, "How?")))
    assert not of(Replaced, found)
    assert [each.thread for each in of(Called, found)] == ["", "2"]
    assert refused(ledger.FORMAT, {"request_id": "x"})
