"""The wire: valid JSON, an owner for every byte, a link for every segment, a prefix that stays (invariant 1)."""

import json
import re
from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.plan import plan
from callsheet.core.proposal.channel import reply_format
from callsheet.core.proposal.schema import Shape
from callsheet.core.render.dialects import render
from callsheet.core.render.fragment import digest
from callsheet.core.render.lay_out import DELIMITED, lay_out
from callsheet.core.render.wire import join
from callsheet.core.render.writer import segments
from callsheet.core.sources.preloaded import preloaded_items
from callsheet.model.evidence import Document
from callsheet.model.item import ContextItem
from callsheet.model.manifest import WorkingSet
from callsheet.model.policy import AssemblyPolicy, Policy
from callsheet.model.task import Task
from callsheet.model.wire import FRAME, Segment, Wire

from ..strategies import POLICIES, TEXTS, items
from ..world import (
    FEW,
    KINDS,
    MODEL,
    QUESTION,
    SECTIONS,
    STATE,
    TASK,
    evidence,
    measured,
    memory,
    policy,
    session,
    working_set,
)

TAGS = "|".join({*DELIMITED.values(), "tools"})
WORDS = [
    "model", "messages", "role", "content", "system", "user", "max_tokens", "temperature", "seed", "response_format",
    "type", "json_schema", "name", "proposal", "strict", "true", "false", "schema", "anyOf", "object", "properties",
    "required", "additionalProperties", "const", "enum", "array", "minItems", "maxItems", "items", "string",
    "minLength", "maxLength", "kind", "calls", "answer", "ask", "escalate", "abstain", "sources", "next_steps",
    "reason", "tool", "arguments", "qwen",
]  # fmt: skip
FRAME_BYTES = re.compile(rf'(?:"(?:{"|".join(WORDS)})"|true|false|[0-9.]+|[{{}}\[\]:,"]|\\n|</?(?:{TAGS})>)*')


def wired(made: WorkingSet, rules: Policy, task: Task = TASK) -> Wire:
    want = plan(session(), task, rules)
    prompt = lay_out(
        made, rules.model, want.budget, reply_format(Shape(want.kind, want.offered, made, STATE), rules.model)
    )
    return render(prompt, rules.model.dialect, {item.item_id for item in made.prefix})


def request(*given: ContextItem, rules: Policy | None = None, task: Task = TASK) -> tuple[WorkingSet, Wire]:
    rules = rules or policy()
    made = working_set(*given, rules=rules, task=task)
    return made, wired(made, rules, task)


@st.composite
def requests(draw: st.DrawFn) -> tuple[WorkingSet, Wire]:
    kind = draw(st.sampled_from([each.name for each in KINDS]))
    model = replace(MODEL, schema_in_prompt_prefix=draw(st.booleans()))
    question = draw(TEXTS.filter(str.strip))
    rules = policy(assembly=draw(POLICIES), model=model)
    standing = preloaded_items([Document("standing", draw(TEXTS))], draw(st.sampled_from([(), ("standing",)])))
    rules = replace(rules, project=replace(rules.project, preloaded=tuple(map(measured, standing))))
    return request(*draw(items()), rules=rules, task=Task(question, "run", decision=kind))


@FEW
@given(requests())
def test_the_body_is_json_and_spans_cover_it_without_gap_or_overlap(made: tuple[WorkingSet, Wire]) -> None:
    _, wire = made
    json.loads(wire.body)
    assert b"".join(each.data for each in wire.segments) == wire.body
    assert wire.spans[0].start == 0 and wire.spans[-1].end == len(wire.body)
    assert all(one.end == other.start and one.start < one.end for one, other in pairwise(wire.spans))


@FEW
@given(requests())
def test_the_text_of_every_item_can_be_read_off_its_spans(made: tuple[WorkingSet, Wire]) -> None:
    chosen, wire = made
    end = wire.body.index(b',"max_tokens":')
    for item in chosen.items:
        spans = [each for each in wire.spans_of(item.item_id) if each.start < end]
        written = [json.loads(b'"' + wire.body[each.start : each.end] + b'"') for each in spans]
        assert written == [item.text] * chosen.items.count(item)


@FEW
@given(requests())
def test_bytes_that_no_item_owns_carry_no_content(made: tuple[WorkingSet, Wire]) -> None:
    _, wire = made
    frame = b"".join(wire.body[each.start : each.end] for each in wire.spans if each.item_id == FRAME)
    assert FRAME_BYTES.fullmatch(frame.decode())


@FEW
@given(requests())
def test_the_owner_of_a_byte_is_an_item_of_the_set_and_its_span_holds_the_byte(made: tuple[WorkingSet, Wire]) -> None:
    chosen, wire = made
    known = {FRAME, *(each.item_id for each in chosen.items)}
    for byte in range(0, len(wire.body), 7):
        span = wire.owner(byte)
        assert span.start <= byte < span.end and span.item_id in known


@FEW
@given(requests())
def test_untrusted_items_never_stand_in_a_system_message_but_for_preloaded_evidence(
    made: tuple[WorkingSet, Wire],
) -> None:
    chosen, wire = made
    standing = [each for each in chosen.prefix if each.kind == "evidence"]
    assert all(each.trust == "untrusted" for each in standing)
    assert all(each.trust == "trusted" for each in (*chosen.prefix, *chosen.context) if each not in standing)
    first, *_ = (at.start() for at in re.finditer(rb'"role":"user"', wire.body))
    for item in chosen.items:
        if item in standing:
            continue
        if item.trust == "untrusted" or item.kind in ("conversation", "memory"):
            assert all(span.start > first for span in wire.spans_of(item.item_id))


@FEW
@given(requests())
def test_inside_a_block_nothing_closes_it(made: tuple[WorkingSet, Wire]) -> None:
    chosen, wire = made
    spoken = "".join(each["content"] for each in json.loads(wire.body)["messages"])
    for tag in set(DELIMITED.values()):
        wrapped = sum(DELIMITED.get(each.kind) == tag for each in chosen.items)
        mentioned = sum(each.text.count(f"<{tag}>") for each in chosen.prefix)  # the boundary section names the tags
        assert spoken.count(f"</{tag}>") == wrapped and spoken.count(f"<{tag}>") == wrapped + mentioned


@FEW
@given(requests(), requests())
def test_the_first_link_that_differs_is_the_first_segment_that_differs(
    first: tuple[WorkingSet, Wire], second: tuple[WorkingSet, Wire]
) -> None:
    one, other = first[1], second[1]
    pairs = list(zip(one.segments, other.segments, strict=False))
    differing = next((at for at, (a, b) in enumerate(pairs) if (a.item_id, a.data) != (b.item_id, b.data)), len(pairs))
    assert one.links[:differing] == other.links[:differing]
    assert all(a != b for a, b in zip(one.links[differing:], other.links[differing:], strict=False))


@FEW
@given(TEXTS.filter(str.strip), items())
def test_the_stable_prefix_does_not_depend_on_question_or_findings(
    question: str, given: tuple[ContextItem, ...]
) -> None:
    _, plain = request()
    _, other = request(*given, task=Task(question, "other", 3, decision="diagnose"))
    assert stable(plain) == stable(other) and plain.links[plain.prefix - 1] == other.links[other.prefix - 1]


def stable(wire: Wire) -> bytes:
    return b"".join(each.data for each in wire.segments[: wire.prefix])


def test_the_prefix_ends_with_the_last_tool_although_the_schema_names_tools_again() -> None:
    made, wire = request()
    assert wire.segments[wire.prefix - 1].item_id == made.prefix[-1].item_id == "tool/check_key"
    assert (
        wire.spans[wire.prefix - 1].end < wire.spans_of("question")[0].start < wire.spans_of("tool/check_key")[-1].start
    )


def test_the_prefix_changes_when_a_sections_version_changes() -> None:
    changed = tuple(replace(each, version="v4") if each.section_id == "policy" else each for each in SECTIONS)
    assert stable(request()[1]) != stable(request(rules=policy(sections=changed))[1])


def test_where_the_provider_hashes_the_schema_into_the_prefix_it_does_not_vary_with_the_evidence() -> None:
    rules = policy(model=replace(MODEL, schema_in_prompt_prefix=True))
    task = Task(QUESTION, "run", decision="answer")
    one, other = (request(evidence(each), rules=rules, task=task)[1] for each in ("d@v1#a", "d@v1#b"))
    after = [json.loads(each.body)["response_format"] for each in (one, other)]
    assert after[0] == after[1]
    listed = request(evidence("d@v1#a"), task=task)[1]
    assert listed.owner(listed.body.rindex(b"d@v1#a")).item_id == "d@v1#a"


def test_the_users_words_written_twice_are_counted_twice_in_the_budget() -> None:
    long = Task("why " * 200, "run")
    once = working_set(memory(), task=long)
    both = working_set(memory(), task=long, rules=policy(assembly=AssemblyPolicy(position="question-both")))
    assert once.packing.budget - both.packing.budget == 200
    assert [each.item_id for each in both.items].count("question") == 2


def test_half_a_character_becomes_the_replacement_character_in_a_name_as_in_a_text() -> None:
    made = segments({"model": "a\ud83d", "pair": "\ud83d\ude00"})
    assert json.loads(b"".join(each.data for each in made)) == {"model": "a\ufffd", "pair": "😀"}


def test_a_link_covers_whose_bytes_a_segment_holds() -> None:
    same = [Segment(owner, b"text", digest(b"text")) for owner in ("one", "two")]
    first, second = join("openai_chat", same, 0), join("openai_chat", [same[1], same[0]], 0)
    assert first.body == second.body and not set(first.links) & set(second.links)
