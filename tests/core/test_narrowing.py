"""Tools that a step does not offer: left out, or defined in one stable block and barred; refused in every case."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.decide import decide, prepare
from callsheet.core.narrowing import narrow, stable_way
from callsheet.core.plan import plan
from callsheet.core.record.explain import why_item
from callsheet.drive import drive
from callsheet.model.effect import Execute, Record
from callsheet.model.message import Reply
from callsheet.model.policy import AssemblyPolicy, DecisionKind, ModelProfile, ModelTraits, Policy, Prices
from callsheet.model.task import Task
from callsheet.testing import reply

from .world import CHECK, DELETE, FEW, KINDS, MODEL, ROTATE, TASK, Outside, evidence, policy, session, tool

PRICES = Prices(4.0, 0.2, 5.0, 20.0)
TRAITS = ModelTraits(system_turns=True, allowed_tools=True, tool_changes=True, cache_minimum=0)
WAYS = {"openai_chat": "allowed-tools", "openai_responses": "allowed-tools", "anthropic": "tool-changes"}
DIALECTS = list(WAYS)


def remote(dialect: str, **more: Any) -> ModelProfile:
    traits = {"traits": TRAITS, "prices": PRICES, **more}
    return replace(MODEL, dialect=dialect, channel="native-calls", schema_in_prompt_prefix=True, **traits)  # type: ignore[arg-type]


def rules(dialect: str, narrowing: str = "auto", **more: Any) -> Policy:
    chosen = AssemblyPolicy(narrowing=narrowing)  # type: ignore[arg-type]
    return policy(model=remote(dialect, **more), assembly=chosen)


def prepared(by: Policy, decision: str, ctx: Any = None) -> tuple[Any, Record]:
    outside = Outside([], [evidence()])
    done = drive(prepare(ctx or session(), Task("Why?", "run", decision=decision), by), outside)
    return done, outside.of(Record)[0]


def tools_in(record: Record) -> bytes:
    """The block of tools, byte for byte."""
    whole = json.loads(record.wire.body)["tools"]
    return json.dumps(whole).encode()


def names(record: Record) -> set[str]:
    return {str(each.get("name") or each["function"]["name"]) for each in json.loads(record.wire.body)["tools"]}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_one_block_of_tools_is_the_same_for_every_kind_and_legal(dialect: str) -> None:
    by = rules(dialect, WAYS[dialect])
    found = [prepared(by, kind.name) for kind in KINDS]
    assert len({tools_in(record) for _, record in found}) == 1
    assert names(found[0][1]) >= {"check_key", "rotate_key", "answer", "abstain"}
    assert all(done.illegal is None for done, _ in found)
    own = rules(dialect, "per-kind")
    assert len({tools_in(prepared(own, kind.name)[1]) for kind in KINDS}) == len(KINDS)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_step_names_its_own_tools_in_the_dialects_words(dialect: str) -> None:
    _, record = prepared(rules(dialect, WAYS[dialect]), "diagnose")
    body = json.loads(record.wire.body)
    if dialect == "openai_chat":
        allowed = body["tool_choice"]["allowed_tools"]
        assert [each["function"]["name"] for each in allowed["tools"]] == ["check_key", "ask", "escalate"]
        assert (body["tool_choice"]["type"], allowed["mode"]) == ("allowed_tools", "required")
    elif dialect == "openai_responses":
        assert [each["name"] for each in body["tool_choice"]["tools"]] == ["check_key", "ask", "escalate"]
        assert (body["tool_choice"]["type"], body["tool_choice"]["mode"]) == ("allowed_tools", "required")
    else:
        last = body["messages"][-1]
        assert last["role"] == "system" and {each["type"] for each in last["content"]} == {"tool_removal"}
        assert [each["tool"]["name"] for each in last["content"]] == ["rotate_key", "answer", "abstain"]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("narrowing", ["stable", "per-kind"])
def test_a_call_of_a_tool_that_the_step_does_not_offer_is_refused_whether_or_not_it_is_defined(
    dialect: str, narrowing: str
) -> None:
    by = rules(dialect, WAYS[dialect] if narrowing == "stable" else narrowing)
    call = {"kind": "calls", "calls": [{"tool": "rotate_key", "arguments": {"account_id": "A-123"}}]}
    outside = Outside([Reply(reply(call, by.model, b"{}"))], [evidence()])
    step = drive(decide(session(), replace(TASK, decision="diagnose"), by), outside)
    defined = names(outside.of(Record)[0])
    assert ("rotate_key" in defined) == (narrowing == "stable")
    assert [each.verdict.rule for each in step.calls] == ["tool-not-offered"] and outside.of(Execute) == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_byte_of_a_tool_that_is_only_defined_has_an_owner_and_why_says_that_it_cannot_be_called(
    dialect: str,
) -> None:
    _, record = prepared(rules(dialect, WAYS[dialect]), "diagnose")
    manifest, wire = record.manifest, record.wire
    at = [found for found in range(len(wire.body)) if wire.body.startswith(b"rotate_key", found)]
    assert at and {wire.owner(each).item_id for each in at} == {"tool/rotate_key"}
    assert (manifest.offered, manifest.narrowing) == (("check_key",), f"{WAYS[dialect]}: by the settings")
    barred, offered = (why_item(manifest, wire, f"tool/{each}") for each in ("rotate_key", "check_key"))
    assert barred["present"] and barred["spans"] and "not to be called in decision 'diagnose'" in barred["reason"]
    assert offered["reason"].startswith("required")
    assert "tool/rotate_key" not in {each.item_id for each in manifest.left_out}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_tool_or_a_kind_that_the_actor_does_not_have_is_in_no_block(dialect: str) -> None:
    hidden = DecisionKind("erase", "support", ("check_key", "erase_all"), proposals=("calls",), scope="erase")
    by = policy(
        kinds=(*KINDS, hidden),
        tools=(CHECK, ROTATE, DELETE, tool("erase_all")),
        model=remote(dialect),
        assembly=AssemblyPolicy(narrowing=WAYS[dialect]),  # type: ignore[arg-type]
    )
    _, record = prepared(by, "diagnose", session(grants=()))
    assert not any(name in record.wire.body for name in (b"rotate_key", b"delete_key", b"erase_all"))
    assert b"rotate_key" in prepared(by, "diagnose")[1].wire.body


def decided(by: Policy) -> str:
    return plan(session(), TASK, by).block.why


def test_the_planner_picks_by_break_even_and_says_the_figures() -> None:
    # 7 words of rotate_key's definition are read in vain; 6 instructions' words are rewritten at each change of kind.
    assert decided(rules("openai_chat")).startswith("allowed-tools: leaving out ")
    dear = Prices(4.0, 4.0, 4.0, 20.0)
    assert decided(rules("openai_chat", prices=dear)).startswith("per-kind: leaving out "), "reads as dear as writes"
    assert decided(rules("openai_chat", prices=None)) == "per-kind: no prices are known"
    small = replace(TRAITS, cache_minimum=1_024)
    assert "none is cached below 1024" in decided(rules("openai_chat", traits=small))
    assert decided(rules("openai_chat", traits=ModelTraits())) == "per-kind"


@pytest.mark.parametrize(
    ("changes", "way"),
    [
        ({"dialect": "gemini"}, "per-kind"),
        ({"channel": "json-schema"}, "per-kind"),
        ({"schema_in_prompt_prefix": False}, "per-kind"),
        ({"dialect": "anthropic", "traits": replace(TRAITS, tool_changes=False)}, "per-kind"),
        ({"dialect": "openai_chat", "traits": replace(TRAITS, allowed_tools=False)}, "per-kind"),
        ({"dialect": "anthropic"}, "tool-changes"),
        ({}, "allowed-tools"),
    ],
)
def test_a_way_is_taken_only_where_it_is_documented(changes: dict[str, Any], way: str) -> None:
    assert stable_way(replace(remote("openai_responses"), **changes)) == way


NAMES = ("a", "b", "c", "d")
ALLOWED = st.lists(st.sampled_from(NAMES), unique=True)
PROPOSALS = st.lists(st.sampled_from(("calls", "answer", "ask", "escalate", "abstain")), min_size=1, unique=True)


@FEW
@given(st.lists(st.tuples(ALLOWED, PROPOSALS), min_size=1, max_size=4), st.sampled_from(DIALECTS), st.data())
def test_whatever_the_kinds_the_block_is_one_the_request_legal_and_only_the_steps_tools_may_be_called(
    kinds: list[tuple[list[str], list[Any]]], dialect: str, data: st.DataObject
) -> None:
    made = tuple(
        DecisionKind(f"k{at}", "support", tuple(allowed), proposals=tuple(takes), cite=data.draw(st.booleans()))
        for at, (allowed, takes) in enumerate(kinds)
    )
    by = policy(
        kinds=made,
        tools=[tool(each, scope="x" if each == "d" else None) for each in NAMES],
        model=remote(dialect),
        assembly=AssemblyPolicy(narrowing=WAYS[dialect]),  # type: ignore[arg-type]
    )
    found = [prepared(by, kind.name) for kind in made]
    assert len({tools_in(record) for _, record in found}) == 1
    for kind, (done, record) in zip(made, found, strict=True):
        assert done.illegal is None
        assert {each.name for each in done.grounds.offered} == set(kind.allowlist) - {"d"}
        assert "d" not in names(record)


def test_narrowing_is_the_same_for_every_kind_of_a_project() -> None:
    by = rules("openai_chat")
    permitted = tuple(by.project.contracts().values())
    assert len({narrow(session(), kind, permitted, by).way for kind in KINDS}) == 1
