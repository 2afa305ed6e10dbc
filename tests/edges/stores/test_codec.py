"""The codec keeps what a validator would refuse or change, and never guesses a type."""

import math
from datetime import UTC, datetime

import pytest

from callsheet.edges.stores.codec import decode, encode
from callsheet.model.effect import Intent
from callsheet.model.item import ContextItem
from callsheet.model.policy import Budget
from callsheet.model.task import TaskState, Value
from callsheet.model.tool import RawResult, ToolCall


@pytest.mark.parametrize(
    "said", ["\ud800", "\ud83d\ude00", "😀", '"\\\n\0', {"$": "TaskState"}, {"#": "00"}, [1, [2.5]], 10**40]
)
def test_what_a_model_said_comes_back_as_it_was(said):
    call = ToolCall("check", {"x": said})
    assert decode(ToolCall, encode(call)) == call


def test_not_a_number_stays_not_a_number():
    assert math.isnan(decode(ToolCall, encode(ToolCall("check", {"x": math.nan}))).arguments["x"])


@pytest.mark.parametrize("record", [TaskState(), Value("limit", "50", "v1", "values"), None])
def test_a_union_of_nouns_gives_back_the_noun_that_was_put_in(record):
    item = ContextItem("state", "task_state", "state", "trusted", record=record)
    assert decode(ContextItem, encode(item)) == item
    assert decode(Intent, encode(Intent(RawResult({"a": 1})))) == Intent(RawResult({"a": 1}))


def test_fields_at_their_default_are_left_out_so_that_a_new_field_changes_no_hash():
    assert encode(Budget(4_000, 500)) == b'{"$":"Budget","window":4000,"max_output":500}'
    assert decode(Budget, b'{"window":4000,"max_output":500,"of a later version":1}') == Budget(4_000, 500)


def test_a_value_that_is_no_json_is_named():
    with pytest.raises(TypeError, match="a set cannot be journalled"):
        encode(ToolCall("check", {"x": {1, 2}}))
    assert decode(datetime, encode(datetime(2026, 11, 29, tzinfo=UTC))) == datetime(2026, 11, 29, tzinfo=UTC)
