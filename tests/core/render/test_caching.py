"""Cache marks of a decision: the stable prefix carries one, and what changes with each request is not paid for."""

import json
from dataclasses import replace
from typing import Any

import pytest

from callsheet.core.decide import prepare
from callsheet.drive import drive
from callsheet.model.effect import Record
from callsheet.model.policy import HistoryPolicy, ModelProfile, ModelTraits, Policy
from callsheet.model.task import Task

from ..world import MODEL, Outside, evidence, policy, session, value

MARKED = ModelTraits(cache_marks=4)


def remote(dialect: str, **more: Any) -> ModelProfile:
    changes = {"channel": "native-calls", "schema_in_prompt_prefix": True, "traits": MARKED, **more}
    return replace(MODEL, dialect=dialect, **changes)  # type: ignore[arg-type]


def sent(rules: Policy, question: str = "Why is my API key not working?") -> dict[str, Any]:
    outside = Outside([], [evidence(), value("limit", "500 EUR")])
    drive(prepare(session(), Task(question, "run"), rules), outside)
    body: dict[str, Any] = json.loads(outside.of(Record)[0].wire.body)
    return body


def marked(value: Any) -> list[str]:
    """The texts of all blocks that carry a mark, and the names of tools that do."""
    if isinstance(value, list):
        return [found for each in value for found in marked(each)]
    if not isinstance(value, dict):
        return []
    own = [str(value.get("text") or value.get("name"))] if MARKS & value.keys() else []
    return own + [found for each in value.values() for found in marked(each)]


MARKS = {"cache_control", "prompt_cache_breakpoint"}


@pytest.mark.parametrize("dialect", ["anthropic", "openai_chat", "openai_responses"])
@pytest.mark.parametrize("channel", ["native-calls", "json-schema"])
def test_a_fresh_decision_marks_the_end_of_its_stable_text_and_nothing_behind_it(dialect: str, channel: str) -> None:
    body = sent(policy(model=remote(dialect, channel=channel)))
    (text,) = marked(body)
    assert text.startswith("<role") and "500 EUR" not in text and "A-123" not in text
    assert sent(policy(model=remote(dialect, channel=channel)), "Another question?").get("tools") == body.get("tools")


@pytest.mark.parametrize("dialect", ["openai_chat", "openai_responses"])
def test_openai_is_told_to_write_nothing_but_what_is_marked_and_one_key_for_one_prefix(dialect: str) -> None:
    first, second = (sent(policy(model=remote(dialect)), each) for each in ("Why?", "How?"))
    assert first["prompt_cache_options"] == {"mode": "explicit"}
    assert first["prompt_cache_key"] == second["prompt_cache_key"] and len(first["prompt_cache_key"]) <= 64
    other = sent(policy(model=remote(dialect)), "Please rotate it")
    assert other["prompt_cache_key"] != first["prompt_cache_key"], "another kind has other tools before its text"


@pytest.mark.parametrize("dialect", ["anthropic", "openai_chat", "openai_responses"])
def test_a_request_that_is_appended_to_has_its_tail_kept_as_well(dialect: str) -> None:
    body = sent(policy(model=remote(dialect), history=HistoryPolicy(continuation=True)))
    if dialect == "anthropic":
        stable, tail = marked(body)
        assert stable.startswith("<role") and "Why is my API key not working?" in tail
    else:
        assert len(marked(body)) == 1 and "prompt_cache_options" not in body, "the provider marks the end by itself"


@pytest.mark.parametrize("dialect", ["anthropic", "openai_chat", "openai_responses", "gemini"])
def test_a_model_that_takes_no_marks_is_given_none(dialect: str) -> None:
    body = sent(policy(model=remote(dialect, traits=ModelTraits())))
    assert marked(body) == [] and not any(key.startswith("prompt_cache") for key in body)


@pytest.mark.parametrize(
    ("dialect", "native"),
    [
        ("anthropic", {"cache_control": {"type": "ephemeral"}}),
        ("openai_chat", {"prompt_cache_retention": "24h"}),
        ("openai_responses", {"prompt_cache_options": {"mode": "implicit", "ttl": "12h"}}),
    ],
)
def test_a_project_that_says_how_to_cache_is_taken_at_its_word(dialect: str, native: dict[str, Any]) -> None:
    body = sent(policy(model=remote(dialect, native=native)))
    assert {key: body.pop(key) for key in native} == native and marked(list(body.values())) == []
    assert "prompt_cache_key" not in body


@pytest.mark.parametrize("dialect", ["anthropic", "openai_chat", "openai_responses", "gemini"])
def test_the_provider_is_asked_what_kept_a_prompt_out_of_the_cache_only_where_the_project_wants_it(
    dialect: str,
) -> None:
    asking = policy(model=remote(dialect, cache_diagnostics=True))
    for previous in ("", "id-1"):
        outside = Outside([], [evidence()])
        drive(prepare(session(), Task("Why?", "run", previous_response=previous), asking), outside)
        body = json.loads(outside.of(Record)[0].wire.body)
        if dialect == "anthropic":
            assert body["diagnostics"] == {"previous_message_id": previous or None}
        elif dialect == "openai_responses" and previous:
            assert body["prompt_cache_options"] == {"mode": "explicit", "comparison_response_id": "id-1"}
        else:
            assert "id-1" not in json.dumps(body) and "diagnostics" not in body
    assert "diagnostics" not in sent(policy(model=remote(dialect)))
