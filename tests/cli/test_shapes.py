"""The JSON shapes on hand-made nouns: what a script reads must be there, under these names."""

import hashlib
import json
from datetime import UTC, datetime

from callsheet.cli.output import plain
from callsheet.cli.shapes import assemble_json, digest, run_json, search_json, show_json
from callsheet.model.effect import CallRecord, RunResult, Step
from callsheet.model.evidence import Evidence, Results
from callsheet.model.item import ContextItem, Fragment, LeftOut
from callsheet.model.manifest import ContextManifest, Packing
from callsheet.model.message import Proposal, Reply, Usage
from callsheet.model.policy import Prices
from callsheet.model.request import RequestContext
from callsheet.model.task import Task
from callsheet.model.tool import Observation, ToolCall, ToolContract
from callsheet.model.verdict import Verdict
from callsheet.model.wire import FRAME, Segment, Span, Wire
from callsheet.ports import StoredRequest

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
SCHEMA = {"type": "object", "properties": {"account_id": {"type": "string"}}, "required": ["account_id"]}
CHECK = ToolContract("check_api_key_status", "Reads the status of an API key.", SCHEMA)


def stored() -> StoredRequest:
    """A request of three items: an instruction, a weighed span of evidence, and a tool in two places of the body."""
    pieces = [
        (FRAME, '{"a":"'),
        ("rules", "Be kind."),
        (FRAME, '","b":"'),
        ("span", "Zażółć"),
        (FRAME, '","c":"'),
        ("tool", "check"),
    ]
    pieces += [(FRAME, '","d":"'), ("tool", "key"), (FRAME, '"}')]
    segments = tuple(Segment(owner, text.encode(), f"b2:{text}") for owner, text in pieces)
    spans, at = [], 0
    for segment in segments:
        spans.append(Span(at, at + len(segment.data), segment.item_id))
        at += len(segment.data)
    wire = Wire(
        "openai_chat", segments, b"".join(s.data for s in segments), tuple(spans), tuple("l" for _ in segments), 2
    )
    items = (
        ContextItem(
            "rules",
            "instruction",
            "instructions/role.md",
            "trusted",
            version="v2",
            token_count=3,
            text="Be kind.",
            required=True,
        ),
        ContextItem(
            "span",
            "evidence",
            "doc@v7#a",
            "untrusted",
            NOW,
            "v7",
            4,
            scope="staff",
            text="Zażółć",
            fragment=Fragment(b"x", "d", 4),
        ),
        ContextItem("tool", "tool", "tools.py", "trusted", token_count=9, text="checkkey", required=True, record=CHECK),
    )
    manifest = ContextManifest(
        request_id="r.1",
        tenant_id="t1",
        items=items,
        total_input_tokens=40,
        left_out=(LeftOut("old", "evidence", "doc@v6#a", "superseded", 0.1, 30, "v7 is in force"),),
        packing=Packing(("span",), {"old": "superseded"}, 4, 1000, {"span": 0.72, "old": 0.1}),
        decision="diagnose",
    )
    step = Step(
        "r.1",
        "diagnose",
        "answer",
        Proposal("answer", answer="It is revoked."),
        (),
        (),
        "It is revoked.",
        ("doc@v7#a",),
    )
    ctx = RequestContext("t1", "ann", subject_id="u1", grants=("staff",))
    return StoredRequest(
        ctx, Task("Why?", "r"), "p", manifest, wire, (), "complete", NOW, Reply(b'{"x":1}'), step, Usage(10, 5, 0, 2)
    )


def test_each_items_spans_cut_its_text_out_of_the_body() -> None:
    shape = assemble_json(stored())
    body = shape["body"].encode()
    texts = {i["item_id"]: b"".join(body[s["start"] : s["end"]] for s in i["spans"]).decode() for i in shape["items"]}
    assert texts == {"rules": "Be kind.", "span": "Zażółć", "tool": "checkkey"}


def test_an_items_sha_is_the_plain_sha256_of_its_text() -> None:
    shas = [item["sha"] for item in assemble_json(stored())["items"]]
    assert shas == [hashlib.sha256(text.encode()).hexdigest() for text in ("Be kind.", "Zażółć", "checkkey")]


def test_a_tool_carries_the_hash_of_its_schema_and_nothing_else_does() -> None:
    hashes = {item["item_id"]: item.get("schema_sha") for item in assemble_json(stored())["items"]}
    shuffled = {"required": SCHEMA["required"], "properties": SCHEMA["properties"], "type": "object"}
    canonical = json.dumps(shuffled, sort_keys=True, separators=(",", ":"))
    assert hashes == {"rules": None, "span": None, "tool": digest(canonical)}


def test_utility_is_null_for_required_items_and_a_number_for_weighed_ones() -> None:
    assert [item["utility"] for item in assemble_json(stored())["items"]] == [None, 0.72, None]


def test_assemble_prints_the_fields_of_the_contract() -> None:
    shape = assemble_json(stored())
    contract = "request_id tenant_id decision items left_out budget used total_input_tokens body"
    assert set(contract.split()) <= set(shape)
    fields = "item_id kind source scope trust version retrieved_at token_count utility sha spans"
    assert all(set(fields.split()) <= set(item) for item in shape["items"])
    assert shape["left_out"] == [
        {
            "item_id": "old",
            "reason": "superseded",
            "kind": "evidence",
            "source": "doc@v6#a",
            "utility": 0.1,
            "token_count": 30,
            "detail": "v7 is in force",
        }
    ]
    assert (shape["budget"], shape["used"]) == (1000, 4)


def test_show_adds_what_became_of_the_request() -> None:
    shape = show_json(stored())
    assert (shape["status"], shape["question"], shape["reply"], shape["error"]) == ("complete", "Why?", '{"x":1}', None)
    assert shape["step"]["answer"] == "It is revoked." and shape["step"]["proposal"] == "answer"
    assert shape["usage"] == {"input": 10, "cached_read": 5, "cache_write": 0, "output": 2}


def test_run_lists_each_call_and_an_approval_only_where_a_person_was_asked() -> None:
    call, arguments = "check_api_key_status", {"account_id": "A-1"}
    ran = CallRecord(
        ToolCall(call, arguments),
        Verdict("allow", "ok", "fine"),
        Observation(call, "ok", arguments, artifact_ref="toolrun://r.1/1"),
    )
    asked = Verdict("ask", "confirmation-required", "policy", question="Rotate?")
    waits = CallRecord(ToolCall("rotate", {}), asked, Observation("rotate", "asked", {}), "ap-1")
    shape = run_json(RunResult("r", "asked", steps=(Step("r.1", "diagnose", "asked", calls=(ran, waits)),)))
    assert shape["request_ids"] == ["r.1"] and shape["usage"] is None
    assert shape["tool_calls"] == [
        {
            "name": call,
            "arguments": arguments,
            "verdict": {"outcome": "allow", "rule": "ok", "why": "fine"},
            "status": "ok",
            "artifact_ref": "toolrun://r.1/1",
        },
        {
            "name": "rotate",
            "arguments": {},
            "verdict": {"outcome": "ask", "rule": "confirmation-required", "why": "policy", "question": "Rotate?"},
            "status": "asked",
            "artifact_ref": None,
            "approval_id": "ap-1",
        },
    ]


def test_a_search_result_says_where_it_stands() -> None:
    found = Evidence("doc@v7#a", "t1", "doc", "v7", "a", "A", "text", 10, 14, relevance=0.5)
    (result,) = search_json(Results(NOW, (found,)))["results"]
    assert {"id", "source", "version", "section", "score", "scores", "text", "span"} <= set(result)
    assert result["span"] == {"start": 10, "end": 14}


def test_nouns_become_json_without_their_fragments_and_bytes_become_text() -> None:
    shape = plain({"stored": stored(), "set": {"b", "a"}})
    assert json.loads(json.dumps(shape)) == shape
    assert "fragment" not in shape["stored"]["manifest"]["items"][1]
    assert shape["stored"]["wire"]["body"].startswith('{"a":"Be kind.') and shape["set"] == ["a", "b"]
    assert shape["stored"]["created_at"] == "2026-11-29T12:00:00+00:00"


def test_every_shape_is_json() -> None:
    for shape in (assemble_json(stored()), show_json(stored())):
        assert json.loads(json.dumps(shape)) == shape


def test_a_run_says_what_it_cost_where_the_models_prices_are_known() -> None:
    result = RunResult("r", "answer", usage=Usage(input=1_000_000, cached_read=500_000, output=100_000))
    shape = run_json(result, Prices(input=4, cached_read=0.2, output=20, currency="EUR"))
    assert shape["cost"] == {"amount": 6.1, "currency": "EUR"}
    assert "cost" not in run_json(result) and "cost" not in run_json(RunResult("r", "asked"), Prices())
