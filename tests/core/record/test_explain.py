"""Why a byte is there, why an item is or is not: from the record alone, and in one voice for what does not exist."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.record.explain import why_byte, why_item
from callsheet.errors import UnknownName, UsageError

from ..world import evidence, memory
from .test_difference import written

WRITTEN = written(evidence(), evidence("d@v1#weak", "weak", relevance=0.0), memory(purpose="billing"))
MANIFEST, WIRE = WRITTEN


def test_every_byte_of_the_body_has_an_owner_and_a_reason() -> None:
    for byte in range(0, len(WIRE.body), 11):
        found = why_byte(MANIFEST, WIRE, byte)
        assert found["span"]["start"] <= byte < found["span"]["end"] and found["reason"]
    assert why_byte(MANIFEST, WIRE, 0)["item_id"] == "frame"


@pytest.mark.parametrize("byte", [-1, len(WIRE.body), 10**9])
def test_a_byte_outside_the_body_is_the_callers_mistake(byte: int) -> None:
    with pytest.raises(UsageError, match=rf"bytes 0 to {len(WIRE.body) - 1}"):
        why_byte(MANIFEST, WIRE, byte)


def test_an_item_that_was_weighed_tells_its_pick_and_its_numbers() -> None:
    found = why_item(MANIFEST, WIRE, evidence().source)
    assert found["present"] and found["reason"] == (
        "selected: pick 1 of 1, utility 0.9 (relevance 0.9, authority 1, freshness 1)"
    )
    start, end = found["span"]["start"], found["span"]["end"]
    assert WIRE.body[start:end].startswith(b"source: runbook/api-keys@v7")
    assert found["text"] == "\n".join(WIRE.body[s["start"] : s["end"]].decode() for s in found["spans"])


@pytest.mark.parametrize("item_id", ["state", "question", "role", "tool/check_key", "decision/diagnose"])
def test_an_item_that_no_decision_goes_without_says_so(item_id: str) -> None:
    assert why_item(MANIFEST, WIRE, item_id)["reason"].startswith("required: decision 'diagnose'")


@pytest.mark.parametrize(
    ("item_id", "reason", "utility"),
    [("d@v1#weak", "utility", 0.0), ("memory/m1", "purpose", None), ("tool/rotate_key", "not-allowed", None)],
)
def test_an_absent_item_tells_the_reason_with_its_numbers(item_id: str, reason: str, utility: float | None) -> None:
    found = why_item(MANIFEST, WIRE, item_id)
    assert (found["present"], found["reason"], found["utility"], found["span"]) == (False, reason, utility, None)
    assert found["budget"] == MANIFEST.packing.budget if MANIFEST.packing else False


@given(st.text(min_size=1, max_size=40))
def test_what_this_actor_may_not_know_of_reads_as_what_does_not_exist(name: str) -> None:
    known = {text for each in (*MANIFEST.items, *MANIFEST.left_out) for text in (each.item_id, each.source)}
    if name in known:
        return
    with pytest.raises(UnknownName) as error:
        why_item(MANIFEST, WIRE, name)
    # One sentence for every name: one that offered the nearest would read differently for a forbidden one.
    assert str(error.value).replace(repr(name), "NAME", 1) == (
        "request run.1 knows of no item NAME; `callsheet show run.1` lists what it knows, "
        "and an item that this session may not see reads the same; what the model proposed is no item: "
        "`callsheet blame run.1` says how it was judged"
    )


def test_a_source_of_several_items_is_the_callers_mistake_and_each_of_their_ids_is_named() -> None:
    manifest, wire = written(memory("A.", record_id="m1"), memory("B.", record_id="m2", purpose="billing"))
    known = (*manifest.items, *manifest.left_out)
    (source,) = {each.source for each in known if each.item_id in ("memory/m1", "memory/m2")}
    with pytest.raises(UsageError, match="memory/m1, memory/m2"):
        why_item(manifest, wire, source)
    assert why_item(manifest, wire, "memory/m2")["item_id"] == "memory/m2"
