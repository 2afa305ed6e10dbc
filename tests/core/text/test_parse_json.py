"""JSON that someone else wrote: what the standard library reads, down to a depth that everything behind can follow."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.text.parse_json import DEEPEST, deeper, parse_json

JSON = st.recursive(
    st.none() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(JSON)
def test_a_value_is_read_as_the_standard_library_reads_it(value: Any) -> None:
    text = json.dumps(value)
    assert repr(parse_json(text)) == repr(parse_json(text.encode())) == repr(json.loads(text))


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_is_read_down_to_the_deepest_level_and_not_below(opening: str, closing: str) -> None:
    def nested(levels: int) -> str:
        return opening * levels + "1" + closing * levels

    assert parse_json(nested(DEEPEST)) == json.loads(nested(DEEPEST))
    for levels in (DEEPEST + 1, 900, 100_000):
        for text in (nested(levels), nested(levels).encode()):
            with pytest.raises(ValueError, match="nested deeper than"):
                parse_json(text)


def test_many_lists_beside_one_another_are_not_deep() -> None:
    assert len(parse_json("[" + "[]," * 1_000 + "[]]")) == 1_001
    assert deeper([[1], {"a": []}], 2) and not deeper([[1], {"a": 1}], 2) and not deeper("x", 0)
