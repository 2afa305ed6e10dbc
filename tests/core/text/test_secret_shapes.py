"""Twelve shapes of secrets in the surroundings they turn up in, and what looks like them and is none."""

import json
import sys

import pytest

from ...source import ROOT

sys.path.append(str(ROOT / "bench"))

from callsheet.core.text.redact import redact, redact_json, redact_value
from redaction import taken_out
from secret_texts import HARMLESS, Made, secrets

BY_SHAPE: dict[str, list[Made]] = {}
for each in secrets():
    BY_SHAPE.setdefault(each.shape, []).append(each)


@pytest.mark.parametrize("shape", BY_SHAPE)
def test_a_secret_is_taken_out_in_each_of_its_surroundings(shape: str) -> None:
    assert [each.text for each in BY_SHAPE[shape] if not taken_out(each)] == []


@pytest.mark.parametrize("kind", HARMLESS)
def test_what_looks_like_a_secret_and_is_none_stays(kind: str) -> None:
    texts = [form for text in HARMLESS[kind] for form in (text, json.dumps({"log": f"a\n{text}"}))]
    assert [redact(text) for text in texts] == texts
    assert [redact_value({"log": [text]}) for text in texts] == [{"log": [text]} for text in texts]


@pytest.mark.parametrize("shape", BY_SHAPE)
def test_a_json_text_without_its_secret_is_still_json(shape: str) -> None:
    for made in BY_SHAPE[shape]:
        json.loads(redact_json(json.dumps({"log": made.text})))


def test_a_tool_s_answer_that_is_json_with_escapes_loses_its_secret() -> None:
    told = redact_value({"output": '{"db": "postgres:\\/\\/svc:hunter\\u00322@db.example\\/app"}'})
    assert json.loads(told["output"]) == {"db": "postgres://[redacted:url-password]@db.example/app"}
