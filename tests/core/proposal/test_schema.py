"""The proposal: the schema and our own reading agree, and no reply whatever makes the reading break."""

import json
from dataclasses import replace
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.plan import plan
from callsheet.core.proposal.channel import read_reply
from callsheet.core.proposal.reading import MAX_DEPTH, read_text
from callsheet.core.proposal.schema import KINDS as PROPOSALS
from callsheet.core.proposal.schema import Shape, schema
from callsheet.core.render.dialects import read_response
from callsheet.model.message import CallBlock, Message, Proposal, Response
from callsheet.model.policy import DecisionKind, GatePolicy
from callsheet.model.task import Task
from callsheet.model.verdict import Verdict
from callsheet.model.wire import Wire

from ..render.test_wire import request
from ..world import (
    MODEL,
    QUESTION,
    STATE,
    answer,
    calls,
    evidence,
    policy,
    session,
    working_set,
)

EVERYTHING = DecisionKind("all", "support", ("check_key",), proposals=("calls", "answer", "ask", "escalate", "abstain"))
SOURCE = evidence().source
GATE = GatePolicy()
NOTHING = DecisionKind("none", "support", proposals=())


def sent_schema(kind: DecisionKind = EVERYTHING, listed: bool = True) -> dict[str, Any]:
    """The schema as it stands in the body that is sent."""
    rules = policy(kinds=(kind,), model=replace(MODEL, schema_in_prompt_prefix=not listed))
    _, wire = request(evidence(), rules=rules, task=Task(QUESTION, "run"))
    return schema_of(wire)


def schema_of(wire: Wire) -> dict[str, Any]:
    """The schema in the body of a wire."""
    held: dict[str, Any] = json.loads(wire.body)["response_format"]["json_schema"]["schema"]
    return held


def sources_of(wire: Wire) -> list[str]:
    """The sources that the schema of a wire lets an answer cite."""
    (answering,) = (
        each["properties"] for each in schema_of(wire)["anyOf"] if each["properties"]["kind"]["const"] == "answer"
    )
    found: list[str] = answering["sources"]["items"]["enum"]
    return found


def parse(body: bytes) -> Response:
    return read_response(body, "openai_chat")


SCHEMA = sent_schema()
VALIDATOR = jsonschema_rs.validator_for(SCHEMA)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(str.strip)
GOOD = st.one_of(
    st.lists(st.just(("check_key", {"account_id": "A-123"})), min_size=1, max_size=4).map(lambda each: calls(*each)),
    st.builds(
        lambda text, sources, steps: answer(text, *sources, next_steps=steps),
        TEXT, st.lists(st.just(SOURCE), max_size=5), st.lists(TEXT, max_size=3),
    ),
    st.fixed_dictionaries({"kind": st.sampled_from(["ask", "escalate", "abstain"]), "reason": TEXT}),
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ["kind", "calls", "answer", "sources", "next_steps", "reason", "question", "tool", "arguments"]
)


@given(GOOD)
def test_a_good_proposal_is_taken_by_the_schema_and_by_our_own_reading(proposal: dict[str, Any]) -> None:
    assert VALIDATOR.is_valid(proposal)
    found = read_text(json.dumps(proposal), EVERYTHING, GATE)
    assert isinstance(found, Proposal) and found.kind == proposal["kind"]
    assert [call.index for call in found.calls] == list(range(1, len(proposal.get("calls", [])) + 1))


@given(GOOD, FIELDS, JSON)
def test_what_the_schema_takes_our_reading_takes_too(proposal: dict[str, Any], field: str, wrong: Any) -> None:
    spoiled = proposal | {field: wrong}
    if VALIDATOR.is_valid(spoiled):
        assert isinstance(read_text(json.dumps(spoiled), EVERYTHING, GATE), Proposal)


@pytest.mark.parametrize(
    "spoiled",
    [
        {"kind": "calls", "calls": []},
        {"kind": "calls"},
        {"kind": "calls", "calls": [{"arguments": {}}]},
        {"kind": "calls", "calls": [{"tool": "check_key", "arguments": ["A-123"]}]},
        {"kind": "answer", "sources": [], "next_steps": []},
        {"kind": "answer", "answer": 7, "sources": [], "next_steps": []},
        {"kind": "answer", "answer": "yes", "sources": "a", "next_steps": []},
        {"kind": "answer", "answer": "yes", "sources": [1], "next_steps": []},
        {"kind": "act", "reason": "why"},
        {"kind": ["calls"], "calls": []},
        {"reason": "why"},
        {"kind": "ask", "reason": None},
    ],
)
def test_a_broken_proposal_is_refused_by_both(spoiled: dict[str, Any]) -> None:
    found = read_text(json.dumps(spoiled), EVERYTHING, GATE)
    assert not VALIDATOR.is_valid(spoiled) and isinstance(found, Verdict) and found.rule == "unreadable-proposal"


@given(st.one_of(st.text(), JSON.map(json.dumps), st.dictionaries(FIELDS, JSON).map(json.dumps)))
def test_garbage_of_any_kind_gives_a_verdict_and_never_an_exception(text: str) -> None:
    found = read_text(text, EVERYTHING, GATE)
    assert isinstance(found, (Verdict, Proposal))
    if isinstance(found, Verdict):
        assert found.rule in ("unreadable-proposal", "proposal-not-allowed") and found.outcome == "refuse"


NESTED = '{"kind":"calls","calls":[{"tool":"t","arguments":{"a":%s}}]}'


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        NESTED % ("[" * 50_000 + "]" * 50_000),
        NESTED % ("[" * 500 + "]" * 500),
        NESTED % ('{"a":' * MAX_DEPTH + "1" + "}" * MAX_DEPTH),
        NESTED % "NaN",
        NESTED % "1e999",
        NESTED % ("9" * 5_000),
        NESTED % r'"\ud800"',
        '{"kind":"ask","reason":"\ud800"}',
        "",
        "null",
        "{}",
        '{"kind":"ask"} {"kind":"ask"}',
        "I would say: yes.",
    ],
    ids=range(14),
)
def test_what_is_too_deep_or_is_no_json_is_unreadable(text: str) -> None:
    found = read_text(text, EVERYTHING, GATE)
    assert isinstance(found, Verdict) and found.rule == "unreadable-proposal" and len(found.why) < 200


@pytest.mark.parametrize("around", ["{}", "\n {} \n", "```json\n{}\n```", "```\n{}```", "\ufeff```json\n{}\n```"])
def test_a_fence_and_blanks_mean_nothing(around: str) -> None:
    found = read_text(around.strip("\ufeff").format('{"kind": "ask", "reason": " Which key? "}'), EVERYTHING, GATE)
    assert isinstance(found, Proposal) and found.reason == "Which key?"


@pytest.mark.parametrize("kind", PROPOSALS)
def test_a_kind_of_reply_that_the_decision_does_not_take_is_refused(kind: str) -> None:
    filled = calls(("check_key", {})) | answer("yes") | {"kind": kind, "reason": "why", "queries": []}
    found = read_text(json.dumps(filled), NOTHING, GATE)
    assert isinstance(found, Verdict) and found.rule == "proposal-not-allowed"
    assert isinstance(read_text(json.dumps(filled), NOTHING, GatePolicy(enabled=False)), Proposal)


def test_the_schema_lists_owned_resources_and_sources_only_where_it_does_not_break_the_prefix() -> None:
    call = SCHEMA["anyOf"][0]["properties"]["calls"]["items"]["anyOf"][0]["properties"]
    assert call["tool"] == {"const": "check_key"} and call["arguments"]["properties"]["account_id"] == {
        "enum": ["A-123"]
    }
    assert SCHEMA["anyOf"][1]["properties"]["sources"]["items"] == {"enum": [SOURCE]}
    open_call = sent_schema(listed=False)["anyOf"][0]["properties"]["calls"]["items"]["anyOf"][0]["properties"]
    assert open_call["arguments"]["properties"]["account_id"] == {"type": "string"}


@pytest.mark.parametrize(
    ("kind", "kinds"),
    [
        (replace(EVERYTHING, allowlist=()), ["answer", "ask", "escalate", "abstain"]),
        (replace(EVERYTHING, proposals=("answer",)), ["answer"]),
        (DecisionKind("stuck", "support", proposals=("calls",)), ["abstain"]),
        (DecisionKind("bare", "support", proposals=("answer",), cite=True), ["abstain"]),
    ],
)
def test_a_variant_that_nobody_could_fill_is_left_out_and_one_is_always_there(
    kind: DecisionKind, kinds: list[str]
) -> None:
    rules = policy(kinds=(kind,))
    want = plan(session(), Task(QUESTION, "run"), rules)
    held = schema(Shape(want.kind, want.offered, working_set(rules=rules), STATE), MODEL)
    assert [each["properties"]["kind"]["const"] for each in held["anyOf"]] == kinds


@given(st.one_of(st.binary(), JSON.map(json.dumps).map(str.encode)))
def test_a_body_that_is_no_chat_completion_is_a_value_error_that_says_so(body: bytes) -> None:
    with pytest.raises(ValueError, match="none of openai_chat"):
        parse(body)


@pytest.mark.parametrize(
    "spoiled",
    [
        {"choices": [{"message": {"content": ["parts"]}}]},
        {"choices": [{"message": {"content": 7}}]},
        {"choices": [{"message": "text"}]},
        {"choices": [{"message": {"content": "x"}, "finish_reason": 1}]},
        {"choices": []},
    ],
)
def test_a_completion_with_fields_of_the_wrong_type_is_refused_and_never_breaks(spoiled: object) -> None:
    with pytest.raises(ValueError, match="none of openai_chat"):
        parse(json.dumps(spoiled).encode())


def test_usage_is_normalised_cached_input_is_not_input() -> None:
    details = {"cached_tokens": 60, "cache_write_tokens": 10}
    raw = {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": details}
    found = parse(json.dumps({"choices": [{"message": {"content": None}}], "usage": raw}).encode())
    assert found.message.text == "" and found.usage.raw == raw
    assert (found.usage.input, found.usage.cached_read, found.usage.cache_write, found.usage.output) == (30, 60, 10, 7)


@pytest.mark.parametrize(
    "spoiled",
    [
        [1], "many", 10**30, None, {"prompt_tokens": "many"}, {"prompt_tokens": 10**30, "completion_tokens": -1},
        {"prompt_tokens": [[1]], "prompt_tokens_details": [1], "completion_tokens": {}},
        {"prompt_tokens_details": {"cached_tokens": "x"}}, {"note": {"a": {"b": {"c": 1}}}}, {"note": "words"},
        {f"figure-{number}": 1 for number in range(100)}, {"x" * 100: 1}, {"cost": float("nan")},
    ],
)  # fmt: skip
def test_figures_that_no_usage_can_have_are_read_as_none_and_not_kept(spoiled: object) -> None:
    found = parse(json.dumps({"choices": [{"message": {"content": "x"}}], "usage": spoiled}).encode()).usage
    assert (found.input, found.cached_read, found.cache_write, found.output) == (0, 0, 0, 0)
    assert found.raw == {}


def test_of_a_usage_every_number_is_kept_as_it_came_a_price_too() -> None:
    raw = {"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": None, "cost": 0.25}
    found = parse(json.dumps({"choices": [{"message": {"content": "x"}}], "usage": raw}).encode()).usage
    assert (found.input, found.output) == (5, 2)
    assert found.raw == {"prompt_tokens": 5, "completion_tokens": 2, "cost": 0.25}


def test_a_native_call_where_json_was_asked_for_is_called_one_and_names_the_setting() -> None:
    response = Response(Message("assistant", (CallBlock(id="c", name="check_key", arguments={}),)))
    found = read_reply(response, Shape(EVERYTHING, (), working_set(), STATE), GATE, MODEL)
    assert isinstance(found, Verdict) and found.rule == "unreadable-proposal" and "native-calls" in found.why
