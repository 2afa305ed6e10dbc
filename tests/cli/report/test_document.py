"""The document of `inspect`: the shape that scripts rely on, its schema, and what of a diagnosis is in it."""

import json
from dataclasses import fields, replace
from importlib import import_module

import jsonschema_rs
import pytest
from hypothesis import given, settings

from callsheet.cli.report.document import document, records_json
from callsheet.cli.report.shape import Report
from callsheet.model.diagnosis import CacheRound, Diagnosis
from callsheet.model.message import Usage
from callsheet.model.transcript import Accounted, Records

from ...diagnoses import EMPTY, HOSTILE, hostile_texts, session

CONTRACT = {
    "": {"format", "records", "turns", "model_calls", "tool_calls", "usage", "buckets", "catalogue", "cache"}
    | {"artifacts", "refetches", "findings"},
    "records": {"read", "kept", "unknown", "skipped"},
    "usage": {"input", "cached_read", "cache_write", "output"},
    "cache": {"rounds", "breaks"},
}


def skips(count: int) -> tuple[Accounted, ...]:
    return tuple(Accounted(record=at, fate="skipped", reason="unreadable", detail="no JSON") for at in range(count))


def test_the_document_has_every_field_of_the_contract() -> None:
    made = document(session(5))
    for part, names in CONTRACT.items():
        assert names <= set(made[part] if part else made), part
    assert {"round", "cause", "item"} <= set(made["cache"]["breaks"][0])
    assert {"pattern", "turn", "evidence", "fix"} <= set(document(session(9))["findings"][0])
    assert {"path", "read", "written", "created", "deleted", "hash", "tests"} <= set(made["artifacts"][0])


def test_the_document_says_whether_a_cache_was_reported() -> None:
    for reported in (True, False):
        assert document(replace(session(5), cache_reported=reported))["cache"]["reported"] is reported


def test_nothing_of_a_diagnosis_is_left_out_of_its_document() -> None:
    made = document(session(5))
    renamed = {"rounds", "breaks", "cache_reported"}
    assert {field.name for field in fields(Diagnosis)} - renamed <= set(made)


@pytest.mark.parametrize("diagnosis", [EMPTY, session(1), session(40), session(12, "".join(HOSTILE))])
def test_the_published_schema_holds_for_what_is_printed(diagnosis: Diagnosis) -> None:
    published = Report.schema()
    printed = json.loads(json.dumps(document(diagnosis), ensure_ascii=False).encode())
    jsonschema_rs.validator_for(published).validate(printed)
    assert '"raw"' not in json.dumps(published)


def test_the_published_schema_misses_a_field_that_is_gone_and_one_that_is_new() -> None:
    judge = jsonschema_rs.validator_for(Report.schema())
    made = document(session(5))
    assert judge.is_valid(made)
    assert not judge.is_valid({name: value for name, value in made.items() if name != "refetches"})
    turn = made["buckets"][0]
    assert not judge.is_valid({**made, "buckets": [{**turn, "surplus": 1}]})
    assert not judge.is_valid({**made, "buckets": [{name: value for name, value in turn.items() if name != "at"}]})


def test_a_document_of_another_shape_is_refused() -> None:
    invalid = import_module("pydantic").ValidationError
    for change in ({"turns": "many"}, {"surplus": 1}, {"records": {"read": 1}}, {"usage": {"input": 1, "spent": 2}}):
        with pytest.raises(invalid):
            Report.check({**document(EMPTY), **change})


def test_every_skipped_record_has_an_entry_and_the_last_one_counts_those_that_are_not_listed() -> None:
    listed = records_json(Records(9, 4, 2, skips(3)))
    assert [each["record"] for each in listed["skipped"]] == [0, 1, 2]
    assert not [each for each in listed["skipped"] if "count" in each]
    capped = records_json(Records(40, 4, 2, skips(3), {}, 31))
    assert capped["skipped"][-1]["count"] == 31
    counted = sum(each.get("count", 1) for each in capped["skipped"])
    assert capped["read"] == capped["kept"] + capped["unknown"] + counted


def test_a_providers_raw_figures_stay_out() -> None:
    rounds = (CacheRound(1, 0, Usage(1, 2, 3, 4, {"secret": "kept by us"})),)
    made = document(Diagnosis("s", "f", Records(), 0, 1, 0, 0, Usage(), rounds=rounds))
    assert made["cache"]["rounds"][0]["usage"] == {"input": 1, "cached_read": 2, "cache_write": 3, "output": 4}


@settings(max_examples=25)
@given(hostile_texts())
def test_any_text_leaves_a_document_that_can_be_written_and_read_again(text: str) -> None:
    made = document(session(3, text))
    assert json.loads(json.dumps(made, ensure_ascii=False, allow_nan=False).encode()) == made
